"""Prints the Markdown table of what run.py and peers.sh gathered.

    table.py RUNS ERRORS

RUNS has the lines of run.py; ERRORS has work, tool, rows and error between tabs.
The first tool of each work and number of rows is the one that the others are
compared with.
"""

import statistics
import sys


def main():
    errors = {tuple(line[:3]): line[3] for line in lines(sys.argv[2])}
    runs = {}
    for line in lines(sys.argv[1]):
        runs.setdefault(tuple(line[:3]), []).append([float(field) for field in line[3:]])
    base = {}
    print("| work | tool | n | median seconds | CPU seconds | whole process | peak RSS MB | error | ratio to nystream | of CPU seconds |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for (work, tool, n), costs in runs.items():
        seconds, cpu, whole, peak = zip(*costs)
        median, busy = statistics.median(seconds), statistics.median(cpu)
        first, first_busy = base.setdefault((work, n), (median, busy))
        print(f"| {work} | {tool} | {int(n):,} | {median:.3f} | {busy:.3f} | {statistics.median(whole):.3f}"
              f" | {max(peak):.0f} | {float(errors[work, tool, n]):.3g} | {median / first:.2f} | {busy / first_busy:.2f} |")


def lines(path):
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file]


if __name__ == "__main__":
    main()
