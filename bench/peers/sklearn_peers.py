"""What scikit-learn offers for the same kernel matrix, with its own settings."""

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.extmath import randomized_svd

import measure
from problem import GAMMA, RANK, SEED

FEATURES = 500


def nystroem(path):
    """Features of all rows from 500 landmark rows."""
    return features(Nystroem(gamma=GAMMA, n_components=FEATURES, random_state=SEED), path)


def rbf_sampler(path):
    """500 random Fourier features of all rows."""
    return features(RBFSampler(gamma=GAMMA, n_components=FEATURES, random_state=SEED), path)


def features(transformer, path):
    f = transformer.fit_transform(np.load(path))
    return lambda rows: f[rows] @ f[rows].T


def kernel_pca(path):
    """50 components, by randomized_svd: the solver that is chosen by default for so
    many, LAPACK's, takes ten times as long for the same error. Kernel PCA
    approximates the centred matrix: the means are added back."""
    pca = KernelPCA(RANK, kernel="rbf", gamma=GAMMA, eigen_solver="randomized", random_state=SEED)
    u = pca.fit_transform(np.load(path))
    mean, means = pca._centerer.K_fit_all_, pca._centerer.K_fit_rows_
    return lambda rows: u[rows] @ u[rows].T + means[rows][:, None] + means[rows] - mean


def svd(path):
    """randomized_svd of the kernel matrix, which is made first and kept whole."""
    u, sigma, vt = randomized_svd(rbf_kernel(np.load(path), gamma=GAMMA), RANK, random_state=SEED)
    return lambda rows: (u[rows] * sigma) @ vt[:, rows]


if __name__ == "__main__":
    measure.main(__doc__, {"nystroem": nystroem, "rbf-sampler": rbf_sampler, "kernel-pca": kernel_pca,
                           "randomized-svd": svd})
