# SPDX-License-Identifier: BSD-3-Clause
"""page.py TREE DIRECTORY: draws the pictures of docs/python.md, by what stands there."""
import pathlib
import re
import sys

import matplotlib
import numpy as np

import pprec

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "pprec", "svg.fonttype": "none", "font.size": 9, "axes.grid": True,
                            "grid.color": "#dddddd", "figure.figsize": (7, 3.3), "figure.constrained_layout.use": True})
from matplotlib import pyplot as plt  # noqa: E402

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#777777"


def legend(figure):
    """Below the axes, as in the pictures of plots/."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    named = dict(zip(labels, handles))  # what is drawn often is named once
    figure.legend(named.values(), named, loc="outside lower center", ncols=3, frameon=False)


def squeezed(svg):
    """The same to a tenth of a point: matplotlib writes six decimals, long names, and the style of each marker."""
    for number, name in enumerate(sorted(set(re.findall(r'id="([a-z][0-9a-f]{10})"', svg)))):
        svg = svg.replace(name, "i%d" % number)
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"\d+\.\d{2,}", lambda n: "%.4g" % round(float(n[0]), 1), tag[0]), svg)
    svg = re.sub(r'(<g clip-path="[^"]*")>((?:\s*<use [^>]*style="([^"]*)"/>)+)',
                 lambda run: '%s style="%s">%s' % (run[1], run[3], re.sub(r' style="[^"]*"|(?<=\n) +', "", run[2])), svg)
    return re.sub(r"\s*\n(?=L |\" clip-path)", "", svg)


def arrival_curves(tree):
    frames = pprec.read(tree / "tests/vectors/lab-srt-3-over-10.pcap", packets=True).to_pandas()
    figure, axes = plt.subplots()
    for _, packets in frames.packets.groupby("train"):
        if len(packets) >= 6:
            axes.plot(packets["offset_ns"] / 1e6, packets["bytes"].cumsum() / 1e3, ".-", color=BLUE, lw=0.8, ms=4, zorder=3,
                      label="a burst of 6 packets and more")
    capacity = frames.summaries["capacity_bps"].iloc[0]
    axes.axline((0, 1.378), slope=capacity / 8e6, color=ORANGE, lw=3, label="capacity, %.2f Mbit/s" % (capacity / 1e6))
    axes.set(xlabel="since the train's first packet (ms)", ylabel="arrived (kB)", xlim=(0, None), ylim=(0, None))
    return figure


def rates_of_scenarios(tree):
    names = ["forward_none", "forward_5ftp", "forward_10ftp", "forward_20ftp", "forward_40ftp"]
    reading = pprec.read([tree / "tests/vectors/ns3" / (name + ".pcap.gz") for name in names])
    trains = reading.to_pandas().trains
    figure, axes = plt.subplots()
    groups = [of["rate_bps"].dropna() / 1e6 for _, of in trains.groupby("file", sort=False, observed=True)]
    parts = axes.violinplot(groups, showmedians=True, points=60)
    parts["bodies"][0].set_label("how often each rate was read")
    parts["cmedians"].set_label("median, and both ends")
    axes.axhline(1, color=ORANGE, label="capacity")
    axes.set(yscale="log", ylabel="rate of pairs (Mbit/s)", xlabel="TCP flows beside them")
    axes.set_xticks(range(1, 6), ["0", "5", "10", "20", "40"])
    axes.set_yticks([0.3, 0.5, 1, 2, 5], ["0.3", "0.5", "1", "2", "5"])
    axes.minorticks_off()
    return figure


def pushed(_):
    rng = np.random.default_rng(7)
    lengths = np.where(np.arange(400) % 4 == 3, 16, 2)
    batch = pprec.arrivals(lengths.sum())
    train = np.repeat(np.arange(400), lengths)
    position = np.concatenate([np.arange(length) for length in lengths])
    frame_ns = np.where(train < 200, 1200000, 2400000)  # 1500 bytes at 10, then at 5 Mbit/s
    batch["source"] = pprec.endpoint_array("192.0.2.1:40000")
    batch["kind"], batch["stream"], batch["train"] = pprec.Kind.PROBE, 1, train
    batch["seq"], batch["position"] = np.arange(len(batch)), position
    batch["train_length"] = np.repeat(lengths, lengths)
    batch["payload_bytes"] = 1454
    batch["sent_ns"] = train * 100000000
    batch["received"]["ns"] = batch["sent_ns"] + position * frame_ns + rng.integers(0, 20000, len(batch))
    batch["received"]["clock"], batch["received"]["source"] = pprec.Clock.OTHER, pprec.Timestamps.USER
    batch["departure_train"], batch["departure_span_ns"] = train - 1, np.where(train > 0, 20000, pprec.UNKNOWN_NS)

    with pprec.Stream(keep=("trains",)) as stream:
        stream.push(batch)
        stream.finish()
        trains = stream.table("trains").to_pandas()

    figure, axes = plt.subplots()
    seconds = (trains["time"] - trains["time"].iloc[0]).dt.total_seconds()
    axes.plot(seconds, trains["rate_bps"] / 1e6, ".", color=GREY, ms=3, label="trains")
    axes.plot(seconds, trains["capacity_bps"] / 1e6, color=GREEN, label="estimate")
    axes.set(xlabel="time (s)", ylabel="rate (Mbit/s)")
    return figure


def main():
    tree, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name, draw in (("python-curves", arrival_curves), ("python-rates", rates_of_scenarios), ("python-pushed", pushed)):
        figure = draw(tree)
        legend(figure)
        picture = directory / (name + ".svg")
        figure.savefig(picture, metadata={"Date": None})
        picture.write_text(squeezed(picture.read_text()))
        print("%s: %d bytes" % (picture.name, picture.stat().st_size))


main()
