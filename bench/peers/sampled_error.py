"""The error measure of all tools, and a command that applies it to Nystream's.

    sampled_error.py ROWS.npy MODEL.npz U.npy [V.npy]

prints the error of A ~ U diag(values) V' + shift I, with V = U when not given.
"""

import sys

import numpy as np

from problem import Approximation, rbf

SAMPLE = 2000  # rows, or all when there are fewer


def off_diagonal_error(x, approximation):
    """|A - B|_F / |A|_F over the entries off the diagonal between 2000 sampled
    rows of x, B = approximation.between(rows, rows).

    All but n of the n^2 entries of A are off the diagonal, so this estimates the
    error of the whole matrix for large n. With the diagonal in it would not: among
    2000 rows the diagonal weighs 2000/n of that too much.
    """
    rows = np.sort(np.random.default_rng(0).choice(len(x), min(SAMPLE, len(x)), replace=False))
    exact = rbf(x[rows], x[rows])
    difference = exact - approximation.between(rows, rows)
    np.fill_diagonal(exact, 0)
    np.fill_diagonal(difference, 0)
    return np.linalg.norm(difference) / np.linalg.norm(exact)


def factors(model, u, v):
    """The approximation off the diagonal by factors on disk."""
    values = np.load(model)["values"]
    u, v = np.load(u, mmap_mode="r"), np.load(v, mmap_mode="r")
    return Approximation.of(u, v, values)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    data, archive, left = sys.argv[1:4]
    print(f"{off_diagonal_error(np.load(data, mmap_mode='r'), factors(archive, left, sys.argv[-1])):.4g}")
