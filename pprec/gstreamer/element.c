/* SPDX-License-Identifier: BSD-3-Clause */
/* pprec: passes on what udpsrc receives, and tells the capacity of the path it came by.
 *
 * Whoever sends to the port decides nothing here but what is measured: buffers go on untouched,
 * whatever libpprec says to them. The handle is the streaming thread's; what other threads see
 * (settings, the newest report) is under the object's lock. */
#include "arrival.h"
#include "report.h"

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <pprec/pprec.h>

GST_DEBUG_CATEGORY_STATIC(pprec_debug);
#define GST_CAT_DEFAULT pprec_debug

/* An RTP header with all its extensions that matter. */
enum { HEAD_BYTES = 256 };

#define INTERVAL_NS (100 * GST_MSECOND)

struct settings {
    char *filter;
    char *layer;
    guint window;
    guint send_time_id;
    GstClockTime interval; /* 0: no messages */
};

typedef struct _GstPprec {
    GstBaseTransform parent;

    /* of the streaming thread, or of start and stop while there is none */
    struct pprec *pprec;
    guint caps_send_time_id;
    gboolean from_kernel;
    gboolean warned;

    /* under the object's lock */
    struct settings settings;
    struct report report;
    gboolean stale; /* what was measured is over: a new handle for the next packet */
} GstPprec;

typedef struct _GstPprecClass {
    GstBaseTransformClass parent_class;
} GstPprecClass;

GType gst_pprec_get_type(void);
G_DEFINE_TYPE(GstPprec, gst_pprec, GST_TYPE_BASE_TRANSFORM)

enum { PROP_FILTER = 1, PROP_LAYER, PROP_WINDOW, PROP_SEND_TIME_ID, PROP_INTERVAL, PROP_REPORT };

#define CAPS "application/x-rtp; application/x-srtp"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

/* --- The handle --- */

static void element_forget(GstPprec *self)
{
    GST_OBJECT_LOCK(self);
    report_clear(&self->report);
    self->stale = TRUE;
    GST_OBJECT_UNLOCK(self);
}

/* On the streaming thread, inside pprec_push_rtp(). */
static void element_on_congestion(void *user, const struct pprec_congestion *congestion)
{
    GstPprec *self = user;
    GstElement *element = GST_ELEMENT(self);
    GstClockTime base = gst_element_get_base_time(element);
    GstStructure *structure = NULL;

    GST_OBJECT_LOCK(self);
    self->report.congestion = *congestion;
    self->report.running_time = (GstClockTime)congestion->time_ns - base;
    if (self->settings.interval > 0)
        structure = report_structure(&self->report);
    GST_OBJECT_UNLOCK(self);
    if (structure != NULL)
        gst_element_post_message(element, gst_message_new_element(GST_OBJECT(self), structure));
}

static void free_handle(GstPprec *self)
{
    pprec_free(self->pprec);
    self->pprec = NULL;
}

/* In milliseconds, as libpprec has it: at least one. */
static unsigned interval_ms(const struct settings *settings)
{
    GstClockTime interval = settings->interval > 0 ? settings->interval : INTERVAL_NS;

    return (unsigned)CLAMP(interval / GST_MSECOND, 1, G_MAXUINT);
}

/* FALSE, and one line to the application, where the settings do not do. */
static gboolean new_handle(GstPprec *self)
{
    struct pprec_config config;
    int result;

    free_handle(self);
    pprec_config_init(&config);
    config.user = self;
    config.on_congestion = element_on_congestion;
    GST_OBJECT_LOCK(self);
    config.filter = self->settings.filter;
    config.layer = self->settings.layer;
    config.window = self->settings.window;
    config.congestion_interval_ms = interval_ms(&self->settings);
    config.abs_send_time_id =
        self->settings.send_time_id > 0 ? self->settings.send_time_id : self->caps_send_time_id;
    result = pprec_new(&self->pprec, &config);
    self->stale = FALSE;
    GST_OBJECT_UNLOCK(self);
    if (result == PPREC_OK)
        return TRUE;
    GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS,
                      ("%s", self->pprec != NULL ? pprec_error(self->pprec) : "Out of memory."), (NULL));
    free_handle(self);
    return FALSE;
}

static gboolean element_start(GstBaseTransform *transform)
{
    GstPprec *self = (GstPprec *)transform;

    self->caps_send_time_id = 0;
    self->warned = FALSE;
    self->from_kernel = TRUE;
    element_forget(self);
    return new_handle(self);
}

static gboolean element_stop(GstBaseTransform *transform)
{
    GstPprec *self = (GstPprec *)transform;

    free_handle(self);
    element_forget(self);
    return TRUE;
}

