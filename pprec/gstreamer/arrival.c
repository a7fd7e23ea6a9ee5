/* SPDX-License-Identifier: BSD-3-Clause */
/* udpsrc, with socket-timestamp=realtime, takes the kernel's stamp of a packet (SO_TIMESTAMPNS)
 * and puts into the buffer's DTS the running time then:
 *
 *     DTS = pipeline clock now - base time - (g_get_real_time() now - stamp)
 *
 * g_get_real_time() counts microseconds, so a DTS is up to 1 us late. Where that would be
 * negative, as of packets that waited in the socket before the pipeline played, udpsrc gives the
 * pipeline clock itself instead, without taking off the base time: such a DTS lies in the future,
 * by which it is known here. Without socket-timestamp the DTS is when udpsrc read the packet. */
#include "arrival.h"

#include <gio/gio.h>
#include <gst/net/gstnetaddressmeta.h>
#include <string.h>

static GstClockTime clock_now(GstElement *element)
{
    GstClock *clock = gst_element_get_clock(element);
    GstClockTime now = GST_CLOCK_TIME_NONE;

    if (clock != NULL) {
        now = gst_clock_get_time(clock);
        gst_object_unref(clock);
    }
    return now;
}

gboolean arrival_stamp(GstElement *element, const GstSegment *segment, const GstBuffer *buffer,
                       gboolean from_kernel, struct pprec_stamp *stamp)
{
    GstClockTime running, came;

    if (!GST_BUFFER_DTS_IS_VALID(buffer) || segment->format != GST_FORMAT_TIME)
        return FALSE;
    running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_DTS(buffer));
    if (!GST_CLOCK_TIME_IS_VALID(running))
        return FALSE;
    /* running time stands still in a pause, and the clock does not */
    came = running + gst_element_get_base_time(element);
    if (came > clock_now(element) || came > G_MAXINT64)
        return FALSE;
    stamp->ns = (int64_t)came;
    stamp->clock = PPREC_CLOCK_OTHER;
    stamp->source = from_kernel ? PPREC_TIMESTAMPS_KERNEL : PPREC_TIMESTAMPS_USER;
    return TRUE;
}

/* A socket for both has IPv4 packets from ::ffff:192.0.2.1. */
static gboolean is_mapped(const guint8 *bytes)
{
    static const guint8 prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

    return memcmp(bytes, prefix, sizeof prefix) == 0;
}

void arrival_source(GstBuffer *buffer, struct pprec_endpoint *source)
{
    GstNetAddressMeta *meta = gst_buffer_get_net_address_meta(buffer);
    GInetAddress *address;
    const guint8 *bytes;

    memset(source, 0, sizeof *source);
    source->ip = 4;
    if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS(meta->addr))
        return;
    address = g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(meta->addr));
    bytes = g_inet_address_to_bytes(address);
    source->port = g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(meta->addr));
    if (g_inet_address_get_family(address) == G_SOCKET_FAMILY_IPV4) {
        memcpy(source->address, bytes, 4);
    } else if (is_mapped(bytes)) {
        memcpy(source->address, bytes + 12, 4);
    } else {
        source->ip = 6;
        memcpy(source->address, bytes, 16);
    }
}

/* --- What pads tell --- */

#define SEND_TIME_URI "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"

/* "extmap-3" and the URI, or (as SDP has it with attributes) direction, URI and more. */
static gboolean is_send_time(const GValue *value)
{
    if (GST_VALUE_HOLDS_ARRAY(value) && gst_value_array_get_size(value) > 1)
        value = gst_value_array_get_value(value, 1);
    return G_VALUE_HOLDS_STRING(value) && g_strcmp0(g_value_get_string(value), SEND_TIME_URI) == 0;
}

guint arrival_send_time_id(const GstCaps *caps)
{
    const GstStructure *structure = gst_caps_get_structure(caps, 0);

    for (guint id = 1; id <= G_MAXUINT8; id++) {
        char name[16];
        const GValue *value;

        g_snprintf(name, sizeof name, "extmap-%u", id);
        value = gst_structure_get_value(structure, name);
        if (value != NULL && is_send_time(value))
            return id;
    }
    return 0;
}

/* -1: it has no such property, as an element that is no udpsrc. */
static int socket_timestamp_of(GstPad *pad)
{
    GstElement *upstream;
    GstPad *peer = gst_pad_get_peer(pad);
    int mode = -1;

    if (peer == NULL)
        return mode;
    upstream = gst_pad_get_parent_element(peer);
    if (upstream != NULL
        && g_object_class_find_property(G_OBJECT_GET_CLASS(upstream), "socket-timestamp") != NULL)
        g_object_get(upstream, "socket-timestamp", &mode, NULL);
    g_clear_object(&upstream);
    gst_object_unref(peer);
    return mode;
}

const char *arrival_trouble(GstElement *element, GstPad *pad, gboolean *from_kernel)
{
    GstClock *clock = gst_element_get_clock(element);
    gboolean systems = clock == NULL || GST_IS_SYSTEM_CLOCK(clock);

    g_clear_object(&clock);
    *from_kernel = socket_timestamp_of(pad) != 0;
    if (!*from_kernel)
        return "Packets are stamped when they are read, which is too late: "
               "set socket-timestamp=realtime on udpsrc.";
    if (!systems) /* read in steps of what a sound card has played */
        return "The pipeline's clock is too coarse to tell packets apart: "
               "use the system clock (gst_pipeline_use_clock).";
    return NULL;
}
