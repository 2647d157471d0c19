"""The problem that every peer solves: the RBF kernel matrix of the rows of a file.
PEERS_GAMMA, PEERS_RANK and PEERS_FEATURES in the environment change it."""

import os
from typing import Callable, NamedTuple

import numpy as np

GAMMA = float(os.environ.get("PEERS_GAMMA", 1))  # kernel exp(-GAMMA |x - y|^2)
RANK = int(os.environ.get("PEERS_RANK", 50))  # c, columns of the sketch for the range
SKETCH = 5 * RANK  # s, columns of the sketch for the core
FEATURES = int(os.environ.get("PEERS_FEATURES", 500))  # of maps that have no rank
NNZ = 4  # z, nonzeros in each column of a sketch
SEED = 1


class Approximation(NamedTuple):
    """A ~ L R' + shift I: functions of row numbers that give those rows of L and R."""
    left: Callable
    right: Callable
    shift: float = 0.0

    @staticmethod
    def of(left, right=None, values=1.0, shift=0.0):
        """Of arrays: left diag(values) right' + shift I, right = left when not given."""
        right = left if right is None else right
        return Approximation(lambda rows: left[rows] * values, lambda rows: right[rows], shift)

    def between(self, rows, columns):
        """The entries off the diagonal between rows and columns."""
        return self.left(rows) @ self.right(columns).T


def rbf(x, y):
    """The kernel block between the rows of x and those of y, made in place."""
    k = x @ y.T
    k *= 2
    k -= np.einsum("ij,ij->i", x, x)[:, None]
    k -= np.einsum("ij,ij->i", y, y)
    np.minimum(k, 0, out=k)  # rounding may leave a distance below 0
    k *= GAMMA
    return np.exp(k, out=k)


def sparse_sign(rng, n, columns):
    """Algorithm 3, drawn without replacement over the whole matrix.

    Returns the NNZ x columns row numbers of the nonzeros, no two the same, and
    the nonzeros, +-1/sqrt(NNZ): the columns are orthonormal, as Theorems 2 and 3
    of the paper require.
    """
    rows = rng.choice(n, size=(NNZ, columns), replace=False)
    signs = rng.choice([-1.0, 1.0], size=(NNZ, columns)) / np.sqrt(NNZ)
    return rows, signs


def dense(signs):
    """The rows of a sparse-sign matrix that hold nonzeros, as a dense matrix."""
    return np.vstack([np.diag(s) for s in signs])


def paper_shift(n, t):
    """The shift of Algorithm 5, lines 5-11, from N = Y'Y and T = C'AC.

    At most 100 rounds, until the shift exceeds the smallest singular value of
    Y - shift C or changes by less than 1e-6 of itself.
    """
    alpha = 0.0
    for _ in range(100):
        smallest = np.linalg.eigvalsh(n - alpha * (t + t.T) + alpha**2 * np.eye(len(n)))[0]
        if smallest <= 0 or alpha > np.sqrt(smallest):
            break
        before, alpha = alpha, (np.sqrt(smallest) + alpha) / 2
        if alpha - before < 1e-6 * alpha:
            break
    return alpha
