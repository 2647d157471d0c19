"""Regressions and classifiers of `fit ridge` beside scikit-learn: error on test rows and CPU seconds.

    regression.py FOLDER letter|mnist|abalone|boosting|classes|kernels|size ...

Each word prints one Markdown table. FOLDER has the real data; the command nystream is on PATH, or NYSTREAM names it.
Our CPU seconds are those of the whole process of a fit, reading a Parquet file included. Python's are of fit alone, on
one thread, without the interpreter's start, imports and reading: all this favours the peer.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

for library in 'OPENBLAS', 'OMP':
    os.environ[library + '_NUM_THREADS'] = '1'  # read when NumPy is imported
if 'avx512f' in open('/proc/cpuinfo').read():
    os.environ['OPENBLAS_CORETYPE'] = 'SkylakeX'  # for an OpenBLAS that does not know the processor

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeClassifierCV
from sklearn.metrics import f1_score, pairwise_distances
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

FILES = {'letter': 'letter.scale', 'satimage': 'satimage.scale', 'yacht': 'yacht_hydrodynamics.data',
         'abalone': 'abalone.data', 'spambase': 'spambase.data', 'pima': 'pima-indians-diabetes.csv',
         'australian': 'australian.dat', 'mnist': 'mnist_t10k.npy', 'ilpd': 'ilpd.csv', 'wine': 'wine.csv',
         'cancer': 'breast-cancer-wisconsin.csv', 'heart': 'heart.dat'}
CLASSED = 'ilpd', 'wine', 'cancer', 'pima', 'heart', 'australian', 'satimage', 'spambase', 'letter', 'a9a'


class Data:
    """Features and what is known of the rows: numbers to predict, or words for classes."""

    def __init__(self, folder, name):
        path = os.path.join(folder, FILES.get(name, name))
        if name == 'abalone':
            table = pd.read_csv(path, header=None)
            table[0] = table[0].map({'M': 1, 'F': 0, 'I': 0.5})
        elif name in ('yacht', 'letter', 'australian'):
            table = pd.read_csv(path, sep=r'\s+', header=0 if name == 'australian' else None)
        elif name == 'mnist':
            table = pd.DataFrame(np.load(path).reshape(10000, -1) / 255)
            table['y'] = np.load(os.path.join(folder, 'mnist_t10k_labels.npy'))
        elif name in ('satimage', 'a9a'):
            x, y = load_svmlight_file(path)
            table = pd.DataFrame(x.toarray()).assign(y=y)
        elif name == 'friedman':
            x = np.random.default_rng(1).uniform(size=(5000, 10))
            y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
            table = pd.DataFrame(x).assign(y=y + np.random.default_rng(2).normal(size=5000))
        else:
            header = None if name in ('pima', 'wine', 'cancer') else 0
            table = stones(20000) if name == 'stones' else pd.read_csv(path, header=header, na_values='?').dropna()
        if name == 'ilpd':
            table['gender'] = (table['gender'] == 'Male').astype(int)
        if name == 'letter':
            table = table[list(table.columns[1:]) + [0]]
        table.columns = ['x%d' % i for i in range(table.shape[1] - 1)] + ['y']
        self.name, self.table = name, table
        self.classes = name not in ('abalone', 'yacht', 'friedman', 'stones')
        if self.classes:
            table['y'] = ['c%d' % v for v in table['y']]

    def split(self, seed):
        """Return tables to learn from and to score: of letter and mnist the first rows, else 4 of 5 rows."""
        first = {'letter': 15000, 'mnist': 8000}.get(self.name)
        order = np.arange(len(self.table)) if first else np.random.default_rng(seed).permutation(len(self.table))
        train, test = np.split(order, [first or len(order) * 4 // 5])
        return self.table.iloc[train], self.table.iloc[test]

    def error(self, predicted, test):
        """Return the share of rows misclassified, or the root mean square error."""
        if self.classes:
            return np.mean(np.asarray(predicted, str) != test['y'])
        return np.sqrt(np.mean((np.asarray(predicted, float) - test['y']) ** 2))


def stones(rows):
    """Return made prices of cut stones: three columns of words, and steps of the price at round weights."""
    random = np.random.default_rng(1)
    carat = np.round(np.exp(random.normal(-0.4, 0.55, rows)), 2)
    cut, colour, clarity = (random.integers(0, n, rows) for n in (5, 7, 8))
    depth, table = random.normal(61.7, 1.4, rows), random.normal(57.5, 2.2, rows)
    size = 6.45 * carat ** (1 / 3) * (1 + random.normal(0, 0.005, rows))
    value = 7.8 + 1.7 * np.log(carat) + 0.03 * cut - 0.08 * colour * (1 + 0.3 * (carat > 1)) + 0.1 * clarity
    value += 0.1 * (carat >= 1) + 0.08 * (carat >= 1.5) - 0.004 * (depth - 61.7) ** 2
    price = np.round(np.exp(value + random.normal(0, 0.08, rows)))
    words = [['level%d' % v for v in codes] for codes in (cut, colour, clarity)]
    return pd.DataFrame(dict(zip('abcdefgh', [carat, *words, depth, table, size, price])))


def command(*args):
    """Run nystream and return its report and its CPU seconds."""
    program = [os.environ.get('NYSTREAM', 'nystream'), *map(str, args), '--format', 'json', '--quiet']
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit('%s: wait status %d' % (' '.join(program), status))
    return json.loads(output), usage.ru_utime + usage.ru_stime


def fitted(data, train, test, flags, asked=()):
    """Fit a file of training rows. Return predictions for test rows, the CPU seconds of the fit, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        for name, table in ('train', train), ('test', test.drop(columns='y')):
            table.to_csv(at(name + '.csv'), index=False)
            command('convert', at(name + '.csv'), at(name + '.parquet'))
        known = '--label' if data.classes else '--target', 'y'
        report, cpu = command('fit', 'ridge', at('train.parquet'), *known, '-o', at('m.npz'), *flags)
        command('predict', at('m.npz'), at('test.parquet'), '-o', at('p.csv'), *asked)
        return pd.read_csv(at('p.csv')), cpu, report


