/* SPDX-License-Identifier: BSD-3-Clause */
/* The element in a harness: what it measures, passes on, forgets and refuses, with times of
 * arrival that are made up. */
#include <gio/gio.h>
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gst/net/gstnetaddressmeta.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAYLOAD_BYTES = 1200,
    L2_BYTES = PAYLOAD_BYTES + 46,
    FRAME_PACKETS = 5,
    HEADER_BYTES = 12,
    PORT = 4000,
};

#define FRAME_NS (GST_SECOND / 30)
#define BASE_NS (1000 * GST_SECOND) /* the clock shows this when the pipeline begins to run */

static int failures;
static const char *current;

static void element_check(gboolean holds, const char *what, int line)
{
    if (holds)
        return;
    printf("FAIL gstreamer: %s: line %d: %s\n", current, line, what);
    failures++;
}
#define CHECK(condition) element_check((condition), #condition, __LINE__)

/* --- A sender, and the path it sends over --- */

struct traffic {
    GstHarness *harness;
    GSocketAddress *address;
    guint64 link_bps;
    GstClockTime now; /* running time at which the next frame leaves */
    guint16 seq;
    guint32 timestamp;
    gboolean with_send_times;
};

static GSocketAddress *element_address_of(const char *text)
{
    return g_inet_socket_address_new_from_string(text, PORT);
}

static GstHarness *harness_new(const char *launch)
{
    GstElement *element = gst_parse_launch(launch, NULL); /* of one element: itself */
    GstHarness *h = gst_harness_new_with_element(element, "sink", "src");

    gst_object_unref(element);
    gst_harness_use_testclock(h);
    gst_harness_set_time(h, BASE_NS);
    gst_element_set_base_time(h->element, BASE_NS);
    gst_harness_set_src_caps_str(h, "application/x-rtp, media=video, clock-rate=90000");
    gst_element_set_bus(h->element, gst_bus_new());
    return h;
}

static struct traffic traffic_new(const char *launch, guint64 link_bps)
{
    struct traffic t = {.harness = harness_new(launch), .link_bps = link_bps, .seq = 65500};

    t.address = element_address_of("192.0.2.1");
    t.now = GST_SECOND;
    return t;
}

static void traffic_free(struct traffic *t)
{
    GstBus *bus = gst_element_get_bus(t->harness->element);

    gst_object_unref(t->address);
    gst_harness_teardown(t->harness);
    gst_object_unref(bus);
    gst_object_unref(bus);
}

/* abs-send-time as extension 3: 24 bits of seconds, 18 of them behind the point. */
static void write_extension(guint8 *at, GstClockTime sent)
{
    guint32 units = (guint32)((sent << 18) / GST_SECOND) & 0xffffff;
    const guint8 extension[8] = {
        0xbe, 0xde, 0, 1, 3 << 4 | 2, (guint8)(units >> 16), (guint8)(units >> 8), (guint8)units};

    memcpy(at, extension, sizeof extension);
}

static GstBuffer *packet_new(struct traffic *t, gboolean marker, GstClockTime dts)
{
    guint8 packet[PAYLOAD_BYTES] = {0x80, 96};
    GstBuffer *buffer;

    packet[1] |= marker ? 0x80 : 0;
    GST_WRITE_UINT16_BE(packet + 2, t->seq);
    GST_WRITE_UINT32_BE(packet + 4, t->timestamp);
    GST_WRITE_UINT32_BE(packet + 8, 0x1234);
    if (t->with_send_times) {
        packet[0] |= 0x10;
        write_extension(packet + HEADER_BYTES, t->now);
    }
    t->seq++;
    buffer = gst_buffer_new_memdup(packet, sizeof packet);
    GST_BUFFER_DTS(buffer) = dts;
    if (t->address != NULL)
        gst_buffer_add_net_address_meta(buffer, t->address);
    return buffer;
}

static GstClockTime gap(const struct traffic *t)
{
    return gst_util_uint64_scale(L2_BYTES * 8, GST_SECOND, t->link_bps);
}

/* A frame, whose packets leave together, over the link; the clock passes them. */
static GstBufferList *frame_new(struct traffic *t)
{
    GstBufferList *list = gst_buffer_list_new();

    for (int i = 0; i < FRAME_PACKETS; i++)
        gst_buffer_list_add(
            list, packet_new(t, i == FRAME_PACKETS - 1, t->now + GST_MSECOND + (guint)(i + 1) * gap(t)));
    t->timestamp += 3000;
    t->now += FRAME_NS;
    gst_harness_set_time(t->harness, BASE_NS + t->now);
    return list;
}

