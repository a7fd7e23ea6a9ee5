# SPDX-License-Identifier: BSD-3-Clause
"""bench.py TREE PPREC [COUNT]: the same captures through Spark on two cores, pprec-archive --jobs 2, and PPREC, two at
a time. CPU is that of all processes; Spark's JVM and workers, which nobody waits for, are counted by themselves before
they end."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "tests"))

WAYS = {
    "spark": """
import sys
from pyspark.sql import SparkSession
from pprec import spark
session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
           .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
           .config("spark.sql.shuffle.partitions", "4").config("spark.sql.session.timeZone", "UTC").getOrCreate())
session.sparkContext.setLogLevel("ERROR")
spark.run(session, sys.argv[1], sys.argv[2])
import os, pathlib
stats = {}
for place in pathlib.Path("/proc").glob("[0-9]*/stat"):
    try:
        words = place.read_text().rpartition(")")[2].split()
    except OSError:
        continue
    stats[int(place.parent.name)] = int(words[1]), sum(map(int, words[11:15]))
family, grown = {os.getpid()}, True
while grown:
    more = {pid for pid, (parent, _) in stats.items() if parent in family} - family
    family, grown = family | more, bool(more)
print("CPU", sum(stats[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK"))
""",
    "archive": "import sys; from pprec.archive import main; main(['--jobs', '2', '--to', sys.argv[2], sys.argv[1]])",
}


def cost(command):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True,
                         env={**os.environ, "PYSPARK_PYTHON": sys.executable})
    wall_s, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    told = [float(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("CPU ")]
    return wall_s, told[0] if told else after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    from test_spark import make
    tree, pprec = pathlib.Path(sys.argv[1]), sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    with tempfile.TemporaryDirectory() as room:
        captures = make(tree, pathlib.Path(room, "captures"), count)
        size = sum(path.stat().st_size for path in captures.rglob("*") if path.is_file())
        print("%d captures, %.1f MB" % (count, size / 1e6))
        ways = {name: [sys.executable, "-c", code, str(captures), str(pathlib.Path(room, name))] for name, code in WAYS.items()}
        jobs = subprocess.run([pprec, "--help"], capture_output=True, text=True, check=False).stdout
        ways["pprec, JSON"] = [pprec, "--jobs", "2", "--json", str(captures)] if "--jobs" in jobs else [
            "sh", "-c", "find '%s' -type f -print0 | xargs -0 -n 1 -P 2 '%s' --json -r" % (captures, pprec)]
        for name, command in ways.items():
            wall_s, cpu_s = cost(command)
            print("%-12s %7.1f s, %7.1f s of CPU, %6.1f ms a capture" % (name, wall_s, cpu_s, cpu_s / count * 1e3))
            again_s, cpu_s = cost(command) if name != "pprec, JSON" else (0, 0)
            if again_s:
                print("%-12s %7.1f s, %7.1f s of CPU, nothing to do" % (name + " again", again_s, cpu_s))


main()
