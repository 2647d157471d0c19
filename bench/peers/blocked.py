"""The one-pass S3SPSD of Nystream in blocked NumPy: rows read by the block,
buffers made once, every step in place, memory that does not grow with n.

  model        one pass; leaves what `nystream fit s3spsd` leaves
  factors      a second pass writes U to a file, as with --factors
  *-threads    the same with blocks shared among threads, one BLAS thread each;
               otherwise one loop, and BLAS has the threads

The range comes from the eigenvalues of the Gram matrix, which squares the
condition number of the sketch. Here that is about 30, and does no harm;
Nystream's QR stands any condition number.
"""

import os
import sys

THREADS = len(os.sched_getaffinity(0)) if "-threads" in "".join(sys.argv[1:2]) else 1
if THREADS > 1:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when NumPy is loaded

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import measure
from problem import GAMMA, NNZ, RANK, SEED, SKETCH, Approximation, paper_shift, rbf, sparse_sign

BLOCK = 2048 if THREADS > 1 else 4096  # rows; the fastest of 512 to 16384


class Rows:
    """The rows of an .npy file. They are read, not mapped: mapped pages would count
    as memory of the process."""

    def __init__(self, path):
        header = np.load(path, mmap_mode="r")
        self.shape, self.offset, self.stride = header.shape, header.offset, header.strides[0]
        self.file = os.open(path, os.O_RDONLY)

    def read(self, start, out):
        """Fills out with the rows from start on."""
        os.preadv(self.file, [out], self.offset + start * self.stride)

    def take(self, rows):
        """The rows with the given numbers."""
        out = np.empty((len(rows), self.shape[1]))
        for row, place in zip(rows.tolist(), out):
            os.preadv(self.file, [place], self.offset + row * self.stride)
        return out


class Sketch:
    """Y = AC for the rows of x, by blocks."""

    def __init__(self, x, rows, signs):
        self.x, self.rows, self.signs = x, rows, signs
        self.landmarks = landmarks = x.take(rows.ravel())
        # 2xy - |x|^2 - |y|^2 is one product of [x, |x|^2, 1] and [2y, -1, -|y|^2].
        self.exponent = GAMMA * np.column_stack(
            [2 * landmarks, -np.ones(len(landmarks)), -np.einsum("ij,ij->i", landmarks, landmarks)]).T.copy()

    def blocks(self, part, parts):
        """First row and rows of Y of every block of one part of the rows. The
        rows are in a buffer that the next block takes over."""
        n, d = self.x.shape
        read = np.empty((BLOCK, d))
        left = np.ones((BLOCK, d + 2))
        kernel = np.empty((BLOCK, self.rows.size))
        y = np.empty((BLOCK, RANK))
        for start in range(part * BLOCK, n, parts * BLOCK):
            b = min(BLOCK, n - start)
            rows, k = left[:b], kernel[:b]
            self.x.read(start, read[:b])
            rows[:, :d] = read[:b]
            np.einsum("ij,ij->i", read[:b], read[:b], out=rows[:, d])
            np.dot(rows, self.exponent, out=k)
            np.exp(k, out=k)
            fold(k, self.signs, y[:b])
            yield start, y[:b]

    def gram(self):
        """Y'Y."""
        def add(part):
            total, product = np.zeros((RANK, RANK)), np.empty((RANK, RANK))
            for _, y in self.blocks(part, THREADS):
                total += np.dot(y.T, y, out=product)
            return total
        return sum(in_threads(add))

    def at(self, rows, alpha):
        """The given rows of Y - alpha C."""
        y = fold(rbf(self.x.take(rows), self.landmarks), self.signs)
        subtract_marked(y, rows, self, alpha)
        return y


def fold(k, signs, out=None):
    """k times a sparse-sign matrix, k having one column per nonzero."""
    return np.einsum("ijk,jk->ik", k.reshape(len(k), *signs.shape), signs, out=out)


def in_threads(work):
    """work(0), work(1), ..., one call per thread."""
    if THREADS == 1:
        return [work(0)]
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def subtract_marked(y, rows, sketch, alpha):
    """Takes alpha C off rows of Y that have the given numbers."""
    place = {int(row): i for i, row in enumerate(rows)}
    for row, sign, column in zip(sketch.rows.ravel(), sketch.signs.ravel(), np.tile(np.arange(RANK), NNZ)):
        if int(row) in place:
            y[place[int(row)], column] -= alpha * sign


def whitener(gram):
    """P such that (Y P)'(Y P) = I, from the Gram matrix of Y."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > 1e-14 * values[-1]
    return vectors[:, keep] / np.sqrt(values[keep])


def least_squares_core(z, b):
    """W and beta >= 0 that make Z ~ B W B' + beta I, by least squares."""
    u, sigma, vt = np.linalg.svd(b, full_matrices=False)
    m = u.T @ z @ u
    beta = max(0.0, (np.trace(z) - np.trace(m)) / (len(z) - len(m)))
    p = vt.T / sigma
    return p @ (m - beta * np.eye(len(m))) @ p.T, beta


def fit(path):
    """One pass. Returns the sketch, its shift, P and the eigenvalues, and beta, of the
    approximation (Y - shift C) P diag(values) P' (Y - shift C)' + beta I."""
    x = Rows(path)
    rng = np.random.default_rng(SEED)
    sketch = Sketch(x, *sparse_sign(rng, x.shape[0], RANK))
    rows, s = sparse_sign(rng, x.shape[0], SKETCH)
    points = x.take(rows.ravel())
    z = fold(fold(rbf(points, points), s).T, s).T

    n = sketch.gram()
    t = fold(sketch.at(sketch.rows.ravel(), 0).T, sketch.signs).T
    y_core = sketch.at(rows.ravel(), 0)
    _, beta = least_squares_core(z, fold(y_core.T, s).T @ whitener(n))
    shift = min(paper_shift(n, t), 0.5, 2 * beta)  # 0.5: half the mean of A's diagonal

    p = whitener(n - shift * (t + t.T) + shift**2 * np.eye(RANK))
    subtract_marked(y_core, rows.ravel(), sketch, shift)
    w, beta = least_squares_core(z, fold(y_core.T, s).T @ p)
    values, vectors = np.linalg.eigh(w)
    return sketch, shift, p @ vectors, np.maximum(values, -beta), beta


def model(path):
    """The model only: U is made for the rows that are asked for."""
    sketch, shift, p, values, beta = fit(path)

    def u(rows):
        return sketch.at(np.asarray(rows), shift) @ p
    return Approximation(lambda rows: u(rows) * values, u, beta)


def factors(path):
    """The model, and U in a file beside the rows."""
    sketch, shift, p, values, beta = fit(path)
    out = path + ".factors.npy"
    header = np.lib.format.open_memmap(out, "w+", float, (sketch.x.shape[0], p.shape[1]))
    offset, stride = header.offset, header.strides[0]
    file = os.open(out, os.O_WRONLY)

    def write(part):
        u = np.empty((BLOCK, p.shape[1]))
        for start, y in sketch.blocks(part, THREADS):
            os.pwrite(file, np.dot(y, p, out=u[: len(y)]), offset + start * stride)
    in_threads(write)
    marked = np.unique(sketch.rows)
    for row, u in zip(marked.tolist(), sketch.at(marked, shift) @ p):
        os.pwrite(file, u, offset + row * stride)
    os.close(file)
    u = np.load(out, mmap_mode="r")
    return Approximation.of(u, values=values, shift=beta)


if __name__ == "__main__":
    measure.main(__doc__, {"model": model, "model-threads": model, "factors": factors, "factors-threads": factors})