static gboolean set_caps(GstBaseTransform *transform, GstCaps *in, GstCaps *out)
{
    GstPprec *self = (GstPprec *)transform;

    (void)out;
    self->caps_send_time_id = arrival_send_time_id(in);
    element_forget(self);
    return TRUE;
}

static gboolean sink_event(GstBaseTransform *transform, GstEvent *event)
{
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
        element_forget((GstPprec *)transform);
    return GST_BASE_TRANSFORM_CLASS(gst_pprec_parent_class)->sink_event(transform, event);
}

/* --- Buffers --- */

/* Before the first packet: later the pads and the clock are known to be what they are. */
static void look_around(GstPprec *self)
{
    GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD(self);
    const char *trouble = arrival_trouble(GST_ELEMENT(self), pad, &self->from_kernel);

    if (trouble != NULL)
        GST_ELEMENT_WARNING(self, STREAM, FORMAT, ("%s", trouble), (NULL));
    self->warned = TRUE;
}

static gboolean element_is_ready(GstPprec *self)
{
    gboolean stale;

    if (!self->warned)
        look_around(self);
    GST_OBJECT_LOCK(self);
    stale = self->stale;
    GST_OBJECT_UNLOCK(self);
    return self->pprec != NULL && (!stale || new_handle(self));
}

static void element_measure(GstPprec *self, GstBuffer *buffer)
{
    const GstSegment *segment = &GST_BASE_TRANSFORM(self)->segment;
    guint8 head[HEAD_BYTES];
    struct pprec_endpoint source;
    struct pprec_stamp stamp;
    gsize bytes;

    if (!arrival_stamp(GST_ELEMENT(self), segment, buffer, self->from_kernel, &stamp)) {
        GST_OBJECT_LOCK(self);
        self->report.unstamped++;
        GST_OBJECT_UNLOCK(self);
        return;
    }
    arrival_source(buffer, &source);
    /* copied: mapping a buffer of several pieces would join them, in memory of its own */
    bytes = gst_buffer_extract(buffer, 0, head, sizeof head);
    if (pprec_push_rtp(self->pprec, &source, head, bytes, gst_buffer_get_size(buffer), stamp) < 0)
        GST_LOG_OBJECT(self, "not measured: %s", pprec_error(self->pprec));
}

static GstFlowReturn transform_ip(GstBaseTransform *transform, GstBuffer *buffer)
{
    GstPprec *self = (GstPprec *)transform;

    if (!element_is_ready(self))
        return GST_FLOW_ERROR;
    element_measure(self, buffer);
    return GST_FLOW_OK;
}

/* Lists go on as lists: GstBaseTransform would take them apart. */
static GstFlowReturn chain_list(GstPad *pad, GstObject *parent, GstBufferList *list)
{
    GstPprec *self = (GstPprec *)parent;
    guint length = gst_buffer_list_length(list);

    (void)pad;
    if (!element_is_ready(self)) {
        gst_buffer_list_unref(list);
        return GST_FLOW_ERROR;
    }
    for (guint i = 0; i < length; i++)
        element_measure(self, gst_buffer_list_get(list, i));
    return gst_pad_push_list(GST_BASE_TRANSFORM_SRC_PAD(self), list);
}

/* --- Properties --- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    GstPprec *self = (GstPprec *)object;

    GST_OBJECT_LOCK(self);
    switch (id) {
    case PROP_FILTER:
        g_free(self->settings.filter);
        self->settings.filter = g_value_dup_string(value);
        break;
    case PROP_LAYER:
        g_free(self->settings.layer);
        self->settings.layer = g_value_dup_string(value);
        break;
    case PROP_WINDOW: self->settings.window = g_value_get_uint(value); break;
    case PROP_SEND_TIME_ID: self->settings.send_time_id = g_value_get_uint(value); break;
    case PROP_INTERVAL: self->settings.interval = g_value_get_uint64(value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
    GST_OBJECT_UNLOCK(self);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    GstPprec *self = (GstPprec *)object;

    (void)spec;
    GST_OBJECT_LOCK(self);
    switch (id) {
    case PROP_FILTER: g_value_set_string(value, self->settings.filter); break;
    case PROP_LAYER: g_value_set_string(value, self->settings.layer); break;
    case PROP_WINDOW: g_value_set_uint(value, self->settings.window); break;
    case PROP_SEND_TIME_ID: g_value_set_uint(value, self->settings.send_time_id); break;
    case PROP_INTERVAL: g_value_set_uint64(value, self->settings.interval); break;
    default: report_fields[id - PROP_REPORT].get(&self->report, value);
    }
    GST_OBJECT_UNLOCK(self);
}

/* What differs takes effect with the next handle. */
#define SETTING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static GParamSpec *spec_of(const struct report_field *field)
{
    GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

    if (field->type == G_TYPE_STRING)
        return g_param_spec_string(field->name, field->name, field->blurb, NULL, flags);
    if (field->type == G_TYPE_BOOLEAN)
        return g_param_spec_boolean(field->name, field->name, field->blurb, FALSE, flags);
    if (field->type == G_TYPE_DOUBLE)
        return g_param_spec_double(field->name, field->name, field->blurb, -G_MAXDOUBLE, G_MAXDOUBLE, 0,
                                   flags);
    return g_param_spec_uint64(field->name, field->name, field->blurb, 0, G_MAXUINT64, 0, flags);
}

