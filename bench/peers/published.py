"""S3SPSD and ssrSVD as published (Xie et al. 2023, Algorithms 5 and 4) in NumPy:
whole matrices in memory, every step one call of BLAS, LAPACK or NumPy."""

import numpy as np

import measure
from problem import RANK, SEED, SKETCH, Approximation, dense, paper_shift, rbf, sparse_sign


def s3spsd(path):
    """Algorithm 5: A ~ Y W Y' + alpha I."""
    x = np.load(path)
    rng = np.random.default_rng(SEED)
    rows, c = sketch_matrix(rng, len(x), RANK)
    y = rbf(x, x[rows]) @ c
    alpha = paper_shift(y.T @ y, c.T @ y[rows])
    y[rows] -= alpha * c
    y = np.linalg.svd(y, full_matrices=False)[0]

    rows, s = sketch_matrix(rng, len(x), SKETCH)
    z = s.T @ rbf(x[rows], x[rows]) @ s - alpha * np.eye(SKETCH)
    p = np.linalg.pinv(s.T @ y[rows])
    w = p @ z @ p.T
    return Approximation(lambda rows: y[rows] @ w, lambda rows: y[rows], alpha)


def ssrsvd(path):
    """Algorithm 4: A ~ U diag(sigma) V'. The symmetry of A is not used."""
    x = np.load(path)
    rng = np.random.default_rng(SEED)
    c_rows, c = sketch_matrix(rng, len(x), RANK)
    h_rows, h = sketch_matrix(rng, len(x), RANK)
    o_rows, o = sketch_matrix(rng, len(x), SKETCH)
    s_rows, s = sketch_matrix(rng, len(x), SKETCH)

    p = np.linalg.qr(rbf(x, x[h_rows]) @ h)[0]
    q = np.linalg.qr(rbf(x, x[c_rows]) @ c)[0]
    z = o.T @ rbf(x[o_rows], x[s_rows]) @ s
    w = np.linalg.pinv(o.T @ q[o_rows]) @ z @ np.linalg.pinv(p[s_rows].T @ s)
    u, sigma, vt = np.linalg.svd(w)
    u, v = q @ u, p @ vt.T
    return Approximation.of(u, v, sigma)


def sketch_matrix(rng, n, columns):
    """The numbers of the rows that hold nonzeros, and those rows."""
    rows, signs = sparse_sign(rng, n, columns)
    return rows.ravel(), dense(signs)


if __name__ == "__main__":
    measure.main(__doc__, {"s3spsd": s3spsd, "ssrsvd": ssrsvd})
