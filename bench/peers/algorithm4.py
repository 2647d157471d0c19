"""Table I of paper 1 (Xie et al. 2023) for two photographs: Algorithm 4 in NumPy beside `fit ssrsvd`.

    python3 bench/peers/algorithm4.py FOLDER [autumn woods] [--pixels 8000] [--seeds 10]

FOLDER has the photographs as .jpg files; the command nystream is on PATH, or NYSTREAM names it. A is the kernel matrix
exp(-10·|x-y|²) between the colours x and y of pixels of the two. T is the transport plan after 10 of Sinkhorn's rounds
from A, and T̂ that from a low-rank Â. Errors are |A-Â|/|A| and |T-T̂|/|T| in the spectral norm. NumPy makes everything
but the factors of the command: the matrices, the sketches of Algorithm 4, the rounds and the errors.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image
from scipy.sparse import diags
from scipy.sparse.linalg import aslinearoperator, svds

RANK, SKETCH, NNZ, ROUNDS = 100, 300, 4, 10  # c = r, s, z and the rounds of the paper


def colours(folder, photograph, pixels, seed):
    """Return the colours, from 0 to 1, of pixels drawn without replacement."""
    image = np.asarray(Image.open(os.path.join(folder, photograph + '.jpg')).convert('RGB')).reshape(-1, 3)
    return image[np.random.default_rng(seed).choice(len(image), pixels, replace=False)] / 255


def kernel(x, y):
    """Return the kernel matrix between rows x and y."""
    a = np.zeros((len(x), len(y)))
    for j in range(x.shape[1]):
        d = np.subtract.outer(x[:, j], y[:, j])
        a -= np.multiply(d, d, out=d)
    a *= 10
    return np.exp(a, out=a)


def sketch(random, n, columns):
    """Algorithm 3, drawn without replacement: the rows with nonzeros, and those rows."""
    rows = random.permutation(n)[:NNZ * columns]
    c = np.zeros((NNZ * columns, columns))
    c[np.arange(NNZ * columns), np.repeat(np.arange(columns), NNZ)] = random.choice([-1, 1], NNZ * columns)
    return rows, c / np.sqrt(NNZ)


def algorithm4(a, c, seed):
    """Return L and R with A ≈ L·Rᵀ of rank c, by Algorithm 4 as printed."""
    random, s = np.random.default_rng(1000 + seed), c * SKETCH // RANK
    (columns, C), (rows, H) = sketch(random, a.shape[1], c), sketch(random, a.shape[0], c)
    (left, O), (right, S) = sketch(random, a.shape[0], s), sketch(random, a.shape[1], s)
    q = np.linalg.qr(a[:, columns] @ C)[0]
    p = np.linalg.qr(a[rows].T @ H)[0]
    z = O.T @ a[np.ix_(left, right)] @ S
    return q @ np.linalg.pinv(O.T @ q[left]) @ z @ np.linalg.pinv(p[right].T @ S), p


def fitted(folder, c, seed, *flags):
    """Return L and R of `fit ssrsvd` of the files x.npy and y.npy of a folder."""
    at = lambda name: os.path.join(folder, name)
    words = ['fit', 'ssrsvd', at('x.npy'), '--right', at('y.npy'), '--kernel', 'rbf(gamma=10)', '--rank', c,
             '--sketch', c * SKETCH // RANK, '--nnz', NNZ, '--seed', seed, '--quiet', '-o', at('m.npz'),
             '--left-factors', at('l.npy'), '--right-factors', at('r.npy'), *flags]
    subprocess.run([os.environ.get('NYSTREAM', 'nystream'), *map(str, words)], check=True, stdout=subprocess.DEVNULL)
    return np.load(at('l.npy')), np.load(at('r.npy'))


def norm(a):
    """Return the spectral norm of an operator to 1e-4, by simultaneous iteration."""
    x, before = np.random.default_rng(1).normal(size=(a.shape[1], 8)), 0
    for _ in range(60):
        y = a.matmat(np.linalg.qr(x)[0])
        now = np.linalg.norm(y, 2)
        if now - before <= 1e-4 * now:
            return now
        x, before = a.T.matmat(y), now
    return before


def sinkhorn(a):
    """Return the plan diag(u)·a·diag(v) between uniform masses, and whether a product was not positive."""
    (m, n), bad = a.shape, False
    v = np.ones(n)
    for _ in range(ROUNDS):
        p = a.matvec(v)
        u = 1 / (m * p)
        q = a.T.matvec(u)
        v = 1 / (n * q)
        bad |= min(p.min(), q.min()) <= 0
    return aslinearoperator(diags(u)) @ a @ aslinearoperator(diags(v)), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder')
    parser.add_argument('photographs', nargs='*', default=['autumn', 'woods'])
    parser.add_argument('--pixels', type=int, default=8000, help='of each photograph (default 8000)')
    parser.add_argument('--seeds', type=int, default=10, help='fits of a method (default 10)')
    args = parser.parse_args()
    if len(args.photographs) != 2:
        parser.error('name two photographs')
    x, y = (colours(args.folder, name, args.pixels, seed) for seed, name in enumerate(args.photographs, 1))
    c = min(RANK, args.pixels // 40)
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, 'x.npy'), x)
        np.save(os.path.join(folder, 'y.npy'), y)
        a = kernel(x, y)
        exact = aslinearoperator(a)
        plan, _ = sinkhorn(exact)
        sizes = norm(exact), norm(plan)

        def errors(l, r):
            """Return the relative errors of l·rᵀ and of its plan, and whether a product was not positive."""
            close = aslinearoperator(l) @ aslinearoperator(r).T
            moved, bad = sinkhorn(close)
            return norm(exact - close) / sizes[0], norm(plan - moved) / sizes[1], bad

        methods = {
            'Algorithm 4 in NumPy': lambda seed: algorithm4(a, c, seed),
            '`fit ssrsvd --leverage-rows 0`': lambda seed: fitted(folder, c, seed, '--leverage-rows', 0),
            '`fit ssrsvd`': lambda seed: fitted(folder, c, seed),
        }
        print('## %s → %s, %d × %d pixels, rank %d, s = %d\n' % (*args.photographs, *a.shape, c, c * SKETCH // RANK))
        print('| method | kernel: mean | median | worst | plan: mean | median | worst | seeds with products that are not positive |')
        print('|---|---|---|---|---|---|---|---|')
        for name, method in methods.items():
            report(name, [errors(*method(seed)) for seed in range(1, args.seeds + 1)])
        u, s, vt = svds(a, c, random_state=1)
        report('the best of rank %d' % c, [errors(u * s, vt.T)])


def report(name, results):
    """Print the row of a method."""
    kernels, plans, bad = zip(*results)
    figures = ['%.1e' % of(errors) for errors in (kernels, plans) for of in (np.mean, np.median, np.max)]
    print('|', ' | '.join([name, *figures, '%d of %d' % (sum(bad), len(bad))]), '|', flush=True)


if __name__ == '__main__':
    main()
