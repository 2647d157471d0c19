"""Models of nystream in Python: one file that needs NumPy alone.

    m = nystream.load('m.npz')
    u = m.transform(x)          # what nystream transform writes
    labels = m.predict(x)       # of a model of fit askls

    from sklearn.pipeline import make_pipeline
    p = make_pipeline(nystream.Embedding(kernel='rbf(gamma=median)', rank=50), LogisticRegression())

Embedding, Projection and Classifier follow the conventions of scikit-learn and do without
it; their fit calls the command nystream with the rows in a temporary .npy file.

nystream help python prints this file, and nystream help model what is in an archive.
"""

import ast
import json
import os
import re
import subprocess
import tempfile
import warnings

import numpy as np

# --- kernels

_of_squares = {  # functions of the squared distance
    'rbf': lambda q, gamma=None, sigma2=None, sigma=None: -q * (gamma if gamma is not None else 1 / (sigma2 if sigma2 is not None else sigma ** 2)),
    'gaussian': lambda q, sigma: -q / (2 * sigma ** 2),
    'exponential': lambda q, gamma: -gamma * np.sqrt(q),
    'matern12': lambda q, length=1: -np.sqrt(q) / length,
    'matern32': lambda q, length=1: (1 + np.sqrt(3 * q) / length) * np.exp(-np.sqrt(3 * q) / length),
    'matern52': lambda q, length=1: (1 + np.sqrt(5 * q) / length + 5 * q / (3 * length ** 2)) * np.exp(-np.sqrt(5 * q) / length),
    'rq': lambda q, alpha=1, length=1: (1 + q / (2 * alpha * length ** 2)) ** -alpha,
    'cauchy': lambda q, length=1: 1 / (1 + q / length ** 2),
    'multiquadric': lambda q, length=1: np.sqrt(1 + q / length ** 2),
    'imq': lambda q, length=1: 1 / np.sqrt(1 + q / length ** 2),
    'squared': lambda q: -q,
    'multiquadratic': lambda q, c=1: -np.sqrt(q + c ** 2),
    'csrbf': lambda q, sigma2, theta, v: np.exp(-q / sigma2) * np.maximum(0, 1 - np.sqrt(q) / theta) ** v,
    'sne': lambda q, gamma: -q / gamma ** 2,
    't': lambda q: -np.log1p(q),
}
_of_products = {  # functions of the inner product
    'linear': lambda p: p,
    'poly': lambda p, gamma, degree=3, coef0=1: (gamma * p + coef0) ** degree,
    'polynomial': lambda p, degree=3, c=1: (p + c) ** degree,
    'sigmoid': lambda p, gamma, coef0=1: np.tanh(gamma * p + coef0),
    'expdot': lambda p, scale=1: scale * p,
    'relu': lambda p: np.maximum(0, p),
    'softmax': lambda p, scale: scale * p,
}
_exponents = {'rbf', 'gaussian', 'exponential', 'matern12', 'laplace', 'sne', 't', 'expdot', 'softmax'}  # above as logarithms


def kernel(text, logs=False):
    """Return the kernel that meta['kernel'] names, or its logarithm, as a function of rows a and rows b."""
    return lambda a, b: _value(ast.parse(text, mode='eval').body, np.asarray(a, float), np.asarray(b, float), logs)


def _value(node, a, b, logs):
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        left, right = _value(node.left, a, b, logs), _value(node.right, a, b, logs)
        if isinstance(node.op, ast.Add):
            return np.logaddexp(left, right) if logs else left + right
        return left + right if logs else left * right
    if isinstance(node, ast.Name):
        node = ast.Call(node, [], [])
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        value = np.array(ast.literal_eval(node))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
        value = _call(node.func.id, {k.arg: ast.literal_eval(k.value) for k in node.keywords}, a, b)
        if node.func.id in _exponents:
            return value if logs else np.exp(value)
    else:
        raise ValueError('a kernel that this file does not know: ' + ast.dump(node))
    return np.log(value, where=value > 0, out=np.full(value.shape, -np.inf)) if logs else value


