"""Runs a peer in a process of its own and prints one line about it.

The line has eight fields between tabs: name, rows, seconds and CPU seconds (medians
of the runs, without the start of the interpreter and imports), peak resident memory
of the process in MB (1e6 bytes) before any error was computed, relative errors in
the spectral and the Frobenius norm (nan when not asked for; --error gives the second
alone), and the CPU seconds that the start and the imports took.
"""

import argparse
import resource
import statistics
import time

import numpy as np

from sampled_error import off_diagonal_error


def main(description, methods):
    """methods maps a name to a function of a path. Such a function does the whole
    work, from reading the file, and returns a problem.Approximation."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("method", choices=methods)
    parser.add_argument("file", help="rows, .npy")
    parser.add_argument("--runs", type=int, default=1, help="runs to take the median of (default 1)")
    parser.add_argument("--error", action="store_true", help="compute the error off the diagonal on sampled rows")
    parser.add_argument("--entries", help="compute the errors in both norms on these, which entries.py wrote")
    args = parser.parse_args()
    imports = time.process_time()
    seconds, cpu, approximation = time_runs(methods[args.method], args.file, args.runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    spectral = frobenius = float("nan")
    if args.error:
        frobenius = off_diagonal_error(np.load(args.file, mmap_mode="r"), approximation)
    if args.entries:
        from entries import Entries
        spectral, frobenius = Entries(args.entries).errors(approximation)
    rows = len(np.load(args.file, mmap_mode="r"))
    print(args.method, rows, f"{seconds:.4f}", f"{cpu:.4f}", f"{peak:.0f}", f"{spectral:.4g}", f"{frobenius:.4g}", f"{imports:.4f}", sep="\t")


def time_runs(method, path, runs):
    """The median times of the runs, and what the last one returned."""
    seconds, cpu = [], []
    approximation = None
    for _ in range(runs):
        approximation = None  # or two results would be in memory
        start, began = time.perf_counter(), time.process_time()
        approximation = method(path)
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - began)
    return statistics.median(seconds), statistics.median(cpu), approximation
