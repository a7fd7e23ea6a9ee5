/* SPDX-License-Identifier: BSD-3-Clause */
/* What libpprec wants of a buffer from udpsrc: where from, when, and the first bytes. */
#ifndef PPREC_GSTREAMER_ARRIVAL_H
#define PPREC_GSTREAMER_ARRIVAL_H

#include <gst/gst.h>
#include <pprec/pprec.h>

/* When a packet came, on the pipeline's clock: FALSE where the buffer has no time, or one that
 * cannot be. segment: of the pad it came by. from_kernel: who stamped it. */
gboolean arrival_stamp(GstElement *element, const GstSegment *segment, const GstBuffer *buffer,
                       gboolean from_kernel, struct pprec_stamp *stamp);

/* Who sent it; 0.0.0.0:0 where udpsrc was told not to ask. */
void arrival_source(GstBuffer *buffer, struct pprec_endpoint *source);

/* The number of abs-send-time among the header extensions of these caps, or 0. */
guint arrival_send_time_id(const GstCaps *caps);

/* What spoils the times of arrival that this element gets from pad's peer, in words; NULL: nothing
 * that can be seen from here. *from_kernel: whether they may be the kernel's. */
const char *arrival_trouble(GstElement *element, GstPad *pad, gboolean *from_kernel);

#endif