def _call(name, parameters, a, b):
    if name in _of_squares:
        squares = np.zeros((len(a), len(b)))
        for j in range(a.shape[1]):  # column by column: three dimensions at once would take too much memory
            squares += np.subtract.outer(a[:, j], b[:, j]) ** 2
        return _of_squares[name](squares, **parameters)
    if name in _of_products:
        return _of_products[name](a @ b.T, **parameters)
    if name == 'laplace':
        return -parameters['gamma'] * sum(np.abs(np.subtract.outer(a[:, j], b[:, j])) for j in range(a.shape[1]))
    if name == 'cosine':
        length = np.sqrt(np.outer((a ** 2).sum(1), (b ** 2).sum(1)))
        return np.divide(a @ b.T, length, out=np.zeros_like(length), where=length > 0)
    raise ValueError('a kernel that this file does not know: ' + name)


# --- rows of a model


def read(path):
    m = dict(np.load(path))
    meta = m.pop('meta.json')
    return json.loads(meta if isinstance(meta, bytes) else meta.tobytes()), m


def prepare(meta, m, x, side='left', words=()):
    """Rows in the units of the data, in the order of meta['data']['columns'], as the method saw them. words are
    the columns of text, in the order of the categories."""
    x, given = np.asarray(x, float), meta['data'].get('input')
    if side == 'right' and given == 'matrix':
        return x
    p = 'right_' if side == 'right' and given == 'pairs' else ''
    bits = [~np.isfinite(x[:, m[p + 'column_missing']])] if p + 'column_missing' in m else []
    if p + 'column_fill' in m:
        x = np.where(np.isfinite(x), x, m[p + 'column_fill'])
    categories = meta['data'].get(p + 'categories', {'encoding': '', 'columns': []})
    levels = [np.array([[w == v for v in c['levels']] for w in column], bool).reshape(len(x), -1)
              for c, column in zip(categories['columns'], words, strict=True)]
    if categories['encoding'] == 'ordinal':  # no level is -1
        x = np.hstack([x] + [((b * np.arange(1, b.shape[1] + 1)).sum(1) - 1.)[:, None] for b in levels])
    else:
        bits = levels + bits
    if p + 'column_shift' in m:
        x = (x - m[p + 'column_shift']) * m[p + 'column_factor']
    if p + 'column_knots' in m:
        x = np.stack([quantile(k, v) for k, v in zip(m[p + 'column_knots'], x.T)], 1)
    return np.hstack([x] + bits)


def quantile(knots, v):
    """The place of v among ascending knots, from 0 to 1; equal knots share their mean place."""
    last, first, end = len(knots) - 1, np.searchsorted(knots, v), np.searchsorted(knots, v, 'right')
    i = np.clip(first, 1, last)
    with np.errstate(all='ignore'):
        between = i - 1 + (v - knots[i - 1]) / (knots[i] - knots[i - 1])
    place = np.where(end > first, (first + end - 1) / 2, between) / last
    return np.where(v <= knots[0], 0, np.where(v >= knots[-1], 1, place))


def landmarks(k, m, h, x, p='u_'):
    """u(x) of prepared rows, k the kernel and h = meta['left']; v(x) with meta['right'] and p = 'v_'."""
    e = h.get('unit', 1) * k(x, m[p + 'landmarks'])
    if p + 'sketch_value' in m:
        c = np.zeros((e.shape[1], h['sketch']['columns']))
        c[np.arange(len(c)), m[p + 'sketch_column']] = m[p + 'sketch_value']
        e = e @ c
        for i, j in zip(m[p + 'landmark_rows'], range(len(c))):
            if i < len(x) and (x[i] == m[p + 'landmarks'][j]).all():  # a landmark, at its row number of the fit
                e[i] -= h.get('range_shift', 0) * c[j]
    e = e @ m[p + 'projection']
    return e @ m[p + 'refinement'] if p + 'refinement' in m else e


def fourier(m, x, p='u_'):
    """u(x) of prepared rows, of random features."""
    phase = (x - m[p + 'centre']) @ m[p + 'frequencies'].T
    e = np.hstack([np.cos(phase), np.sin(phase)]) / np.sqrt(phase.shape[1])
    e = e @ m[p + 'projection']
    return e @ m[p + 'refinement'] if p + 'refinement' in m else e


def project(m, x):
    """XW of prepared rows."""
    return x @ m['w']


def functions(meta, m, x, side='left'):
    """Functions of prepared rows: left0, left1, ..., of complex ones all real parts first."""
    at = side if side in meta and meta[side] else 'left'
    f = {n[len(at + '_features_'):]: v for n, v in m.items() if n.startswith(at + '_features_')}
    h = meta[at]
    u = fourier(f, x) if h['left'].get('features') else landmarks(kernel(h['kernel']), f, h['left'], x)
    y = (u * np.sqrt(f['values'])) @ m[side]
    return y - m[side + '_offsets'] if side + '_offsets' in m else y


