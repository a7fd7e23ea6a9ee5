/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/exact.h"

#include <stdlib.h>
#include <string.h>

const struct pprec_endpoint exact_destination = {.address = {192, 0, 2, 9}, .port = 9000, .ip = 4};

int exact_push(struct pprec *pprec, const struct pprec_endpoint *source, const void *data, size_t data_bytes,
               size_t payload_bytes, struct pprec_stamp received)
{
    void *copy = malloc(data_bytes);
    int status;

    if (copy == NULL && data_bytes > 0)
        abort();
    if (data_bytes > 0)
        memcpy(copy, data, data_bytes);
    status =
        pprec_push_datagram(pprec, source, &exact_destination, copy, data_bytes, payload_bytes, received);
    free(copy);
    return status;
}
