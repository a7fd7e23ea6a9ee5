/* SPDX-License-Identifier: BSD-3-Clause */
/* One train -> one observation. */
#ifndef FILTERS_OBSERVE_H
#define FILTERS_OBSERVE_H

#include "filters/curve.h"
#include "filters/readings.h"

struct observation {
    struct reading head; /* its first two packets; if not paired, its times alone */
    bool paired;         /* they came one after the other */
    bool curved;         /* it is long enough for what follows */
    struct curve curve;
    struct reading whole; /* of all its packets, along the envelope of that curve */
};

/* epoch: of the stream; it takes the train's times. */
void observe(struct epoch *epoch, const struct sample *sample, const struct noise *noise,
             struct observation *observation);

#endif