def ours(data, train, test, *flags):
    """Return the error of a fit on test rows, the CPU seconds of the fit, and its report."""
    predicted, cpu, report = fitted(data, train, test, flags)
    return data.error(predicted.iloc[:, 0], test), cpu, report


def theirs(data, train, test, model):
    """Fit a model of scikit-learn and return the error on test rows and the CPU seconds of the fit."""
    before = time.process_time()
    model.fit(train.drop(columns='y'), train['y'])
    after = time.process_time()
    return data.error(model.predict(test.drop(columns='y')), test), after - before


def table(*head):
    print('\n| %s |\n|%s' % (' | '.join(head), '---|' * len(head)), flush=True)


def row(*cells):
    print('| %s |' % ' | '.join('%.4g' % c if isinstance(c, float) else str(c) for c in cells), flush=True)


def beside_nystroem(data, gamma, landmarks):
    """The same kernel and as many landmarks, on columns as they are."""
    table('data', 'landmarks', 'tool', 'error', 'fit, CPU s', 'of ours')
    train, test = data.split(1)
    for count in landmarks:
        flags = '--scale', 'none', '--kernel', 'rbf(gamma=%g)' % gamma, '--landmarks', count
        error, cpu, _ = ours(data, train, test, *flags)
        row(data.name, count, 'nystream fit ridge', error, cpu, 1)
        features = Nystroem(gamma=gamma, n_components=count, random_state=1)
        peer = make_pipeline(features, RidgeClassifierCV(np.logspace(-6, 3, 10)))
        error, peer_cpu = theirs(data, train, test, peer)
        row(data.name, count, 'Nystroem, RidgeClassifierCV', error, peer_cpu, peer_cpu / cpu)