static void element_send_frames(struct traffic *t, int count)
{
    while (count-- > 0) {
        GstBufferList *list = frame_new(t);

        for (int i = 0; i < FRAME_PACKETS; i++)
            CHECK(gst_harness_push(t->harness, gst_buffer_ref(gst_buffer_list_get(list, (guint)i)))
                  == GST_FLOW_OK);
        gst_buffer_list_unref(list);
    }
}

/* --- What it tells --- */

static guint64 figure(const struct traffic *t, const char *name)
{
    guint64 value;

    g_object_get(t->harness->element, name, &value, NULL);
    return value;
}

static gboolean is_near(guint64 value, guint64 wanted)
{
    return value * 100 > wanted * 99 && value * 100 < wanted * 101;
}

/* The messages of this type so far; the newest in *last, where that is wanted. */
static int messages(const struct traffic *t, GstMessageType type, GstMessage **last)
{
    GstBus *bus = gst_element_get_bus(t->harness->element);
    GstMessage *message;
    int count = 0;

    while ((message = gst_bus_pop_filtered(bus, type)) != NULL) {
        count++;
        if (last != NULL)
            gst_clear_message(last);
        if (last != NULL)
            *last = message;
        else
            gst_message_unref(message);
    }
    gst_object_unref(bus);
    return count;
}

/* --- Tests --- */

static void measures_a_link(void)
{
    static const guint64 links_bps[] = {2000000, 10000000, 50000000};

    for (size_t i = 0; i < G_N_ELEMENTS(links_bps); i++) {
        struct traffic t = traffic_new("pprec", links_bps[i]);

        element_send_frames(&t, 120);
        CHECK(is_near(figure(&t, "capacity"), links_bps[i]));
        CHECK(figure(&t, "low") <= figure(&t, "capacity"));
        CHECK(figure(&t, "packets") >= 3 * FRAME_PACKETS);
        CHECK(figure(&t, "lost") == 0 && figure(&t, "unstamped") == 0);
        CHECK(figure(&t, "age") < GST_SECOND);
        traffic_free(&t);
    }
}

static void tells_at_most_so_often(void)
{
    struct traffic t = traffic_new("pprec interval=500000000", 10000000);
    GstMessage *last = NULL;
    const GstStructure *told;
    guint64 capacity = 0;
    int count;

    element_send_frames(&t, 120); /* four seconds */
    count = messages(&t, GST_MESSAGE_ELEMENT, &last);
    CHECK(count >= 6 && count <= 8);
    told = last != NULL ? gst_message_get_structure(last) : NULL;
    CHECK(told != NULL && gst_structure_has_name(told, "pprec"));
    CHECK(told != NULL && gst_structure_get_uint64(told, "capacity", &capacity));
    CHECK(is_near(capacity, 10000000));
    CHECK(told != NULL && g_strcmp0(gst_structure_get_string(told, "source"), "192.0.2.1:4000") == 0);
    CHECK(told != NULL && gst_structure_get_string(told, "state") != NULL);
    CHECK(messages(&t, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, NULL) == 0);
    gst_clear_message(&last);
    traffic_free(&t);
    t = traffic_new("pprec interval=0", 10000000);
    element_send_frames(&t, 60);
    CHECK(messages(&t, GST_MESSAGE_ELEMENT, NULL) == 0);
    CHECK(is_near(figure(&t, "capacity"), 10000000));
    traffic_free(&t);
}

static void passes_all_on_untouched(void)
{
    struct traffic t = traffic_new("pprec", 10000000);
    GstBufferList *list = frame_new(&t);
    GstBuffer *junk = gst_buffer_new_memdup("junk", 4), *empty = gst_buffer_new(), *got;

    for (guint i = 0; i < FRAME_PACKETS; i++) {
        GstBuffer *sent = gst_buffer_list_get(list, i);

        gst_harness_push(t.harness, gst_buffer_ref(sent));
        got = gst_harness_pull(t.harness);
        CHECK(got == sent); /* the very same, and nobody wrote to it */
        gst_buffer_unref(got);
    }
    gst_buffer_list_unref(list);
    GST_BUFFER_DTS(junk) = GST_BUFFER_DTS(empty) = t.now - GST_MSECOND;
    CHECK(gst_harness_push(t.harness, junk) == GST_FLOW_OK);
    CHECK(gst_harness_push(t.harness, empty) == GST_FLOW_OK);
    CHECK(gst_harness_buffers_in_queue(t.harness) == 2);
    traffic_free(&t);
}

static GstFlowReturn take_list(GstPad *pad, GstObject *parent, GstBufferList *list)
{
    int *lists = pad->chainlistdata;

    (void)parent;
    ++*lists;
    gst_buffer_list_unref(list);
    return GST_FLOW_OK;
}

