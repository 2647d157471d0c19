"""The numbers of the part laplace by SciPy, from Gram matrices in memory: about 3 GB.

    python3 bench/paper5/dense.py $NYSTREAM_DATA
"""
import sys
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigs, eigsh
from scipy.spatial.distance import cdist

folder, gamma, ridge, count = sys.argv[1], 0.5, 1e-3, 6
x, y = (np.load(f"{folder}/bickley_{s}.npy").astype(float) for s in "XY")
n = len(x)
metric = sys.argv[2] if len(sys.argv) > 2 else "cityblock"


def gram(a, b):
    g = cdist(a, b, metric)
    g *= -gamma
    np.exp(g, out=g)
    g /= n
    return g


def show(what, values):
    print(what, *(f"{v.real:.12g}" if abs(v.imag) < 1e-13 else f"{v.real:.12g}{v.imag:+.12g}i" for v in values), flush=True)


def leading(multiply, symmetric):
    op = LinearOperator((n, n), matvec=multiply, dtype=float)
    values = (eigsh if symmetric else eigs)(op, k=count + 4, ncv=60, tol=1e-13, return_eigenvectors=False)
    return np.array(sorted(values, key=lambda v: (-abs(v), -v.real, -np.imag(v))))[:count]


gx = gram(x, x)
show("covariance eigen", leading(lambda v: gx @ v, True))
gy = gram(y, y)
show("cross-covariance svd", np.sqrt(leading(lambda v: gx @ (gy @ v), False)))
regular = gx.copy()
regular[np.diag_indices(n)] += ridge
cx = cho_factor(regular, overwrite_a=True)
show("cme svd", np.sqrt(leading(lambda v: cho_solve(cx, gy @ cho_solve(cx, gx @ v)), False)))
regular = gy.copy()
regular[np.diag_indices(n)] += ridge
cy = cho_factor(regular, overwrite_a=True)
show("cca svd", np.sqrt(leading(lambda v: cho_solve(cx, gx @ cho_solve(cy, gy @ v)), False)))
del gx, gy, cy
gyx = gram(y, x)
show("koopman and perron-frobenius eigen", leading(lambda v: cho_solve(cx, gyx @ v), False))
