"""The estimators of nystream beside scikit-learn: accuracy, CPU seconds and peak memory.

    PYTHONPATH=python python3 bench/peers/estimators.py FOLDER svc satimage|letter
    PYTHONPATH=python python3 bench/peers/estimators.py FOLDER pipeline satimage|letter|abalone
    PYTHONPATH=python python3 bench/peers/estimators.py - transform
    PYTHONPATH=python python3 bench/peers/estimators.py - components

transform is Embedding(100) with 400 landmarks of 200,000 made rows of 16 numbers. components is KernelPCA of
10,000 made rows of 20 numbers; its score is the sum of ten eigenvalues, divided by the rows. FOLDER has satimage.scale,
letter.scale and abalone.data; the command nystream is on PATH. svc compares a linear classifier on
an Embedding with an exact SVC. pipeline compares Classifier, or for abalone Ridge, from
a Parquet file, with Nystroem and ridge regression, from an array. Each runs in its own process, which
imports what it uses: peaks of memory are its own.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context

import numpy as np

import nystream


def rows(folder, name):
    """Return rows and what is known of them, to learn from and to score: 3 of 4 rows, and the others."""
    if name == 'abalone':
        table = np.genfromtxt(os.path.join(folder, 'abalone.data'), delimiter=',', usecols=range(1, 9))
        x, y = table[:, :-1], table[:, -1]
    elif name == 'letter':
        table = np.loadtxt(os.path.join(folder, 'letter.scale'))
        y, x = table[:, 0].astype(int), table[:, 1:]
    else:
        from sklearn.datasets import load_svmlight_file
        x, y = load_svmlight_file(os.path.join(folder, name + '.scale'))
        x, y = x.toarray(), y.astype(int)
    order = np.arange(len(y)) if name == 'letter' else np.random.default_rng(1).permutation(len(y))
    train, test = np.split(order, [len(y) * 3 // 4])
    return x[train], y[train], x[test], y[test]


def used():
    both = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in both), max(u.ru_maxrss for u in both) / 1024


def timed(say, work):
    wall, (cpu, _) = time.time(), used()
    score = work()
    score = 'score %.4f, ' % score if score else ''
    print('%-56s %s%.1f s, %.1f CPU s, peak %.0f MiB'
          % (say, score, time.time() - wall, used()[0] - cpu, used()[1]), flush=True)


def apart(*work):
    """Run each function in a process of its own."""
    for run in work:
        process = get_context('fork').Process(target=run)
        process.start()
        process.join()


def components():
    from sklearn.decomposition import KernelPCA
    x = np.random.default_rng(1).normal(size=(10000, 20)) * 0.8 ** np.arange(20)
    theirs = KernelPCA(10, kernel='rbf', gamma=0.1, eigen_solver='randomized', random_state=1)
    ours = {'KernelPCA(10), %d landmarks' % n: nystream.KernelPCA(10, gamma=0.1, n_landmarks=n, scale='none')
            for n in (40, 500)}
    for say, pca in {**ours, 'scikit-learn KernelPCA(10)': theirs}.items():
        apart(lambda: timed(say, lambda: pca.fit_transform(x) is not None and pca.eigenvalues_.sum() / len(x)))


def transform():
    x = np.random.default_rng(1).normal(size=(200000, 16))
    embedding = nystream.Embedding(100, n_landmarks=400, scale='none')

    def apply():
        embedding.transform(x)

    timed('fit', lambda: embedding.fit(x) and None)
    for _ in range(3):
        timed('transform', apply)


def compare_svc(data):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    x, y, xt, yt = data
    exact = SVC(C=10, gamma='scale')
    timed('SVC(C=10)', lambda: exact.fit(x, y).score(xt, yt))
    for rank in 100, 300:
        for steps in ((StandardScaler(), LogisticRegression(max_iter=1000)),
                      (LogisticRegression(C=100, max_iter=1000),)):
            linear = make_pipeline(nystream.Embedding(rank, scale='none'), *steps)
            say = 'Embedding(%d), %s' % (rank, re.sub('(, )?max_iter=1000', '', ', '.join(map(str, steps))))
            timed(say, lambda: linear.fit(x, y).score(xt, yt))


def compare_pipeline(data, landmarks=1000):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    x, y, xt, yt = data
    with tempfile.TemporaryDirectory() as folder:
        for name, values, labels in ('train', x, y), ('test', xt, yt):
            file = os.path.join(folder, name)
            header = ','.join(['x%d' % i for i in range(x.shape[1])] + ['y'])
            np.savetxt(file + '.csv', np.column_stack([values, labels]), '%.17g', ',', header=header, comments='')
            convert = ['nystream', 'convert', file + '.csv', file + '.parquet', '--quiet']
            subprocess.run(convert, check=True, stdout=subprocess.DEVNULL)
        train, test = (os.path.join(folder, n + '.parquet') for n in ('train', 'test'))
        numbers = y.dtype.kind == 'f'
        ours = (nystream.Ridge if numbers else nystream.Classifier)(n_landmarks=landmarks)
        ridge = (RidgeCV if numbers else RidgeClassifierCV)(np.logspace(-6, 3, 10))
        features = Nystroem(gamma=0.5 / x.shape[1], n_components=landmarks, random_state=1)
        theirs = make_pipeline(StandardScaler(), features, ridge)
        say = type(ours).__name__ + ', a Parquet file'
        apart(lambda: timed(say, lambda: ours.fit(train, 'y').score(test, 'y')),
              lambda: timed('Nystroem, ' + type(ridge).__name__, lambda: theirs.fit(x, y).score(xt, yt)))


if __name__ == '__main__' and sys.argv[2] in ('transform', 'components'):
    {'transform': transform, 'components': components}[sys.argv[2]]()
elif __name__ == '__main__':
    {'svc': compare_svc, 'pipeline': compare_pipeline}[sys.argv[2]](rows(sys.argv[1], sys.argv[3]))
