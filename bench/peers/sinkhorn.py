"""Sinkhorn's iteration with a dense kernel matrix, by NumPy or by POT.

    python3 bench/peers/sinkhorn.py numpy|pot [--rows 10000] [--columns 8000] [--iterations 10]

The rows are uniform in a cube, the cost is 10 times the squared distance. Prints name,
size, seconds, CPU seconds, peak resident memory of the process in MB (1e6 bytes) and the
error of the masses of one side, summed, between tabs. nystream does the same work with

    nystream fit transport left.npy --right right.npy --kernel 'rbf(gamma=10)' --iterations 10 -o m.npz
"""

import argparse
import resource
import time

import numpy as np

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("tool", choices=["numpy", "pot"])
parser.add_argument("--rows", type=int, default=10000)
parser.add_argument("--columns", type=int, default=8000)
parser.add_argument("--rounds", type=int, default=10)
args = parser.parse_args()
if args.tool == "pot":
    import ot

random = np.random.default_rng(1)
x, y = random.random((args.rows, 3)), random.random((args.columns, 3))
a, b = np.full(args.rows, 1 / args.rows), np.full(args.columns, 1 / args.columns)
started, cpu = time.perf_counter(), time.process_time()


def cost():
    """The squared distances, in one matrix."""
    d = x @ y.T
    d *= -2
    d += (x * x).sum(1)[:, None]
    d += (y * y).sum(1)
    return d


if args.tool == "pot":
    plan = ot.sinkhorn(a, b, cost(), 0.1, numItermax=args.rounds, stopThr=0, warn=False)
    error = max(np.abs(plan.sum(1) - a).sum(), np.abs(plan.sum(0) - b).sum())  # it ends with the rows
else:
    kernel = cost()
    kernel *= -10
    np.exp(kernel, out=kernel)
    v = np.ones(args.columns)
    for _ in range(args.rounds):
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
    error = np.abs(u * (kernel @ v) - a).sum()

seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(args.tool, f"{args.rows} × {args.columns}", f"{seconds:.2f}", f"{cpu:.2f}", f"{peak:.0f}", f"{error:.3g}", sep="\t")
