"""Models of nystream in Python: one file that needs NumPy alone.

    m = nystream.load('m.npz')
    u = m.transform(x)          # what nystream transform writes
    labels = m.predict(x)       # classes of fit askls, classes or numbers of fit ridge

nystream help python prints this file, and nystream help model what is in an archive. The
wheel of nystream has it too, with estimators for scikit-learn.
"""

import ast
import datetime
import json
import os
import re

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
_exponents = {'rbf', 'gaussian', 'exponential', 'matern12', 'laplace', 'kl', 'sne', 't', 'expdot', 'softmax'}  # computed as logarithms above


def kernel(text, logs=False):
    """Return the kernel named by meta['kernel'], or its logarithm, as a function of rows a and rows b."""
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
            d = np.subtract.outer(a[:, j], b[:, j])
            squares += np.multiply(d, d, out=d)
        return _of_squares[name](squares, **parameters)
    if name in _of_products:
        return _of_products[name](a @ b.T, **parameters)
    if name == 'laplace':
        return -parameters['gamma'] * sum(np.abs(np.subtract.outer(a[:, j], b[:, j])) for j in range(a.shape[1]))
    if name == 'cosine':
        length = np.sqrt(np.outer((a ** 2).sum(1), (b ** 2).sum(1)))
        return np.divide(a @ b.T, length, out=np.zeros_like(length), where=length > 0)
    if name == 'kl':
        p, q = (v / v.sum(1, keepdims=True) for v in (a, b))
        logs = [np.log(v, where=v > 0, out=np.zeros(v.shape)) for v in (p, q)]
        apart = np.maximum(0, (p * logs[0]).sum(1, keepdims=True) - p @ logs[1].T)
        return -parameters.get('a', 1) * np.where(p @ (q == 0).T > 0, np.inf, apart)
    raise ValueError('a kernel that this file does not know: ' + name)


# --- rows of a model


def read(path):
    m = dict(np.load(path))
    meta = m.pop('meta.json')
    return json.loads(meta if isinstance(meta, bytes) else meta.tobytes()), m


def numbers(x):
    """Return rows as float64. Masked values and nulls of pandas become NaN."""
    if isinstance(x, np.ma.MaskedArray):
        return x.astype(float).filled(np.nan)
    if hasattr(x, 'isna') and hasattr(x, 'to_numpy'):
        return x.to_numpy(float, na_value=np.nan)
    return np.asarray(x, float)


def date_of(name, dates):
    """Return the column of the rows behind a column of the model, and its part of a date: '' for the whole."""
    column, _, part = name.rpartition('.')
    return (column, part) if dates.get('as') == 'calendar' and column in dates['columns'] else (name, '')


