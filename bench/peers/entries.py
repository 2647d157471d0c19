"""Exact entries of a kernel matrix, and the errors of approximations there.

    entries.py shape ROWS.npy                        rows, columns, 1/median of squared distances
    entries.py write ROWS.npy OUT.npy                keeps entries
    entries.py errors OUT.npy MODEL.npz U.npy SHIFT  errors of a model of nystream

It keeps all entries of up to 16,000 rows. Of more rows it keeps those between 3,000 rows
and 3,000 others, drawn uniformly: of so many rows the diagonal, which is not among
them, is a small part.
"""

import sys

import numpy as np

from problem import Approximation, rbf

ALL = 16_000  # rows, of which all entries are kept
SAMPLE = 3_000
VECTORS, ROUNDS = 8, 12  # of the subspace iteration
FROBENIUS = 1_500  # rows whose entries make the Frobenius norm


def median_gamma(path):
    """1 / the median of the squared distances between up to 2,000 rows."""
    x = np.load(path, mmap_mode="r")
    x = np.asarray(x[np.sort(np.random.default_rng(3).choice(len(x), min(2000, len(x)), replace=False))], float)
    squares = np.einsum("ij,ij->i", x, x)
    distances = (squares[:, None] + squares - 2 * x @ x.T)[np.triu_indices(len(x), 1)]
    return float(f"{1 / np.median(distances):.3g}")


def write(path, out):
    x = np.load(path, mmap_mode="r")
    rng = np.random.default_rng(0)
    if len(x) <= ALL:
        rows = columns = np.arange(len(x))
    else:
        drawn = rng.choice(len(x), 2 * SAMPLE, replace=False)
        rows, columns = np.sort(drawn[:SAMPLE]), np.sort(drawn[SAMPLE:])
    exact = np.lib.format.open_memmap(out, "w+", np.float32, (len(rows), len(columns)))
    right = np.asarray(x[columns], float)
    for start in range(0, len(rows), 1024):
        exact[start:start + 1024] = rbf(np.asarray(x[rows[start:start + 1024]], float), right)
    np.savez(out + ".at.npz", rows=rows, columns=columns)
    entries = Entries(out)
    np.savez(out + ".at.npz", rows=rows, columns=columns, norms=(entries.spectral_norm(), entries.frobenius_norm()))


class Entries:
    """The entries that write left in a file."""

    def __init__(self, path):
        self.exact = np.load(path, mmap_mode="r")
        at = np.load(path + ".at.npz")
        self.rows, self.columns = at["rows"], at["columns"]
        self.norms = at["norms"] if "norms" in at else None
        self.whole = self.exact.shape[0] == self.exact.shape[1] and np.array_equal(self.rows, self.columns)
        few = min(FROBENIUS, len(self.rows))
        self.some = np.sort(np.random.default_rng(1).choice(len(self.rows), few, replace=False))

    def errors(self, approximation):
        """The relative errors in the spectral and the Frobenius norm."""
        left = np.asarray(approximation.left(self.rows), np.float32)
        right = np.asarray(approximation.right(self.columns), np.float32)
        shift = np.float32(approximation.shift if self.whole else 0)
        return (self.spectral_norm(left, right, shift) / self.norms[0],
                self.frobenius_norm(left, right, shift) / self.norms[1])

    def spectral_norm(self, left=None, right=None, shift=np.float32(0)):
        """|A - left right' - shift I|_2 by subspace iteration: a lower bound, and near."""
        def residual(a, left, right, v):
            out = a @ v
            if left is not None:
                out -= left @ (right.T @ v) + (shift * v if self.whole else 0)
            return out
        v = np.random.default_rng(2).standard_normal((self.exact.shape[1], VECTORS)).astype(np.float32)
        for _ in range(ROUNDS):
            u = residual(self.exact, left, right, np.linalg.qr(v)[0])
            v = residual(self.exact.T, right, left, np.linalg.qr(u)[0])
        return np.linalg.norm(v, 2)

    def frobenius_norm(self, left=None, right=None, shift=np.float32(0)):
        """|A - left right' - shift I|_F over some rows and all columns."""
        total = 0.0
        for start in range(0, len(self.some), 256):
            rows = self.some[start:start + 256]
            difference = np.array(self.exact[rows])
            if left is not None:
                difference -= left[rows] @ right.T
                if self.whole:
                    difference[np.arange(len(rows)), rows] -= shift
            total += float(np.square(difference, dtype=float).sum())
        return np.sqrt(total)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["shape", rows]:
            print(*np.load(rows, mmap_mode="r").shape, median_gamma(rows))
        case ["write", rows, out]:
            write(rows, out)
        case ["errors", out, model, u, shift]:
            values = np.load(model)["values"]
            print(*Entries(out).errors(Approximation.of(np.load(u, mmap_mode="r"), values=values, shift=float(shift))))
        case _:
            sys.exit(__doc__)