def divides(text):
    """Whether a kernel is divided by the sum of its row, over all rows of the right side."""
    found = re.search(r'(^|[^a-z_0-9])(sne|t|softmax)\b', text)
    if found and found.start(2) > 0:
        raise NotImplementedError(text + ' with a weight: use nystream transform')
    return bool(found)


def asymmetric(k, m, h, x, side='left', divided=False):
    """u(x) of prepared rows, h = meta['left'], or v(x); divided is divides(meta['kernel']), and k then gives logarithms."""
    p = 'u_' if side == 'left' else 'v_'
    if p + 'map' in m:
        x = x @ m[p + 'map']
    z = m[p + 'landmarks']
    g = k(x, z) if side == 'left' else k(z, x).T
    if divided and side == 'right':
        g = np.exp(np.minimum(g - m['v_log_sums'], 0))  # a new row may outweigh the sum
    elif divided:
        over = k(x, m['u_all']) if 'u_all' in m else g + np.log(m['u_weights'])
        g = np.exp(np.minimum(g - np.logaddexp.reduce(over, 1, keepdims=True), 0))
    if p + 'means' in m:
        if p + 'all' in m:
            raise NotImplementedError('means over all rows of a source: use nystream transform')
        g = g - (g * m[p + 'weights']).sum(1, keepdims=True) / m[p + 'weights'].sum() - m[p + 'means'] + h.get('grand_mean', 0)
    return g @ m[p + 'projection']


def decisions(meta, m, x):
    """A number for each class, the largest of which wins, of prepared rows."""
    h = meta['functions']
    divided = divides(h['kernel'])
    k = kernel(h['kernel'], divided)
    s = asymmetric(k, m, h['left'], x, 'left', divided) + m['source_bias']
    t = asymmetric(k, m, h['right'], x, 'right', divided) + m['target_bias']
    return merge(meta, m, s, t)


def merge(meta, m, s, t):
    """One decision of those of source and target."""
    if meta['merge'] == 'stack':
        return m['stack'][:, 0] * s + m['stack'][:, 1] * t + m['stack'][:, 2]
    return {'source': s, 'target': t}.get(meta['merge'], (s + t) / 2)


def decide(meta, m, k, back):
    """A number for each class of samples, k of their entries K(x, x_j) with all samples j of the fit, back of K(x_j, x)."""
    s = k[:, m['train']] @ m['source_duals'] + m['source_bias']
    t = back[:, m['train']] @ m['target_duals'] + m['target_bias']
    return merge(meta, m, s, t)


def adjacency(g, a):
    """The matrix between nodes of a[i, j], the sum of the weights of the edges from i to j; g = meta['data']['graph']."""
    loops = np.diag(np.diag(a))
    a = a - loops
    if g.get('undirected'):
        a = a + a.T
    a = a + {'keep': loops, 'add': loops + np.eye(len(a)), 'drop': 0}[g['self_loops']]
    if g.get('simple'):
        a = (a != 0) * 1.0
    out, into = a.sum(1, keepdims=True), a.sum(0, keepdims=True)
    out, into = np.where(out == 0, 1, out), np.where(into == 0, 1, into)
    return a / {'none': 1, 'row': out, 'in': into, 'symmetric': np.sqrt(out * into)}[g['degrees']]


def unpacked(m, h):
    """The arrays of a ksvd model of a graph with whole rows for sparse ones, as asymmetric takes them; h = meta['left']."""
    m = dict(m)
    for n in [n[:-len('_start')] for n in m if n.endswith('_start')]:
        start = m[n + '_start']
        m[n] = np.zeros((len(start) - 1, h['dimension']))
        m[n][np.repeat(np.arange(len(start) - 1), np.diff(start)), m[n + '_index']] = m.get(n + '_value', 1)
    return m