static void takes_lists_as_lists(void)
{
    struct traffic t = traffic_new("pprec", 10000000);
    int lists = 0;

    gst_pad_set_chain_list_function_full(t.harness->sinkpad, take_list, &lists, NULL);
    for (int i = 0; i < 60; i++)
        CHECK(gst_pad_push_list(t.harness->srcpad, frame_new(&t)) == GST_FLOW_OK);
    CHECK(lists == 60);
    CHECK(is_near(figure(&t, "capacity"), 10000000));
    traffic_free(&t);
}

/* A frame before the path is known again: the old figure must be gone, and the new one come. */
static void expect_anew(struct traffic *t)
{
    CHECK(figure(t, "capacity") == 0 && figure(t, "trains") == 0);
    t->link_bps = 50000000;
    element_send_frames(t, 60);
    CHECK(is_near(figure(t, "capacity"), 50000000));
    CHECK(is_near(figure(t, "high"), 55000000)); /* its uncertainty is that of one path */
}

static void element_flush(const struct traffic *t)
{
    GstSegment segment;

    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(t->harness, gst_event_new_flush_start());
    gst_harness_push_event(t->harness, gst_event_new_flush_stop(TRUE));
    gst_harness_push_event(t->harness, gst_event_new_segment(&segment));
}

static void forgets_at_flush_caps_and_stop(void)
{
    for (int i = 0; i < 3; i++) {
        struct traffic t = traffic_new("pprec", 10000000);

        element_send_frames(&t, 60);
        CHECK(is_near(figure(&t, "capacity"), 10000000));
        if (i == 0) {
            element_flush(&t);
        } else if (i == 1) {
            gst_harness_set_src_caps_str(t.harness, "application/x-rtp, media=video, payload=97");
        } else {
            gst_element_set_state(t.harness->element, GST_STATE_READY);
            gst_element_set_state(t.harness->element, GST_STATE_PLAYING);
            gst_element_set_base_time(t.harness->element, BASE_NS);
            gst_harness_set_src_caps_str(t.harness, "application/x-rtp, media=video");
        }
        expect_anew(&t);
        traffic_free(&t);
    }
}

static void expect_refused(const char *name, const char *value)
{
    GstElement *element = gst_element_factory_make("pprec", NULL);
    GstBus *bus = gst_bus_new();
    GstMessage *message;
    GError *error = NULL;

    gst_util_set_object_arg(G_OBJECT(element), name, value);
    gst_element_set_bus(element, bus);
    CHECK(gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
    message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    CHECK(message != NULL);
    if (message != NULL) {
        gst_message_parse_error(message, &error, NULL);
        CHECK(strchr(error->message, '\n') == NULL && strstr(error->message, name) != NULL);
        g_error_free(error);
        gst_message_unref(message);
    }
    CHECK(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) == NULL);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_object_unref(element);
    gst_object_unref(bus);
}

static void refuses_settings_in_one_line(void)
{
    expect_refused("filter", "best");
    expect_refused("layer", "l8");
    expect_refused("window", "4000000000");
}

static void counts_what_has_no_time(void)
{
    struct traffic t = traffic_new("pprec", 10000000);

    gst_harness_push(t.harness, packet_new(&t, FALSE, GST_CLOCK_TIME_NONE));
    /* what udpsrc has where it cannot tell: the clock, its base time not taken off */
    gst_harness_push(t.harness, packet_new(&t, FALSE, BASE_NS + t.now));
    CHECK(figure(&t, "unstamped") == 2);
    CHECK(gst_harness_buffers_in_queue(t.harness) == 2);
    element_send_frames(&t, 60);
    CHECK(is_near(figure(&t, "capacity"), 10000000));
    traffic_free(&t);
}

static void knows_who_sends(void)
{
    static const struct {
        const char *address, *told;
        guint64 capacity; /* the same gaps: IPv6 has 20 bytes more of headers */
    } cases[] = {
        {"192.0.2.1", "192.0.2.1:4000", 10000000},
        {"::ffff:192.0.2.1", "192.0.2.1:4000", 10000000},
        {"2001:db8::1", "[2001:db8::1]:4000", 10000000 / L2_BYTES * (L2_BYTES + 20)},
        {NULL, "0.0.0.0:0", 10000000},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct traffic t = traffic_new("pprec", 10000000);
        char *source;

        gst_object_unref(t.address);
        t.address = cases[i].address != NULL ? element_address_of(cases[i].address) : NULL;
        element_send_frames(&t, 60);
        g_object_get(t.harness->element, "source", &source, NULL);
        CHECK(g_strcmp0(source, cases[i].told) == 0);
        CHECK(is_near(figure(&t, "capacity"), cases[i].capacity));
        g_free(source);
        if (t.address == NULL)
            t.address = element_address_of("192.0.2.1");
        traffic_free(&t);
    }
}

