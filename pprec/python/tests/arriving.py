# SPDX-License-Identifier: BSD-3-Clause
"""Trains across a link, as arrivals."""
import numpy as np

import pprec

SOURCE = "192.0.2.1:40000"


def link(capacity_bps, chance, trains=120, size_bytes=1000, long_every=4, long=16, late_ns=20000, stream=7,
         begins_ns=0):
    """Pairs and long trains, each gap what the link makes of a frame, each stamp late by chance."""
    lengths = [long if i % long_every == long_every - 1 else 2 for i in range(trains)]
    batch = pprec.arrivals(sum(lengths))
    frame_ns = round(size_bytes * 8e9 / capacity_bps)
    train = np.repeat(np.arange(trains), lengths)
    position = np.concatenate([np.arange(length) for length in lengths])
    sent_ns = begins_ns + train * 100000000
    batch["source"] = pprec.endpoint_array(SOURCE)
    batch["kind"], batch["stream"], batch["train"] = pprec.Kind.PROBE, stream, train
    batch["seq"], batch["position"] = np.arange(len(batch)), position
    batch["train_length"] = np.repeat(lengths, lengths)
    batch["payload_bytes"] = size_bytes - 46
    batch["received"]["ns"] = sent_ns + position * frame_ns + [chance.randrange(late_ns) for _ in batch]
    batch["received"]["clock"] = pprec.Clock.OTHER
    batch["received"]["source"] = pprec.Timestamps.USER
    batch["sent_ns"] = sent_ns
    batch["departure_train"] = train - 1
    batch["departure_span_ns"] = np.where(train > 0, 20000, pprec.UNKNOWN_NS)
    return batch