def mapped(meta, m, x, side='left'):
    """Where the plan takes prepared rows of a side, among those of the other."""
    p, f = side + '_', meta.get('factors')
    if p + 'points' in m:  # the exact engine
        k, z = kernel(meta['kernel'], True), m[p + 'points']
        g = (k(x, z) if side == 'left' else k(z, x).T) / meta['epsilon'] + m[p + 'logs']
        g = np.exp(g - g.max(1, keepdims=True))
        return g / g.sum(1, keepdims=True) @ z
    d = ((x ** 2).sum(1)[:, None] + (m[p + 'near'] ** 2).sum(1) - 2 * x @ m[p + 'near'].T).argmin(1)
    y = x + m[p + 'moves'][d]  # as the nearest fitted row is
    if p + 'coefficients' not in m:
        return y
    h, at = (f['right'], 'v_') if side == 'right' and 'right' in f else (f['left'], 'u_')
    part = {n[len('factors_'):]: v for n, v in m.items() if n.startswith('factors_')}
    s = (fourier(part, x, at) if h.get('features') else landmarks(kernel(f['kernel']), part, h, x, at)) @ m[p + 'coefficients']
    if p + 'corrections' in m:
        s += kernel(f['kernel'])(x, m[p + 'corrections']) @ m[p + 'correction_values']
    with np.errstate(divide='ignore', invalid='ignore'):
        z = m[p + 'centre'] + s[:, 1:] / s[:, :1]
    good = (s[:, 0] > 0) & (z >= m[p + 'low']).all(1) & (z <= m[p + 'high']).all(1)
    return np.where(good[:, None], z, y)


def entries(meta, m, a):
    """u of new rows of entries of an explicit matrix, with its map."""
    name, scale = re.match(r'(\w+)(?:\(scale=(.*)\))?$', meta['map']).groups()
    a = a * float(scale or 1)
    a = {'identity': lambda a: a, 'relu': lambda a: np.maximum(0, a),
         'sigmoid': lambda a: np.exp(-np.logaddexp(0, -a))}.get(name, getattr(np, name, None))(a)
    a = a @ m['projection']
    return a @ m['refinement'] if 'refinement' in m else a


# --- models