def dated(x, part):
    """Return a column of dates and times as numbers: days since 1970, seconds of times since midnight and of durations, or
    a part of dates: year, dayofyear, weekday or hour."""
    x = moments(x)
    if x.dtype.kind == 'm':
        return x / np.timedelta64(1, 's')
    lost, days = np.isnat(x), x.astype('M8[D]')
    whole = days.astype('i8')
    rest = (x - days).astype('m8[ns]').astype('i8')
    year = days.astype('M8[Y]')
    value = {'': lambda: np.where(abs(whole) < 104, (whole * 86400_000_000_000 + rest) / 86400e9, whole + rest / 86400e9), 'year': lambda: year.astype('i8') + 1970,
             'dayofyear': lambda: (days - year.astype('M8[D]')).astype('i8') + 1, 'weekday': lambda: (whole + 3) % 7,
             'hour': lambda: rest // 3600_000_000_000}[part]()
    return np.where(lost, np.nan, value)


def moments(x):
    """Return a column of dates, times or durations of a frame as a NumPy array of that type."""
    x = np.asarray(x, 'M8[ns]' if getattr(x.dtype, 'tz', None) else None)
    if x.dtype.kind in 'Mm':
        return x
    cells = [c if isinstance(c, (str, datetime.date, datetime.time, datetime.timedelta)) and c == c else None for c in x.tolist()]
    cells = [datetime.datetime.combine(datetime.date.min, c) - datetime.datetime.min if isinstance(c, datetime.time) else c for c in cells]
    return np.array(cells, 'm8[us]' if any(isinstance(c, datetime.timedelta) for c in cells) else 'M8[us]')


def prepare(meta, m, x, side='left', words=()):
    """Prepare rows as in the fit: rows in the units of the data, in the order of meta['data']['columns'], and words, the
    columns of text, in the order of the categories."""
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
    """Return the rank of v among ascending knots, scaled to [0, 1]; equal knots share their mean rank."""
    last, first, end = len(knots) - 1, np.searchsorted(knots, v), np.searchsorted(knots, v, 'right')
    i = np.clip(first, 1, last)
    with np.errstate(all='ignore'):
        between = i - 1 + (v - knots[i - 1]) / (knots[i] - knots[i - 1])
    place = np.where(end > first, (first + end - 1) / 2, between) / last
    return np.where(v <= knots[0], 0, np.where(v >= knots[-1], 1, place))


def normalised(text, over, of):
    """The kernel that meta['kernel'] names, over its sums over rows that stand for so many: m['sums_rows'], meta['sums']['of']."""
    k, weight = kernel(text, True), float(text.split('*')[0]) if '*' in text else 1

    def entries(a, b):
        logs = k(a, b) - np.logaddexp.reduce(k(a, over), 1, keepdims=True) - np.log(of / len(over))
        return weight * np.exp(np.minimum(logs, 0))
    return entries


def landmarks(k, m, h, x, p='u_'):
    """u(x) of prepared rows, k the kernel and h = meta['left']; v(x) with meta['right'] and p = 'v_'."""
    near = m.get(p + 'origin', 0)
    a, b = x - near, m[p + 'landmarks'] - near
    e = h.get('unit', 1) * (k(b, a).T if h.get('transposed') else k(a, b))
    if p + 'sketch_value' in m:
        c = np.zeros((e.shape[1], h['sketch']['columns']))
        c[np.arange(len(c)), m[p + 'sketch_column']] = m[p + 'sketch_value']
        e = e @ c
        for i, j in zip(m[p + 'landmark_rows'], range(len(c))):
            if 0 <= i < len(x) and (x[i] == m[p + 'landmarks'][j]).all():  # a landmark, at its row number of the fit
                e[i] -= h.get('range_shift', 0) * c[j]
    e = e @ m[p + 'projection'] - m.get(p + 'centre_offset', 0)
    return e @ m[p + 'refinement'] if p + 'refinement' in m else e


def fourier(m, x, p='u_'):
    """u(x) of prepared rows, of random features."""
    phase = (x - m[p + 'centre']) @ m[p + 'frequencies'].T
    e = np.hstack([np.cos(phase), np.sin(phase)]) / np.sqrt(phase.shape[1])
    e = e @ m[p + 'projection']
    return e @ m[p + 'refinement'] if p + 'refinement' in m else e


def clusters(meta, m, x, u):
    """Return the cluster index of each row x with coordinates u = u(x)."""
    rows, k = prepare(meta, m, x), kernel(meta['kernel'])
    own = [k(row, row)[0, 0] for row in rows[:, None]]
    degree = np.maximum(u @ m['clusters_sums'] + meta['shift'], own)
    z = u @ m['clusters_directions'] / degree[:, None]
    return ((z[:, None] - m['clusters_centers']) ** 2).sum(2).argmin(1)


def project(m, x):
    """XW of prepared rows."""
    return x @ m['w']


def regression(meta, m, x):
    """Values of prepared rows, or a decision for each class."""
    if 'metric' in m:
        x = x @ m['metric'] if m['metric'].shape[1] > 1 else x * m['metric'][:, 0]
    return kernel(meta['kernel'])(x, m['landmarks']) @ m['coefficients'] + m['intercept']


def functions(meta, m, x, side='left'):
    """Return the functions left0, left1, ... of prepared rows; of complex ones, all real parts first."""
    at = side if side in meta and meta[side] else 'left'
    f = {n[len(at + '_features_'):]: v for n, v in m.items() if n.startswith(at + '_features_')}
    h = meta[at]
    u = landmarks(kernel(h['kernel']), f, h['left'], x)
    y = (u * np.sqrt(f['values'])) @ m[side]
    return y - m[side + '_offsets'] if side + '_offsets' in m else y


def divides(text):
    """Report whether a kernel is divided by its row sum, over all rows of the right side."""
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
    if 'origin' in m:
        x, z = x - m['origin'], z - m['origin']
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
    """Return the decision values of prepared rows, one for each class; the largest wins."""
    h = meta['functions']
    divided = divides(h['kernel'])
    k = kernel(h['kernel'], divided)
    s = asymmetric(k, m, h['left'], x, 'left', divided) + m['source_bias']
    t = asymmetric(k, m, h['right'], x, 'right', divided) + m['target_bias']
    return merge(meta, m, s, t)


def merge(meta, m, s, t):
    """Merge the decision values of source and target."""
    if meta['merge'] == 'stack':
        return m['stack'][:, 0] * s + m['stack'][:, 1] * t + m['stack'][:, 2]
    return {'source': s, 'target': t}.get(meta['merge'], (s + t) / 2)


def decide(meta, m, k, back):
    """Return the decision values of samples x: k has the entries K(x, x_j) with all samples j of the fit, back K(x_j, x)."""
    s = k[:, m['train']] @ m['source_duals'] + m['source_bias']
    t = back[:, m['train']] @ m['target_duals'] + m['target_bias']
    return merge(meta, m, s, t)


def adjacency(g, a):
    """Return the matrix between nodes: a[i, j] is the sum of the weights of the edges from i to j; g = meta['data']['graph']."""
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
    """Return the arrays of a ksvd model of a graph with dense rows, as asymmetric expects them; h = meta['left']."""
    m = dict(m)
    for n in [n[:-len('_start')] for n in m if n.endswith('_start')]:
        start = m[n + '_start']
        m[n] = np.zeros((len(start) - 1, h['dimension']))
        m[n][np.repeat(np.arange(len(start) - 1), np.diff(start)), m[n + '_index']] = m.get(n + '_value', 1)
    return m


def mapped(meta, m, x, side='left'):
    """Map prepared rows of one side to the other by the plan."""
    p, f = side + '_', meta.get('factors')
    if p + 'points' in m:  # the exact engine
        k, z = kernel(meta['kernel'], True), m[p + 'points']
        g = (k(x, z) if side == 'left' else k(z, x).T) / meta['epsilon'] + m[p + 'logs']
        g = np.exp(g - g.max(1, keepdims=True))
        return g / g.sum(1, keepdims=True) @ z
    d = ((x ** 2).sum(1)[:, None] + (m[p + 'near'] ** 2).sum(1) - 2 * x @ m[p + 'near'].T).argmin(1)
    y = x + m[p + 'moves'][d]  # as the nearest fitted row is
    h, at = (f['right'], 'v_') if side == 'right' and 'right' in f else (f['left'], 'u_')
    part = {n[len('factors_'):]: v for n, v in m.items() if n.startswith('factors_')}
    s = landmarks(kernel(f['kernel']), part, h, x, at) @ m[p + 'coefficients']
    if p + 'corrections' in m:
        s += kernel(f['kernel'])(x, m[p + 'corrections']) @ m[p + 'correction_values']
    with np.errstate(divide='ignore', invalid='ignore'):
        z = m[p + 'centre'] + s[:, 1:] / s[:, :1]
    good = (s[:, 0] > 0) & (z >= m[p + 'low']).all(1) & (z <= m[p + 'high']).all(1)
    return np.where(good[:, None], z, y)


def entries(meta, m, a):
    """Return u of new rows of an explicit matrix, after applying its element map to the entries."""
    name, scale = re.match(r'(\w+)(?:\(scale=(.*)\))?$', meta['map']).groups()
    a = a * float(scale or 1)
    a = {'identity': lambda a: a, 'relu': lambda a: np.maximum(0, a),
         'sigmoid': lambda a: np.exp(-np.logaddexp(0, -a))}.get(name, getattr(np, name, None))(a)
    a = a @ m['projection']
    return a @ m['refinement'] if 'refinement' in m else a


# --- models

_block = 50_000  # entries of a tile of the kernel matrix: what is held in memory, and fits a cache


class Model:
    """A saved model. meta is the content of its meta.json, arrays its arrays."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self.meta, self.arrays = read(self.path)
        if self.meta.get('format') != 'nystream model' or self.meta.get('version') != 1:
            raise ValueError('%s: not a model that this file reads, but %s, version %s' % (self.path, self.meta.get('format'), self.meta.get('version')))
        self.columns = self.meta['data'].get('columns')
        value = {'boolean': '1'.__eq__, 'integer': int, 'number': float}.get(self.meta['data'].get('class_kind'), str)
        self.classes_ = np.array([value(name) for name in self.meta['data'].get('classes', [])])

    def __repr__(self):
        return '<nystream model %s of fit %s, kernel %s>' % (self.path, self.meta['method'], self.meta.get('kernel', 'of its sides'))

    def feature_names(self):
        """Return the names of the columns of raw rows: those of numbers and dates, then those of text."""
        dates = self.meta['data'].get('dates', {})
        return list(dict.fromkeys(date_of(name, dates)[0] for name in self.columns or ())) + self.texts()

    def texts(self):
        """Return the names of the columns of text."""
        return [c['column'] for c in self.meta['data'].get('categories', {}).get('columns', ())]

    def transform(self, x, side='left', coordinates='scores'):
        """Return the embedding of rows x, a matrix or a table with named columns, as nystream transform does.
        coordinates, 'scores' or 'orthonormal', are for low-rank models.

        Rows of a model of a graph are those of adjacency, or of its transpose for the right side,
        with a column for each node of the fit. Of askls, rows for a graph or a kernel matrix have
        the entries from a sample to those of the fit, and behind them the entries from those to it."""
        x = self._rows(x, side)
        wide = max([x.shape[1]] + [a.shape[0] for a in self.arrays.values() if a.ndim])
        step, out = max(1, _block // wide), None
        for start in range(0, len(x), step):
            block = self._transform(x[start:start + step], side, start, coordinates)
            if out is None:
                out = np.empty((len(x), block.shape[1]))
            out[start:start + step] = block
        return self._transform(x, side, 0, coordinates) if out is None else out

    def _transform(self, x, side, start, coordinates='scores'):
        """Transform rows. start is the number of the first one."""
        meta, m = self.meta, self.arrays
        method = meta['method']
        m = {n: a - start if n.endswith('landmark_rows') else a for n, a in m.items()}
        x = prepare(meta, m, x, side)
        if not np.isfinite(x).all():
            raise ValueError('Input contains NaN or infinity: rows to transform are finite')
        if method == 'ism':
            return project(m, x)
        if method == 'ridge':
            return regression(meta, m, x)
        if method in ('operator', 'rkhs'):
            return functions(meta, m, x, side)
        if method == 'transport':
            return mapped(meta, m, x, side)
        size = np.sqrt(abs(m['values'])) if coordinates == 'scores' and 'values' in m else 1  # of low-rank models
        if 'map' in meta and side == 'left':
            return entries(meta, m, x) * size
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
        k = normalised(meta['kernel'], m['sums_rows'], meta['sums']['of']) if 'sums' in meta else kernel(meta['kernel'])
        u = fourier(m, x, p) if h.get('features') else landmarks(k, m, h, x, p)
        return u * size

    def decision_function(self, x):
        if self.meta['method'] not in ('askls', 'ridge') or not len(self.classes_):
            raise NotImplementedError('%s: models of %s do not classify' % (self.path, self.meta['method']))
        return self.transform(x)

    def predict(self, x):
        """Return the class of each row, as in the labels of the fit, the number of its cluster, or the numbers of fit ridge --target."""
        if 'targets' in self.meta:
            return self.transform(x)
        if 'clusters' in self.meta:
            u = self.transform(x, coordinates='orthonormal')
            return clusters(self.meta, self.arrays, self._rows(x, 'left'), u)
        return self.classes_[self.decision_function(x).argmax(1)]

    def _rows(self, x, side):
        names = self.columns
        if side == 'right' and self.meta['data'].get('input') == 'pairs':
            names = self.meta['data'].get('right_columns')
        dates = self.meta['data'].get('dates', {})
        if side == 'right' and self.meta['data'].get('input') == 'pairs':
            dates = self.meta['data'].get('right_dates', {})
        if names and dates and hasattr(x, 'columns') and side in ('left', 'right'):
            return np.column_stack([dated(x[of], part) if of in dates['columns'] else numbers(x[of])
                                    for of, part in (date_of(name, dates) for name in names)])
        if names and hasattr(x, 'columns') and side in ('left', 'right'):
            x = x[list(names)]
            return self._matrix(x)
        x, at = self._matrix(x), self.meta['data']
        if side == 'right':
            at = at.get('right', {})
        if side in ('left', 'right') and at.get('positions') and x.shape[1] == at['width']:  # of the file of the fit
            x = x[:, at['positions']]
        return x

    @staticmethod
    def _matrix(x):
        x = numbers(x)
        if x.ndim != 2:
            raise ValueError('rows are a matrix; reshape it')
        return x


def load(path):
    """Return the model in a file."""
    return Model(path)
