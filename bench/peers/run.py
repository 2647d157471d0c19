"""Runs a command once and appends what it cost to a table between tabs.

    run.py TABLE WORK TOOL ROWS COMMAND...

The fields are WORK, TOOL, ROWS, seconds, CPU seconds, seconds of the whole process, and
peak resident memory in MB (1e6 bytes). The first seconds are those that the command
prints, when it is one of the peers, or else those of the whole process, and so
are the CPU seconds. The
memory is the larger of the command's and some 10 MB, this program's own, from
which the command is started.
"""

import os
import subprocess
import sys
import time


def main():
    table, labels, command = sys.argv[1], sys.argv[2:5], sys.argv[5:]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    whole = time.perf_counter() - start
    if status != 0:
        sys.exit(f"run.py: {' '.join(command)} failed, wait status {status}")
    peer = output.rstrip("\n").split("\t")
    measured = len(peer) > 1
    if measured and len(peer) != 8:
        sys.exit(f"run.py: {' '.join(command)} printed {len(peer)} fields and measure.py prints 8")
    seconds = float(peer[2]) if measured else whole
    cpu = float(peer[3]) if measured else usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss * 1024 / 1e6
    with open(table, "a") as out:
        print(*labels, f"{seconds:.4f}", f"{cpu:.4f}", f"{whole:.4f}", f"{peak:.1f}", sep="\t", file=out)


if __name__ == "__main__":
    main()