class Model:
    """A model that nystream has made. meta is its meta.json, arrays its arrays."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self.meta, self.arrays = read(self.path)
        if self.meta.get('format') != 'nystream model' or self.meta.get('version') != 1:
            raise ValueError('%s: not a model that this file reads, but %s, version %s' % (self.path, self.meta.get('format'), self.meta.get('version')))
        self.columns = self.meta['data'].get('columns')
        self.classes_ = np.array(self.meta['data'].get('classes', []))

    def transform(self, x, side='left'):
        """Return what nystream transform writes of rows x, a matrix or a table with named columns.

        Rows of a model of a graph are those of adjacency, or of its transpose for the right side,
        with a column for each node of the fit. Of askls, rows for a graph or a kernel matrix have
        the entries from a sample to those of the fit, and behind them the entries from those to it."""
        meta, m = self.meta, self.arrays
        method = meta['method']
        x = prepare(meta, m, self._rows(x, side), side)
        if not np.isfinite(x).all():
            raise ValueError('Input contains NaN or infinity: rows to transform are finite')
        if method == 'ism':
            return project(m, x)
        if method in ('operator', 'rkhs'):
            return functions(meta, m, x, side)
        if method == 'transport':
            return mapped(meta, m, x, side)
        if 'map' in meta and side == 'left':
            return entries(meta, m, x)
        if method == 'askls' and 'functions' in meta:
            return decisions(meta, m, x)
        if method == 'askls':
            n = meta['nodes']
            if x.shape[1] != 2 * n:
                raise ValueError('rows have %d columns, and the model takes %d: the entries from a sample to all %d, and from these to it' % (x.shape[1], 2 * n, n))
            return decide(meta, m, x[:, :n], x[:, n:])
        if method == 'ksvd' and meta[side].get('sparse'):
            if x.shape[1] != meta[side]['dimension']:
                raise ValueError('rows have %d columns, and the model takes %d, one for each node of the fit' % (x.shape[1], meta[side]['dimension']))
            m = unpacked(m, meta[side])
        if method == 'ksvd' and meta['compatibility'] in ('identity', 'pinv'):
            divided = divides(meta['kernel'])
            return asymmetric(kernel(meta['kernel'], divided), m, meta[side], x, side, divided)
        h, p = (meta['right'], 'v_') if side == 'right' and 'right' in meta else (meta.get('left'), 'u_')
        if method == 'ksvd' or 'map' in meta or h is None:
            raise NotImplementedError('%s: models of this kind (%s) are applied by nystream transform' % (self.path, method))
        return fourier(m, x, p) if h.get('features') else landmarks(kernel(meta['kernel']), m, h, x, p)

    def decision_function(self, x):
        if self.meta['method'] != 'askls':
            raise NotImplementedError('%s: models of %s choose no classes' % (self.path, self.meta['method']))
        return self.transform(x)

    def predict(self, x):
        """Return the class of each row, as text, for a model of fit askls."""
        return self.classes_[self.decision_function(x).argmax(1)]

    def _rows(self, x, side):
        names = self.columns
        if side == 'right' and self.meta['data'].get('input') == 'pairs':
            names = self.meta['data'].get('right_columns')
        if names and hasattr(x, 'columns') and side in ('left', 'right'):
            x = x[list(names)]
        x = np.asarray(x, float)
        if x.ndim != 2:
            raise ValueError('rows are a matrix; reshape it')
        return x


def load(path):
    """Return the model in a file."""
    return Model(path)


# --- estimators


class _Estimator:
    """What the estimators share: parameters are attributes of the same name, as scikit-learn has it."""

    _parameters = ()

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **parameters):
        for name, value in parameters.items():
            if name not in self._parameters:
                raise ValueError('%s has no parameter %s' % (type(self).__name__, name))
            setattr(self, name, value)
        return self

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, ', '.join('%s=%r' % p for p in self.get_params().items()))

    def _fit(self, method, x, labels=None, **flags):
        """Run nystream fit on rows, and load the model that it makes."""
        names, x = _names(x), _matrix(x)
        if not np.isfinite(x).all():
            raise ValueError('Input contains NaN or infinity: fill or drop such rows first')
        with tempfile.TemporaryDirectory() as folder:
            rows, model = os.path.join(folder, 'rows.npy'), os.path.join(folder, 'model.npz')
            np.save(rows, x)
            command = [self.command or 'nystream', 'fit', method, rows, '-o', model, '--quiet']
            if labels is not None:
                file = os.path.join(folder, 'labels.txt')
                with open(file, 'w', encoding='utf-8') as f:
                    f.writelines('c%d\n' % label for label in labels)
                command += ['--label', file]
            flags['seed'] = self.seed
            for name, value in flags.items():
                if value is not None:
                    command += ['--' + name.replace('_', '-'), str(value)]
            command += list(self.options or ())
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
            if done.returncode:
                raise RuntimeError(done.stderr.strip() or 'nystream ended with exit code %d' % done.returncode)
            self.model_ = load(model)
        self.n_features_in_ = x.shape[1]
        vars(self).pop('feature_names_in_', None)
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def _fitted(self):
        if not hasattr(self, 'model_'):
            raise _not_fitted(type(self).__name__)
        return self.model_

    def _model(self, x):
        self._fitted()
        self._check_names(_names(x), list(getattr(self, 'feature_names_in_', [])))
        x = _matrix(x)
        if x.shape[1] != self.n_features_in_:
            raise ValueError('X has %d features, but %s is expecting %d features as input' % (x.shape[1], type(self).__name__, self.n_features_in_))
        return self.model_, x

    def _check_names(self, names, seen):
        """Refuse names that are not those of the fit, in the words of scikit-learn."""
        if bool(names) != bool(seen):
            say = 'X %s feature names, but %s was fitted %s feature names'
            how = ('has', type(self).__name__, 'without') if names else ('does not have valid', type(self).__name__, 'with')
            warnings.warn(say % how, stacklevel=4)
        elif names != seen:
            say = 'The feature names should match those that were passed during fit.\n'
            new, lost = sorted(set(names) - set(seen)), sorted(set(seen) - set(names))
            for what, some in (('unseen at fit time', new), ('seen at fit time, yet now missing', lost)):
                if some:
                    say += 'Feature names %s:\n' % what + ''.join('- %s\n' % n for n in some[:5]) + '- ...\n' * (len(some) > 5)
            if not new and not lost:
                say += 'Feature names must be in the same order as they were in fit.\n'
            raise ValueError(say)

    def __sklearn_is_fitted__(self):
        return hasattr(self, 'model_')

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags, TransformerTags
        chooses = hasattr(self, 'predict')
        return Tags(estimator_type='classifier' if chooses else None, target_tags=TargetTags(required=chooses), input_tags=InputTags(),
                    classifier_tags=ClassifierTags() if chooses else None, transformer_tags=None if chooses else TransformerTags())


def _not_fitted(name):
    say = 'This %s instance is not fitted yet. Call fit first.' % name
    try:
        from sklearn.exceptions import NotFittedError
        return NotFittedError(say)
    except ImportError:
        return ValueError(say)


def _warn_of_column():
    say = 'A column-vector y was passed when a 1d array was expected.'
    try:
        from sklearn.exceptions import DataConversionWarning as kind
    except ImportError:
        kind = UserWarning
    warnings.warn(say, kind, stacklevel=3)


def _names(x):
    """Return the names of the columns of a table, none unless all are text."""
    names = list(getattr(x, 'columns', ()))
    return names if all(isinstance(n, str) for n in names) else []


def _matrix(x):
    """Return x as rows of numbers, or raise ValueError."""
    if hasattr(x, 'toarray'):
        raise TypeError('sparse rows are not taken: pass a dense array')
    x = np.asarray(x)
    if np.iscomplexobj(x):
        raise ValueError('Complex data not supported')
    x = x.astype(float)
    if x.ndim != 2:
        raise ValueError('Expected 2D array, got %dD array instead. Reshape your data' % x.ndim)
    if 0 in x.shape:
        what, found = ('sample', x.shape[0]) if x.shape[0] == 0 else ('feature', x.shape[1])
        raise ValueError('Found array with %d %s(s) (shape=%s) while a minimum of 1 is required.' % (found, what, x.shape))
    return x


class Embedding(_Estimator):
    """Low-rank embedding of rows by nystream fit METHOD: columns u·√|values|, so that inner
    products of embedded rows approximate the kernel; with scaled=False the columns of U.

    options is a list of more flags, such as ['--scale', 'standard']; command the program."""

    _parameters = ('kernel', 'rank', 'method', 'seed', 'scaled', 'options', 'command')
    _estimator_type = None

    def __init__(self, kernel='rbf(gamma=median)', rank=10, method='landmark', seed=1, scaled=True, options=None, command=None):
        self.kernel, self.rank, self.method, self.seed = kernel, rank, method, seed
        self.scaled, self.options, self.command = scaled, options, command

    def fit(self, X, y=None):
        return self._fit(self.method, X, kernel=self.kernel, rank=self.rank)

    def transform(self, X):
        model, x = self._model(X)
        u = model.transform(x)
        return u * np.sqrt(np.abs(model.arrays['values'])) if self.scaled else u

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features=None):
        return np.array(['u%d' % i for i in range(len(self._fitted().arrays['values']))], dtype=object)


class Projection(_Estimator):
    """Interpretable projection of rows by nystream fit ism, from labels."""

    _parameters = ('dim', 'seed', 'options', 'command')

    def __init__(self, dim=2, seed=1, options=None, command=None):
        self.dim, self.seed, self.options, self.command = dim, seed, options, command

    def fit(self, X, y):
        classes, labels = np.unique(np.asarray(y), return_inverse=True)
        return self._fit('ism', X, labels=labels, dim=self.dim)

    def transform(self, X):
        model, x = self._model(X)
        return model.transform(x)

    def fit_transform(self, X, y):
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features=None):
        return np.array(['xw%d' % i for i in range(self._fitted().arrays['w'].shape[1])], dtype=object)


class Classifier(_Estimator):
    """Classifier from a kernel that need not be symmetric, by nystream fit askls."""

    _parameters = ('kernel', 'C', 'seed', 'options', 'command')
    _estimator_type = 'classifier'

    def __init__(self, kernel='rbf(gamma=median)', C=None, seed=1, options=None, command=None):
        self.kernel, self.C, self.seed, self.options, self.command = kernel, C, seed, options, command

    def fit(self, X, y):
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            _warn_of_column()
            y = y[:, 0]
        if y.dtype.kind == 'f' and (y != np.floor(y)).any():
            raise ValueError('Unknown label type: labels are classes, and these are numbers with fractions')
        if y.ndim != 1 or len(y) != len(_matrix(X)):
            raise ValueError('y needs one label for each row')
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError('y has one class; two are the least')
        return self._fit('askls', X, labels=labels, kernel=self.kernel, C=self.C)

    def decision_function(self, X):
        model, x = self._model(X)
        d = model.decision_function(x)
        order = np.argsort([int(c[1:]) for c in model.classes_])  # the file numbers labels as text
        d = d[:, order]
        return d[:, 1] - d[:, 0] if len(self.classes_) == 2 else d

    def predict(self, X):
        d = self.decision_function(X)
        return self.classes_[(d > 0).astype(int) if d.ndim == 1 else d.argmax(1)]

    def score(self, X, y):
        return float(np.mean(self.predict(X) == np.asarray(y)))