def beside_exact(data, landmarks, splits):
    """Means over splits, beside exact kernel ridge regression with a grid of penalties and widths."""
    table('data', 'tool', 'RMSE', 'beside exact', 'fit, CPU s', 'exact / it')
    results = []
    for seed in range(splits):
        train, test = data.split(seed)
        scaled = StandardScaler().fit_transform(train.drop(columns='y'))
        gamma = 1 / np.median(pairwise_distances(scaled[:1000], metric='sqeuclidean'))
        grid = {'kernelridge__alpha': [0.01, 0.1, 1, 10], 'kernelridge__gamma': gamma * np.array([0.25, 0.5, 1])}
        model = make_pipeline(StandardScaler(), KernelRidge(kernel='rbf'))
        mean = train['y'].mean()  # KernelRidge has no intercept
        tables = [t.assign(y=t['y'] - mean) for t in (train, test)]
        exact = theirs(data, *tables, GridSearchCV(model, grid, cv=5, scoring='neg_mean_squared_error'))
        flags = '--landmarks', landmarks, '--seed', seed + 1
        same = ours(data, train, test, '--kernel', 'rbf(gamma=0.25*median|0.5*median|median)', *flags)[:2]
        results.append([exact, same, ours(data, train, test, *flags)[:2]])
    means = np.mean(results, axis=0)
    names = 'KernelRidge, GridSearchCV', 'fit ridge, rbf of the same widths', 'fit ridge, default kernels'
    for name, (error, cpu) in zip(names, means):
        row(data.name, name, error, error / means[0, 0], cpu, means[0, 1] / cpu)


def beside_boosting(folder, splits):
    """Means over splits, beside gradient boosting with its own defaults."""
    table('data', 'fit ridge, error', 'boosting', 'ridge / boosting', 'fit ridge, CPU s', 'boosting')
    for name in 'yacht', 'abalone', 'friedman', 'spambase', 'stones':
        data = Data(folder, name)
        results = []
        for seed in range(splits):
            train, test = data.split(seed)
            boosting = HistGradientBoostingClassifier if data.classes else HistGradientBoostingRegressor
            model = boosting(random_state=seed)
            words = list(train.drop(columns='y').select_dtypes(object))
            if words:
                numbers = OrdinalEncoder().fit(data.table[words])
                model.set_params(categorical_features=[train.columns.get_loc(w) for w in words])
            code = lambda t: t.assign(**dict(zip(words, numbers.transform(t[words]).T))) if words else t
            flags = '--seed', seed + 1, '--categories', 'onehot' if words else 'none'
            results.append(ours(data, train, test, *flags)[:2] + theirs(data, code(train), code(test), model))
        error, cpu, peer, peer_cpu = np.mean(results, axis=0)
        row(name, error, peer, error / peer, cpu, peer_cpu)


def beside_classifiers(folder, most, splits):
    """Means over splits of up to a number of training rows, beside a support vector machine and boosting."""
    table('data', 'rows', 'classifier', 'error', 'log loss', 'macro F1')
    tools = 'fit ridge', 'SVC, C by GridSearchCV', 'boosting'
    for name in CLASSED:
        data = Data(folder, name)
        results = []
        for seed in range(splits):
            order = np.random.default_rng(seed).permutation(len(data.table))
            count = min(most, len(order) * 4 // 5)
            train, test = data.table.iloc[order[:count]], data.table.iloc[order[count:count + 4000]]
            predicted = fitted(data, train, test, ('--seed', seed + 1), ['--probabilities'])[0]
            shares = predicted.filter(like='probability_')
            classes = [c.removeprefix('probability_') for c in shares]
            results.append([judged(test, predicted['predicted'], shares.to_numpy(), classes)])
            features = train.drop(columns='y')
            folds = max(2, min(5, train['y'].value_counts().min()))
            search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {'svc__C': [0.3, 1, 3, 10, 30]}, cv=folds)
            c = search.fit(features, train['y']).best_params_['svc__C']
            machine = make_pipeline(StandardScaler(), SVC(C=c, probability=True, random_state=seed))
            for model in machine, HistGradientBoostingClassifier(random_state=seed):
                model.fit(features, train['y'])
                x = test.drop(columns='y')
                results[-1].append(judged(test, model.predict(x), model.predict_proba(x), list(model.classes_)))
        for tool, figures in zip(tools, np.mean(results, axis=0)):
            row(name, count, tool, *figures)