static void install_properties(GObjectClass *class)
{
    struct pprec_config defaults;

    pprec_config_init(&defaults);
    g_object_class_install_property(class, PROP_FILTER,
                                    g_param_spec_string("filter", "filter",
                                                        "What estimates: a filter that pprec --help lists",
                                                        defaults.filter, SETTING));
    g_object_class_install_property(
        class, PROP_LAYER,
        g_param_spec_string("layer", "layer",
                            "What rates count: udp, ip, l2, wire, or bytes beside the payload",
                            defaults.layer, SETTING));
    g_object_class_install_property(class, PROP_WINDOW,
                                    g_param_spec_uint("window", "window",
                                                      "Frames that the filter looks back on", 1, G_MAXUINT,
                                                      defaults.window, SETTING));
    g_object_class_install_property(
        class, PROP_SEND_TIME_ID,
        g_param_spec_uint("abs-send-time-id", "abs-send-time-id",
                          "Header extension that has send times; 0: that of the caps, or found", 0,
                          G_MAXUINT8, 0, SETTING));
    g_object_class_install_property(
        class, PROP_INTERVAL,
        g_param_spec_uint64("interval", "interval",
                            "Least time between messages about a path, ns; 0: no messages", 0, G_MAXUINT64,
                            INTERVAL_NS, SETTING));
    for (guint i = 0; report_fields[i].name != NULL; i++)
        g_object_class_install_property(class, PROP_REPORT + i, spec_of(&report_fields[i]));
}

/* --- Class and plugin --- */

static void finalize(GObject *object)
{
    GstPprec *self = (GstPprec *)object;

    free_handle(self);
    g_free(self->settings.filter);
    g_free(self->settings.layer);
    G_OBJECT_CLASS(gst_pprec_parent_class)->finalize(object);
}

static void gst_pprec_class_init(GstPprecClass *class)
{
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstBaseTransformClass *transform = GST_BASE_TRANSFORM_CLASS(class);

    G_OBJECT_CLASS(class)->set_property = set_property;
    G_OBJECT_CLASS(class)->get_property = get_property;
    G_OBJECT_CLASS(class)->finalize = finalize;
    install_properties(G_OBJECT_CLASS(class));
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_add_static_pad_template(element, &src_template);
    gst_element_class_set_static_metadata(
        element, "Path capacity", "Filter/Analyzer/Network/RTP",
        "Tells capacity and queueing delay of the path that RTP from udpsrc came by", "pptrans and pprec");
    transform->start = element_start;
    transform->stop = element_stop;
    transform->set_caps = set_caps;
    transform->sink_event = sink_event;
    transform->transform_ip = transform_ip;
    transform->transform_ip_on_passthrough = TRUE;
}

static void gst_pprec_init(GstPprec *self)
{
    struct pprec_config defaults;

    pprec_config_init(&defaults);
    self->settings.filter = g_strdup(defaults.filter);
    self->settings.layer = g_strdup(defaults.layer);
    self->settings.window = defaults.window;
    self->settings.interval = INTERVAL_NS;
    report_clear(&self->report);
    gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), TRUE);
    gst_pad_set_chain_list_function(GST_BASE_TRANSFORM_SINK_PAD(self), chain_list);
}

static gboolean plugin_init(GstPlugin *plugin)
{
    GST_DEBUG_CATEGORY_INIT(pprec_debug, "pprec", 0, "capacity of the path of RTP");
    return gst_element_register(plugin, "pprec", GST_RANK_NONE, gst_pprec_get_type());
}

#define PACKAGE "pprec"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, pprec, "Capacity of network paths", plugin_init,
                  PPREC_VERSION, "BSD", "pprec", "Unknown package origin")
