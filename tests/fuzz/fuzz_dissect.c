/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: a byte that picks a link type, then a frame. */
#include "pprec/lib/dissect.h"
#include "tests/fuzz/fuzz.h"

#include <pcap/dlt.h>
#include <stdlib.h>

static const int dlts[] = {DLT_EN10MB, DLT_LINUX_SLL,  DLT_LINUX_SLL2,      DLT_RAW, DLT_NULL, DLT_LOOP,
                           DLT_PPP,    DLT_IEEE802_11, DLT_IEEE802_11_RADIO};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct packet packet;

    if (bytes == 0)
        return 0;
    if (dissect(&packet, link_find(dlts[data[0] % (sizeof dlts / sizeof dlts[0])]), data + 1, bytes - 1)
        != DISSECT_OK)
        return 0;
    if (packet.data < data || packet.data + packet.data_bytes > data + bytes
        || packet.data_bytes > packet.arrival.payload_bytes)
        abort();
    return 0;
}