def judged(test, predicted, shares, classes):
    """Return the error, the log loss and the macro F1 of predictions. Classes without a training row have share 0."""
    places = [classes.index(c) if c in classes else -1 for c in test['y']]
    right = np.hstack([shares, np.zeros((len(shares), 1))])[range(len(places)), places]
    macro = f1_score(test['y'], np.asarray(predicted, str), average='macro', zero_division=0)
    return np.mean(test['y'] != np.asarray(predicted, str)), -np.mean(np.log(np.maximum(right, 1e-15))), macro


def default_kernels(folder):
    """Errors out of fold of kernels, each fitted alone: the default ones beside others."""
    table('data', 'rows', 'best default kernel', 'error', 'rbf(gamma=median)', 'beside default', 'best of 17',
          'default / best')
    others = {'rbf': (0.125, 0.25, 0.5, 1, 2, 4), 'laplace': (0.125, 1, 2), 'matern32': (1, 4), 'matern52': (1, 2)}
    kernels = ['laplace(gamma=0.25*median)', 'laplace(gamma=0.5*median)', 'matern32(length=2*median)',
               'matern52(length=4*median)']  # the default of fit ridge
    kernels += ['%s(%s=%g*median)' % (name, 'length' if name.startswith('matern') else 'gamma', times)
                for name, widths in others.items() for times in widths]
    for name in 'yacht', 'australian', 'pima', 'abalone', 'spambase', 'satimage', 'mnist', 'letter', 'a9a':
        data = Data(folder, name)
        train = data.table.iloc[:15000]
        fits = [ours(data, train, train[:1], '--landmarks', 500, '--kernel', k)[2]['kernels'][0] for k in kernels]
        errors = [fit.get('misclassified', fit['rmse'][0]) for fit in fits]
        best, median = int(np.argmin(errors[:4])), errors[kernels.index('rbf(gamma=1*median)')]
        row(name, len(train), '`%s`' % fits[best]['kernel'], errors[best], median, median / errors[best],
            min(errors), errors[best] / min(errors))


def size(rows):
    """Cost of a fit with 1,000 landmarks, beside a landmark fit of the same columns."""
    table('fit of %d × 20' % rows, 'CPU s', 'of the landmark fit', 'passes', 'kernel entries', 'error')
    with tempfile.TemporaryDirectory() as folder:
        x = np.random.default_rng(1).uniform(size=(rows, 20))
        files = [os.path.join(folder, name) for name in ('x.npy', 'y.npy', 'm.npz')]
        np.save(files[0], x)
        np.save(files[1], np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * np.random.default_rng(2).normal(size=rows))
        ridge = 'ridge', files[0], '--target', files[1], '--landmarks', 1000, '--folds', 5, '--scale', 'none'
        base = None
        for name, fit, kernel in (('landmark, rank 250', ('landmark', files[0], '--rank', 250), 'rbf(gamma=1)'),
                                  ('ridge, one kernel', ridge, 'rbf(gamma=1)'),
                                  ('ridge, three kernels', ridge, 'rbf(gamma=0.5|1|2)')):
            report, cpu = command('fit', *fit, '--kernel', kernel, '-o', files[2])
            base = base or cpu
            error = report['scores'][0]['rmse'] if 'scores' in report else '–'
            row(name, cpu, cpu / base, report['passes']['data'], report['kernel_entries'], error)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder')
    parts = {'letter': lambda: beside_nystroem(Data(args.folder, 'letter'), 0.74, (2000, 4000)),
             'mnist': lambda: beside_nystroem(Data(args.folder, 'mnist'), 0.02, (1000,)),
             'abalone': lambda: beside_exact(Data(args.folder, 'abalone'), 300, args.splits),
             'boosting': lambda: beside_boosting(args.folder, args.splits),
             'classes': lambda: beside_classifiers(args.folder, args.most, args.splits),
             'kernels': lambda: default_kernels(args.folder),
             'size': lambda: size(args.rows)}
    parser.add_argument('parts', nargs='+', choices=parts)
    parser.add_argument('--rows', type=int, default=200000, help='rows of size (default 200000)')
    parser.add_argument('--splits', type=int, default=5, help='splits of abalone, boosting and classes (default 5)')
    parser.add_argument('--most', type=int, default=1000, help='training rows of classes, at most (default 1000)')
    args = parser.parse_args()
    for part in args.parts:
        parts[part]()


if __name__ == '__main__':
    main()
