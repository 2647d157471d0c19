"""Runs a peer in a process of its own and prints one line about it.

The line has five fields between tabs: name, rows, seconds (median of the runs,
without the start of the interpreter and imports), peak resident memory of the
process in MB (1e6 bytes) before any error was computed, and relative error
(nan without --error).
"""

import argparse
import resource
import statistics
import time

import numpy as np

from sampled_error import off_diagonal_error


def main(description, methods):
    """methods maps a name to a function of a path. Such a function does the whole
    work, from reading the file, and returns another, which takes row numbers and
    gives the approximation of the kernel matrix between those rows."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("method", choices=methods)
    parser.add_argument("file", help="rows, .npy")
    parser.add_argument("--runs", type=int, default=1, help="runs to take the median of (default 1)")
    parser.add_argument("--error", action="store_true", help="compute the error on sampled rows")
    args = parser.parse_args()
    seconds, approximation = time_runs(methods[args.method], args.file, args.runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    rows = np.load(args.file, mmap_mode="r")
    error = off_diagonal_error(rows, approximation) if args.error else float("nan")
    print(args.method, len(rows), f"{seconds:.4f}", f"{peak:.0f}", f"{error:.4g}", sep="\t")


def time_runs(method, path, runs):
    """The median time of the runs, and what the last one returned."""
    seconds = []
    approximation = None
    for _ in range(runs):
        approximation = None  # or two results would be in memory
        start = time.perf_counter()
        approximation = method(path)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), approximation
