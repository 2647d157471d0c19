"""What scikit-learn offers for the same kernel matrix, with its own settings."""

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.extmath import randomized_svd

import measure
from problem import FEATURES, GAMMA, NNZ, RANK, SEED, Approximation


def nystroem(path):
    """Features of all rows, one for each landmark row."""
    return features(Nystroem(gamma=GAMMA, n_components=FEATURES, random_state=SEED), path)


def rbf_sampler(path):
    """Random Fourier features of all rows."""
    return features(RBFSampler(gamma=GAMMA, n_components=FEATURES, random_state=SEED), path)


def features(transformer, path):
    return Approximation.of(transformer.fit_transform(np.load(path)))


def nystroem_file(path):
    """The features of nystroem, and a file of them beside the rows."""
    f = Nystroem(gamma=GAMMA, n_components=FEATURES, random_state=SEED).fit_transform(np.load(path))
    np.save(path + ".features.npy", f)
    return Approximation.of(f)


def nystroem_truncated(path):
    """The RANK leading singular vectors of the features from NNZ RANK landmark rows."""
    f = Nystroem(gamma=GAMMA, n_components=NNZ * RANK, random_state=SEED).fit_transform(np.load(path))
    _, vectors = scipy.linalg.eigh(f.T @ f, subset_by_index=(f.shape[1] - RANK, f.shape[1] - 1))
    return Approximation.of(f @ vectors)


def kernel_pca(path):
    """50 components, by randomized_svd: the solver that is chosen by default for so
    many, LAPACK's, takes ten times as long for the same error. Kernel PCA
    approximates the centred matrix: the means are added back."""
    pca = KernelPCA(RANK, kernel="rbf", gamma=GAMMA, eigen_solver="randomized", random_state=SEED)
    u = pca.fit_transform(np.load(path))
    mean, means = pca._centerer.K_fit_all_, pca._centerer.K_fit_rows_
    ones = np.ones_like(means)
    return Approximation.of(np.column_stack([u, means, ones]), np.column_stack([u, ones, means - mean]))


def svd(path):
    """randomized_svd of the kernel matrix, which is made first and kept whole."""
    u, sigma, vt = randomized_svd(rbf_kernel(np.load(path), gamma=GAMMA), RANK, random_state=SEED)
    return Approximation.of(u, vt.T, sigma)


def eigsh(path):
    """The leading eigenvectors of the kernel matrix, which is made first and kept whole."""
    values, u = scipy.sparse.linalg.eigsh(rbf_kernel(np.load(path), gamma=GAMMA), RANK)
    return Approximation.of(u, values=values)


if __name__ == "__main__":
    measure.main(__doc__, {"nystroem": nystroem, "rbf-sampler": rbf_sampler, "kernel-pca": kernel_pca,
                           "randomized-svd": svd, "eigsh": eigsh,
                           "nystroem-file": nystroem_file, "nystroem-truncated": nystroem_truncated})
