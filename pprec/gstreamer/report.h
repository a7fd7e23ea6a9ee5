/* SPDX-License-Identifier: BSD-3-Clause */
/* What the element tells: one table of fields, which are its messages and its read-only
 * properties alike. */
#ifndef PPREC_GSTREAMER_REPORT_H
#define PPREC_GSTREAMER_REPORT_H

#include <gst/gst.h>
#include <pprec/pprec.h>

/* The newest word about a path; all zero: none yet. */
struct report {
    struct pprec_congestion congestion;
    GstClockTime running_time; /* of its newest packet */
    guint64 unstamped;         /* buffers without a time of arrival, since the last reset */
};

struct report_field {
    const char *name;
    GType type; /* of booleans, strings and guint64 */
    const char *blurb;
    void (*get)(const struct report *report, GValue *value); /* value: of that type */
};

/* The last has no name. */
extern const struct report_field report_fields[];

void report_clear(struct report *report);

/* A structure called "pprec" with every field; the caller's to free or to give away. */
GstStructure *report_structure(const struct report *report);

#endif