/* A figure where the state says that there is one, with its interval about it; no upper end of a bound. */
static void element_check_available(const struct traffic *t)
{
    gchar *state = NULL;

    g_object_get(t->harness->element, "available-state", &state, NULL);
    CHECK(state != NULL);
    CHECK((figure(t, "available") > 0) == (g_strcmp0(state, "unknown") != 0));
    CHECK(figure(t, "available-low") <= figure(t, "available"));
    CHECK(g_strcmp0(state, "at_least") == 0 || figure(t, "available") <= figure(t, "available-high"));
    CHECK(g_strcmp0(state, "at_least") != 0 || figure(t, "available-high") == 0);
    CHECK(figure(t, "lossless-frame") <= FRAME_PACKETS);
    g_free(state);
}

static void reads_send_times(void)
{
    struct traffic t = traffic_new("pprec", 10000000);

    gst_harness_set_src_caps_str(t.harness,
                                 "application/x-rtp, media=video, clock-rate=90000, "
                                 "extmap-3=http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time");
    t.with_send_times = TRUE;
    element_send_frames(&t, 60);
    CHECK(figure(&t, "timed") >= 2 * FRAME_PACKETS);
    /* the last of a frame waits for those before it, and no longer */
    CHECK(figure(&t, "queueing-delay-max") < FRAME_PACKETS * gap(&t) + GST_MSECOND);
    CHECK(figure(&t, "queueing-delay") <= figure(&t, "queueing-delay-max"));
    element_check_available(&t);
    traffic_free(&t);
}

/* --- Other threads, and memory --- */

static atomic_int over;

static gpointer ask_on(gpointer element)
{
    guint64 asked = 0;

    while (!over) {
        guint64 capacity;
        char *state, *source;

        g_object_get(element, "capacity", &capacity, "state", &state, "source", &source, NULL);
        g_free(state);
        g_free(source);
        g_object_set(element, "filter", asked++ % 2 ? "adaptive" : "median", NULL);
    }
    return NULL;
}

static void is_asked_by_other_threads(void)
{
    struct traffic t = traffic_new("pprec interval=1000000", 10000000);
    GThread *asks[2];

    over = 0;
    for (int i = 0; i < 2; i++)
        asks[i] = g_thread_new("asks", ask_on, t.harness->element);
    for (int i = 0; i < 20; i++) {
        element_send_frames(&t, 10);
        element_flush(&t);
    }
    element_send_frames(&t, 60);
    over = 1;
    for (int i = 0; i < 2; i++)
        g_thread_join(asks[i]);
    CHECK(is_near(figure(&t, "capacity"), 10000000));
    traffic_free(&t);
}

static _Atomic guint64 allocated;

/* The C library's own; all of the process comes by here. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);

void *malloc(size_t bytes)
{
    allocated++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocated++;
    return __libc_calloc(count, bytes);
}

static guint64 allocated_by(const char *launch)
{
    struct traffic t = traffic_new(launch, 10000000);
    guint64 before;

    element_send_frames(&t, 300); /* until the window is full */
    before = allocated;
    element_send_frames(&t, 100);
    before = allocated - before;
    traffic_free(&t);
    return before;
}

static void allocates_nothing_per_packet(void)
{
    guint64 without = allocated_by("identity"), with = allocated_by("pprec interval=0");

    CHECK(without > 100 * FRAME_PACKETS); /* what makes the packets is counted */
    CHECK(with <= without);
}

/* --- */

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"measures a link", measures_a_link},
    {"tells at most so often", tells_at_most_so_often},
    {"passes all on untouched", passes_all_on_untouched},
    {"takes lists as lists", takes_lists_as_lists},
    {"forgets at flush, caps and stop", forgets_at_flush_caps_and_stop},
    {"refuses settings in one line", refuses_settings_in_one_line},
    {"counts what has no time", counts_what_has_no_time},
    {"knows who sends", knows_who_sends},
    {"reads send times", reads_send_times},
    {"is asked by other threads", is_asked_by_other_threads},
    {"allocates nothing per packet", allocates_nothing_per_packet},
};

int main(int argc, char **argv)
{
    gst_init(&argc, &argv);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        int before = failures;

        current = tests[i].name;
        tests[i].run();
        if (failures == before)
            printf("ok gstreamer: %s\n", current);
    }
    gst_deinit();
    return failures > 0;
}
