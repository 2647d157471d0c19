"""Estimators in the conventions of scikit-learn, fitted and applied by the command nystream.

X is an array, a sparse matrix, a frame of pandas or polars, an Arrow stream (a table or reader of
pyarrow, or any object with __arrow_c_stream__; needs pyarrow), or paths and URLs of files that the
command reads. Columns of text become 0/1 columns, one for each level. Columns of times are left out.
Columns with names are found by name. What is masked, None or pandas.NA is NaN. y may name columns of
all but arrays; they are then no features. Results are arrays; batches gives them as a stream, in flat
memory.

Parameters of all estimators:

    kernel         a name or an expression of nystream help kernels, such as 'rbf*cosine + 0.1*linear';
                   of Ridge and Classifier also a list to choose from, None for that of the command
    gamma          of a kernel that is named alone: a number, 'median', 'scale' or 'auto'; None is
                   'median' for rbf, laplace, exponential and sne. Without kernel it is that of rbf
    scale          'none', 'standard' or 'minmax'; None is the default of the method
    nulls          rows with NaN or nulls: 'error', 'drop' (files only), 'zero' or 'mean'
    random_state   an integer, None for 1, or a generator that gives one
    verbose        1 shows a progress bar where tqdm is installed
    options        more flags of the command, such as ['--memory', '1GiB']

Attributes of all: report_, the report of the fit (nystream help json); error_, the cross-validated or
estimated error; warnings_, reasons to doubt the fit and columns left out, also issued as Python warnings;
model_path_, the file of the model; n_features_in_, and feature_names_in_ if the columns have names.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import warnings
import weakref
from typing import Any, Iterable

import numpy as np

from . import command
from .frame import Frame, missing, names as names_of, plain, read
from .model import load

try:
    from sklearn.base import (BaseEstimator, ClassifierMixin, ClusterMixin, OutlierMixin, RegressorMixin,
                              TransformerMixin)
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    from .plain import (BaseEstimator, ClassifierMixin, ClusterMixin, DataConversionWarning, NotFittedError,
                        OutlierMixin, RegressorMixin, TransformerMixin)

_no_feature = 'column %s is left out: it holds times; make numbers of them to use it'
_by_median = ('rbf', 'laplace', 'exponential', 'sne')  # kernels whose gamma has no default that suits all data


class _ModelFile:
    """The file of a model in a temporary folder that lives as long as the object; pickled with its bytes."""

    def __init__(self):
        folder = tempfile.mkdtemp(prefix='nystream-')
        self.path = os.path.join(folder, 'model.npz')
        weakref.finalize(self, _remove, folder, os.getpid())

    def __reduce__(self):
        with open(self.path, 'rb') as file:
            return _restore, (file.read(),)


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a process that was forked leaves the file to its parent
        shutil.rmtree(folder, ignore_errors=True)


def _restore(content: bytes) -> _ModelFile:
    file = _ModelFile()
    with open(file.path, 'wb') as out:
        out.write(content)
    return file


class _Estimator(BaseEstimator):
    """Runs the command on rows. A subclass has a _method, and makes the flags of its fit."""

    _method = ''

    def _fit(self, X: Any, flags: dict[str, Any], y: np.ndarray | None = None, **files: np.ndarray) -> Any:
        """Fit and keep the model. y and files are arrays with a row for each row of X, by flag."""
        rows, names, times = self._rows(X)
        if not isinstance(rows, list) and rows.shape[0] < 2:
            raise ValueError('Found array with 1 sample(s) while a minimum of 2 is required.')
        weighted = files['weights'] != 0 if 'weights' in files else np.array(True)
        if not weighted.all() and not isinstance(rows, list):  # nor do scale and gamma know rows without weight
            rows = rows.where(weighted) if isinstance(rows, Frame) else rows[weighted]
            files = {flag: values[weighted] for flag, values in files.items()}
        self._model_file = _ModelFile()
        flags = {'scale': self.scale, 'nulls': self.nulls, 'seed': _seed(self.random_state),
                 'categories': 'onehot' if isinstance(rows, (Frame, list)) else None, 'output': self.model_path_, **flags}
        with tempfile.TemporaryDirectory(prefix='nystream-') as folder:
            for flag, values in files.items():
                write = command.write_labels if flag == 'label' else command.write_rows
                flags[flag] = write(values, os.path.join(folder, flag))
            paths = _written(rows, folder, names)
            verb = ['fit', getattr(self, 'method', self._method)]
            self.report_ = command.run(command.line(verb, paths, flags, self.options), self.verbose)
        self._learn_columns(rows, names)
        self.error_ = self._promised(self.report_)
        self.warnings_ = self._doubts(self.report_, names) + [_no_feature % name for name in times]
        for text in self.warnings_:
            warnings.warn(text, UserWarning, stacklevel=3)
        return self

    def _promised(self, report: dict[str, Any]) -> Any:
        """Return the error of a report, None where it has none."""
        return next((e['value'] for e in report.get('errors', ())), None)

    def _doubts(self, report: dict[str, Any], names: list[str]) -> list[str]:
        """Return the warnings of a report, and one for each column left out without the user asking."""
        named = set(names) | set(getattr(self, 'feature_names_in_', ()))
        lost = ['column %s is left out: %s' % (c['name'], c['reason'])
                for c in report.get('columns_left_out', ()) if c['name'] in named]
        return list(report.get('warnings', ())) + lost

    def _learn_columns(self, rows: Any, names: list[str]) -> None:
        """Record which columns the model uses. An empty list of rows means a model loaded from a file."""
        model = load(self.model_path_)
        known = model.feature_names()
        self._texts = known[len(model.columns or ()):]
        if isinstance(rows, list):  # the columns that the command chose from files
            names = known
        lost = {c['name'] for c in self.report_.get('columns_left_out', ())}
        names = [name for name in names if name not in lost]
        self.n_features_in_ = len(names) or (self.report_['dimension'] if isinstance(rows, list) else rows.shape[1])
        self._by_position = model.columns is None and not lost or list(model.columns or ()) == names
        vars(self).pop('feature_names_in_', None)
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._learn(model)

    def _learn(self, model: Any) -> None:
        """Keep what transform and predict need of a model."""

    def _apply(self, X: Any, verb: str = 'transform', **flags: Any) -> np.ndarray:
        """Return what transform or predict writes, a row for each row of X."""
        rows, names = self._known_rows(X)
        with tempfile.TemporaryDirectory(prefix='nystream-') as folder:
            out = os.path.join(folder, 'out.npy')
            paths = [self.model_path_, *_written(rows, folder, names)]
            command.run(command.line([verb], paths, {'output': out, **flags}), self.verbose)
            return np.load(out)

    def batches(self, X: Any, keep: Iterable[str] = ()) -> Any:
        """Return a pyarrow.RecordBatchReader of results: coordinates, numbers, classes, clusters or novelties.

        Memory is flat for files; an Arrow stream goes through a temporary file. keep names columns of files
        and streams to carry along."""
        rows, names = self._known_rows(X)
        folder = tempfile.TemporaryDirectory(prefix='nystream-')
        verb, flags = self._answer()
        paths = [self.model_path_, *_written(rows, folder.name, names)]
        flags = {**flags, 'keep': [command.listed([name]) for name in keep]}
        return command.stream(command.line([verb], paths, flags), folder)

    def _answer(self) -> tuple[str, dict[str, Any]]:
        """Return the verb of the command that gives results, and its flags."""
        return 'transform', {}

    def _known_rows(self, X: Any) -> tuple[Any, list[str]]:
        """Return X as _rows does, restricted to the columns of the fit, and the names the command matches."""
        self._check_fitted()
        rows, names, _ = self._rows(X, self._texts)
        if isinstance(rows, list):
            return rows, []
        seen, name = list(getattr(self, 'feature_names_in_', [])), type(self).__name__
        if names and seen:
            rows, names = _selected(rows, names, seen), seen
        elif names or seen:
            say = 'X %s feature names, but %s was fitted %s feature names'
            how = ('has', name, 'without') if names else ('does not have valid', name, 'with')
            warnings.warn(say % how, UserWarning, stacklevel=4)
        if rows.shape[1] != self.n_features_in_:
            say = 'X has %d features, but %s is expecting %d features as input'
            raise ValueError(say % (rows.shape[1], name, self.n_features_in_))
        return rows, [] if self._by_position else names

    @property
    def model_path_(self) -> str:
        """The file of the model, which lives as long as the estimator; save copies it."""
        self._check_fitted()
        return self._model_file.path

    def save(self, path: str | os.PathLike) -> None:
        """Write the model to a file, which load, nystream.load and the command read."""
        shutil.copyfile(self.model_path_, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Any:
        """Return an estimator with a model in a file; other parameters than kernel have their defaults."""
        estimator, model = cls(), load(path)
        estimator._check_model(model)
        with open(path, 'rb') as file:
            estimator._model_file = _restore(file.read())
        estimator.kernel = model.meta.get('kernel') or model.meta['functions']['kernel']
        estimator.report_ = model.meta.get('made', {})
        estimator.report_['dimension'] = command.run(command.line(['inspect'], [path], {}))['dimension']
        estimator._learn_columns([], [])
        return estimator

    def _check_model(self, model: Any) -> None:
        if model.meta['method'] != self._method:
            raise ValueError('%s: %s reads models of fit %s, and this one is of %s' % (
                model.path, type(self).__name__, self._method, model.meta['method']))

    def _named(self, letters: str, attribute: str) -> np.ndarray:
        """Return names of new columns, one for each entry of an attribute."""
        self._check_fitted()
        return np.array([letters + str(i) for i in range(len(getattr(self, attribute)))], dtype=object)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError('This %s instance is not fitted yet. Call fit first.' % type(self).__name__)

    def __sklearn_is_fitted__(self) -> bool:
        return '_model_file' in vars(self)

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {'X_types': ['2darray', 'sparse'], '_xfail_checks': self._exempt()}

    def _exempt(self) -> dict[str, str]:
        """Return the checks of scikit-learn before 1.6 that fail, with their reasons; later ones ask who checks."""
        return {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _rows(self, X: Any, texts: Iterable[str] = ()) -> tuple[Any, list[str], list[str]]:
        """Return X as a list of files, a matrix, a sparse matrix or a Frame, with the columns texts read as text; the
        names of its columns; and the names of columns left out because they hold times."""
        files = _files(X)
        if files:
            return files, [], []
        if self.nulls == 'drop':
            raise ValueError("nulls='drop' is for files: rows of X and of results belong together")
        names, times = names_of(X), []
        if names:
            X, times = read(X, texts)
            names = [name for name in names if name not in times]
        if isinstance(X, Frame):
            numbers = X.matrix()
            if numbers is None:
                self._refuse_nulls(*(column for column in X.columns if column.dtype.kind == 'f'))
                return X, names, times
            X = numbers
        x = X.tocsr() if hasattr(X, 'tocsr') else _matrix(X)
        self._refuse_nulls(x.data if hasattr(x, 'indptr') else x)
        return x, names, times

    def _refuse_nulls(self, *numbers: np.ndarray) -> None:
        if self.nulls in (None, 'error') and not all(np.isfinite(array).all() for array in numbers):
            raise ValueError('Input X contains NaN or infinity: fill such rows, or set nulls')

    def _kernels(self) -> str | list[str] | None:
        """Return the kernel as the command takes it, with gamma. None is the default of the command."""
        if isinstance(self.kernel, (list, tuple)):
            return [self._with_gamma(k) for k in self.kernel]
        if self.kernel is None and self.gamma is None:
            return None
        return self._with_gamma(self.kernel or 'rbf')

    def _with_gamma(self, kernel: str) -> str:
        gamma = self.gamma
        if gamma is None and kernel in _by_median:
            gamma = 'median'
        if gamma is None:
            return kernel
        if not re.fullmatch('[a-z0-9]+', kernel):
            raise ValueError('gamma is for a kernel that is named alone: write it into kernel=%r' % kernel)
        return '%s(gamma=%s)' % (kernel, gamma)


# --- rows, columns and flags


def _files(X: Any) -> list[Any]:
    """Return the paths, URLs or Arrow stream that X is; an empty list for arrays and frames."""
    frame = hasattr(X, 'to_numpy')  # of pandas or polars
    return [X] if hasattr(X, '__arrow_c_stream__') and not frame else _paths(X)


def _paths(X: Any) -> list[str]:
    """Return the paths and URLs that X is, or none."""
    if isinstance(X, (str, os.PathLike)):
        return [os.fsdecode(X)]
    if isinstance(X, (list, tuple)) and X and all(isinstance(p, (str, os.PathLike)) for p in X):
        return [os.fsdecode(p) for p in X]
    return []


def _matrix(X: Any) -> np.ndarray:
    """Return X as rows of numbers without a copy if it may be, or raise ValueError."""
    x = plain(X)
    if x.dtype.kind in 'Mm':
        raise ValueError('X holds times: make numbers of them')
    if np.iscomplexobj(x):
        raise ValueError('Complex data not supported')
    if x.dtype != np.float32:
        x = np.asarray(x, float)
    if x.ndim != 2:
        raise ValueError('Expected 2D array, got %dD array instead. Reshape your data' % x.ndim)
    if 0 in x.shape:
        what, found = ('sample', x.shape[0]) if x.shape[0] == 0 else ('feature', x.shape[1])
        say = 'Found array with %d %s(s) (shape=%s) while a minimum of 1 is required.'
        raise ValueError(say % (found, what, x.shape))
    return x


def _apart(X: Any, y: Any) -> tuple[Any, Any]:
    """Return X and y. If y names columns of a frame, move them from X to y. For files y becomes a tuple of names."""
    y = os.fspath(y) if isinstance(y, os.PathLike) else y
    text = isinstance(y, str) or isinstance(y, (list, tuple)) and bool(y) and all(isinstance(n, str) for n in y)
    if text and _files(X):
        return X, (y,) if isinstance(y, str) else tuple(y)
    columns = names_of(X)
    if text and columns and (isinstance(y, str) or set(y) <= set(columns)):
        named = [y] if isinstance(y, str) else list(y)
        if not set(named) <= set(columns):
            raise ValueError('X has no column %r' % y)
        values = plain(X[y if isinstance(y, str) else named])
        return X[[c for c in columns if c not in named]], values
    return X, y


def _column(y: Any, rows: int | None) -> np.ndarray:
    """Return y as a vector with a value for each row."""
    y = plain(y)
    if y.ndim == 2 and y.shape[1] == 1:
        say = 'A column-vector y was passed when a 1d array was expected.'
        warnings.warn(say, DataConversionWarning, stacklevel=3)
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError('y should be a 1d array, got an array of shape %s instead.' % (y.shape,))
    return _of_length(y, rows)


def _of_length(y: np.ndarray, rows: int | None) -> np.ndarray:
    if rows is not None and len(y) != rows:
        raise ValueError('X has %d rows, and y has %d: inconsistent numbers of samples' % (rows, len(y)))
    return y


def _length(X: Any) -> int | None:
    """Return the number of rows of X, None for files."""
    if _files(X):
        return None
    return X.shape[0] if hasattr(X, 'shape') else len(np.asarray(X))


def _selected(rows: Any, names: list[str], seen: list[str]) -> Any:
    """Return the columns of the fit in its order. Raise scikit-learn's ValueError if some are missing."""
    lost = sorted(set(seen) - set(names))
    if lost:
        say = 'The feature names should match those that were passed during fit.\n'
        say += 'Feature names seen at fit time, yet now missing:\n' + ''.join('- %s\n' % n for n in lost[:5])
        raise ValueError(say + '- ...\n' * (len(lost) > 5))
    if names == seen:
        return rows
    if isinstance(rows, Frame):
        rows = rows.select(seen)
        numbers = rows.matrix()
        return rows if numbers is None else numbers
    place = {name: i for i, name in enumerate(names)}
    return rows[:, [place[name] for name in seen]]


def _written(rows: Any, folder: str, names: list[str]) -> list[str]:
    """Return the paths of rows. Rows in memory are written to folder, with their names if they have some."""
    place = os.path.join(folder, 'rows')
    if names and isinstance(rows, np.ndarray):
        return [command.write_columns(names, rows.T, place)]
    rows = rows if isinstance(rows, list) else [rows]
    return [r if isinstance(r, str) else command.write_rows(r, place) for r in rows]


def _keep(estimator: Any, arguments: dict[str, Any]) -> None:
    """Keep the arguments of __init__, the locals() there, as scikit-learn wants them: as they are."""
    vars(estimator).update((n, v) for n, v in arguments.items() if n != 'self')


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 1
    if hasattr(random_state, 'integers'):
        return int(random_state.integers(2 ** 31))
    if hasattr(random_state, 'randint'):
        return int(random_state.randint(2 ** 31 - 1))
    return int(random_state)


# --- estimators


class _LowRank(_Estimator):
    """What estimators of low-rank models share."""

    def _fit_rank(self, X: Any, y: Any, rank: int | None, **flags: Any) -> Any:
        """Fit from X without the columns that y names."""
        rows = _length(X)
        if rank is not None and rows is not None and rank > rows:
            say = 'n_components is %d, and X has %d rows: their number is taken'
            warnings.warn(say % (rank, rows), stacklevel=3)
            rank = rows
        if isinstance(y, tuple):
            flags['keep'] = [command.listed([name]) for name in y]
        return self._fit(X, {'kernel': self._kernels(), 'rank': rank, 'landmarks': self.n_landmarks, **flags})

    def _learn(self, model: Any) -> None:
        self.eigenvalues_ = model.arrays['values']


class Embedding(TransformerMixin, _LowRank):
    """Low-rank embedding: inner products of transformed rows approximate the kernel.

    n_components   the rank, None where options choose it (--tol)
    method         of nystream fit: 'landmark', 'nystrom', 'rff' and others
    n_landmarks    None for four times the rank
    coordinates    'scores' is U·√values, 'orthonormal' is U

    eigenvalues_ are those of the kernel matrix. error_ is relative, in the spectral norm."""

    def __init__(self, n_components=100, kernel='rbf', gamma=None, method='landmark', n_landmarks=None,
                 coordinates='scores', scale=None, nulls=None, random_state=None, verbose=0, options=None):
        _keep(self, locals())

    def fit(self, X, y=None):
        """Fit from X. Columns that y names are left out; other y are not looked at."""
        if self.coordinates not in ('scores', 'orthonormal'):
            raise ValueError("coordinates are 'scores' or 'orthonormal', not %r" % (self.coordinates,))
        return self._fit_rank(*_apart(X, y), self.n_components)

    def _check_model(self, model: Any) -> None:
        if 'values' not in model.arrays or 'left' not in model.meta:
            say = '%s: Embedding reads low-rank models, and this one is of %s'
            raise ValueError(say % (model.path, model.meta['method']))

    def transform(self, X):
        verb, flags = self._answer()
        return self._apply(X, verb, **flags)

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'transform', {'coordinates': None if self.coordinates == 'scores' else self.coordinates}

    def get_feature_names_out(self, input_features=None):
        return self._named('u', 'eigenvalues_')


class KernelPCA(Embedding):
    """Kernel principal components in the span of landmarks, with the scores of scikit-learn's KernelPCA.

    n_components   the number of components
    n_landmarks    None for four times the components

    eigenvalues_ are those of the centred kernel matrix, explained_variance_ratio_ their shares of its trace."""

    _method = method = 'pca'
    coordinates = 'scores'
    _check_model = _Estimator._check_model

    def __init__(self, n_components=10, kernel='rbf', gamma=None, n_landmarks=None, scale=None, nulls=None,
                 random_state=None, verbose=0, options=None):
        _keep(self, locals())

    def _learn(self, model: Any) -> None:
        super()._learn(model)
        self.explained_variance_ratio_ = self.eigenvalues_ / model.meta['trace']


class Clusters(ClusterMixin, _LowRank):
    """Spectral clustering on the factors of a low-rank model. New rows have clusters too.

    n_clusters     their number, or 'auto' for the one after which the eigenvalues fall most
    n_components   the rank, raised to n_clusters

    labels_ are the clusters of the fitted rows, n_clusters_ their number."""

    _method = 'landmark'

    def __init__(self, n_clusters=8, kernel='rbf', gamma=None, n_components=50, n_landmarks=None, scale=None,
                 nulls=None, random_state=None, verbose=0, options=None):
        _keep(self, locals())

    def fit(self, X, y=None):
        """Fit from X. Columns that y names are left out; other y are not looked at."""
        X, y = _apart(X, y)
        k = self.n_clusters
        rank = max(self.n_components, 1 if k == 'auto' else k)
        self._fit_rank(X, y, rank, clusters=None if k == 1 else k)
        self.labels_ = self.predict(X)
        return self

    def _learn(self, model: Any) -> None:
        super()._learn(model)
        self.n_clusters_ = model.meta.get('clusters', {'k': 1})['k']

    def predict(self, X):
        """Return the number of the cluster of each row, from 0."""
        if self.__sklearn_is_fitted__() and self.n_clusters_ == 1:  # which the command takes for a mistake
            return np.zeros(len(self._apply(X)), int)
        return self._apply(X, 'predict')[:, 0].astype(int)

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'predict', {}


class Novelty(OutlierMixin, _LowRank):
    """Rows far from the span of the principal components in feature space (Hoffmann 2007).

    share          of new rows like those of the fit, which predict marks. Distances of held-out rows tell the
                   least distance of a marked row; contamination, of other detectors, is a share of fitted rows
    n_components   the number of components

    offset_ is minus that distance."""

    _method = 'pca'

    def __init__(self, share=0.05, kernel='rbf', gamma=None, n_components=30, n_landmarks=None, scale=None,
                 nulls=None, random_state=None, verbose=0, options=None):
        _keep(self, locals())

    def fit(self, X, y=None):
        """Fit from X. Columns that y names are left out; other y are not looked at."""
        if not 0 < self.share < 1:
            raise ValueError('share is between 0 and 1, not %r' % (self.share,))
        return self._fit_rank(*_apart(X, y), self.n_components, novelty=True)

    def _learn(self, model: Any) -> None:
        super()._learn(model)
        known = model.arrays['novelty_known']  # descending
        marked = np.sum(np.arange(1, len(known) + 1) / (len(known) + 1) <= self.share)
        self.offset_ = -known[marked - 1] if marked else -np.inf

    def _doubts(self, report: dict[str, Any], names: list[str]) -> list[str]:
        rows = min(report['rows'], 10_000)  # that the model knows the distances of
        if self.share * (rows + 1) >= 1:
            return super()._doubts(report, names)
        say = 'share %g is below %.2g, the least that %d rows can tell: no row is marked; raise it, or fit more rows'
        return [say % (self.share, 1 / (rows + 1), rows)] + super()._doubts(report, names)

    def _check_model(self, model: Any) -> None:
        super()._check_model(model)
        if 'novelty_known' not in model.arrays:
            raise ValueError('%s: this model knows no novelty: fit it with --novelty' % model.path)

    def score_samples(self, X):
        """Return minus the distance of each row from the span."""
        return -self._apply(X, 'predict', novelty=self.share)[:, 0]

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'predict', {'novelty': self.share}

    def decision_function(self, X):
        """Return score_samples less offset_: below 0 where predict gives -1."""
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """Return -1 for rows that are marked, and 1 for others."""
        return np.where(self.decision_function(X) < 0, -1, 1)


class Projection(TransformerMixin, _Estimator):
    """Interpretable projection of rows by nystream fit ism: components_ weighs the columns of X.

    n_components   the number of new columns

    y are classes."""

    _method = 'ism'

    def __init__(self, n_components=2, kernel='gaussian', gamma=None, scale=None, nulls=None, random_state=None,
                 verbose=0, options=None):
        _keep(self, locals())

    def fit(self, X, y):
        X, y = _apart(X, y)
        flags = {'kernel': self._kernels(), 'dim': self.n_components}
        if isinstance(y, tuple):
            return self._fit(X, {**flags, 'label': command.listed(y)})
        return self._fit(X, flags, label=_classes(y, _length(X))[1])

    def _learn(self, model: Any) -> None:
        self.components_ = model.arrays['w'].T

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), 'requires_y': True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def transform(self, X):
        return self._apply(X)

    def get_feature_names_out(self, input_features=None):
        return self._named('xw', 'components_')


class _Predictor(_Estimator):
    """What regression and classifiers share: weights of rows, and scores on files."""

    _measure = ''  # of the report of predict

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'predict', {}

    def _weights(self, X: Any, sample_weight: Any) -> dict[str, np.ndarray]:
        if sample_weight is None:
            return {}
        weights = np.asarray(plain(sample_weight), float)
        if weights.ndim != 1:
            raise ValueError('Sample weights must be 1D array')
        if not np.isfinite(weights).all():
            raise ValueError('sample_weight contains NaN or infinity')
        if not weights.any():
            raise ValueError('sample_weight is zero for every row')
        return {'weights': _of_length(weights, _length(X))}

    def _score(self, X: Any, y: tuple[str, ...]) -> float:
        """Return the score on files, whose columns y are the truth."""
        self._check_fitted()
        with tempfile.TemporaryDirectory(prefix='nystream-') as folder:
            paths = [self.model_path_, *_written(_files(X), folder, [])]
            report = command.run(command.line(['predict'], paths, {'label': command.listed(y)}), self.verbose)
        return float(np.mean(report[self._measure]))

    def _check_model(self, model: Any) -> None:
        super()._check_model(model)
        if (len(model.classes_) > 0) != hasattr(self, 'decision_function'):
            raise ValueError('%s: Classifier reads models of classes, and Ridge those of numbers' % model.path)


class Ridge(RegressorMixin, _Predictor):
    """Kernel ridge regression on landmarks, from one reading of the rows.

    alpha         the penalty of ‖f‖² against the sum of squares; None or a list is cross-validated
    n_landmarks   more make smaller errors; time grows with their square
    metric        'diagonal' learns a factor for each column, 'full' a matrix for distances

    error_ is the root mean squared error on rows left out, of each target; alpha_ and kernel_ are what was
    chosen, metric_ is what was learnt."""

    _method, _measure = 'ridge', 'r2'

    def __init__(self, alpha=None, kernel=None, gamma=None, n_landmarks=1000, metric=None, scale=None,
                 nulls=None, random_state=None, verbose=0, options=None):
        _keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fit from X. y has a number for each row, or a column for each target, or names columns of X."""
        X, y = _apart(X, y)
        flags, weights = _ridge_flags(self), self._weights(X, sample_weight)
        if isinstance(y, tuple):
            self._flat = len(y) == 1
            return self._fit(X, {**flags, 'target': command.listed(y)}, **weights)
        y = _targets(y, _length(X))
        self._flat = y.ndim == 1
        return self._fit(X, flags, target=y, **weights)

    def _promised(self, report: dict[str, Any]) -> Any:
        errors = [s['rmse'] for s in report['scores']]
        return errors[0] if self._flat else errors

    def _learn(self, model: Any) -> None:
        _learn_ridge(self, model)
        self._flat = vars(self).get('_flat', len(model.meta['targets']) == 1)

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), 'multioutput': True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X):
        values = self._apply(X)
        return values[:, 0] if self._flat else values

    def predict_interval(self, X, level=0.9):
        """Return two arrays like that of predict, between which a share level of new numbers is."""
        values = self._apply(X, 'predict', interval=level)
        _, lower, upper = np.split(values, 3, 1)
        return (lower[:, 0], upper[:, 0]) if self._flat else (lower, upper)

    def score(self, X, y, sample_weight=None):
        """Return R². For files y names the columns of the truth."""
        X, y = _apart(X, y)
        return self._score(X, y) if isinstance(y, tuple) else super().score(X, plain(y), sample_weight)


class _Chooser(ClassifierMixin, _Predictor):
    """A classifier of the command."""

    _measure = 'accuracy'

    def _fit_classes(self, X: Any, y: Any, flags: dict[str, Any], sample_weight: Any = None) -> Any:
        X, y = _apart(X, y)
        weights = self._weights(X, sample_weight)
        vars(self).pop('classes_', None)
        if isinstance(y, tuple):
            return self._fit(X, {**flags, 'label': command.listed(y)}, **weights)
        self.classes_, labels = _classes(y, _length(X), sample_weight)
        return self._fit(X, flags, label=labels, **weights)

    def _learn(self, model: Any) -> None:
        written = model.classes_.tolist()
        if 'classes_' not in vars(self):
            self.classes_ = np.unique(model.classes_)
        self._order = [written.index(name) for name in _class_names(self.classes_)]
        self._probable = model.meta.get('merge') == 'stack' or 'temperature' in model.meta

    def decision_function(self, X):
        """Return a number for each class, the largest of which wins; of two classes their difference."""
        d = self._apply(X)[:, self._order]
        return d[:, 1] - d[:, 0] if d.shape[1] == 2 else d

    def predict(self, X):
        d = self.decision_function(X)
        return self.classes_[(d > 0).astype(int) if d.ndim == 1 else d.argmax(1)]

    @property
    def predict_proba(self):
        """The probability of each class, of a model that has probabilities."""
        if not getattr(self, '_probable', False):
            raise AttributeError('the model has no probabilities')
        return self._probabilities

    def _probabilities(self, X):
        return self._apply(X, 'predict', probabilities=True)[:, 1:][:, self._order]  # the class is the first column

    def score(self, X, y, sample_weight=None):
        """Return the share of right classes. For files y names the column of the truth."""
        X, y = _apart(X, y)
        return self._score(X, y) if isinstance(y, tuple) else super().score(X, plain(y), sample_weight)


class Classifier(_Chooser):
    """Classifier by kernel ridge regression on landmarks, from one reading of the rows.

    alpha         the penalty; None or a list is cross-validated
    n_landmarks   more make smaller errors; time grows with their square
    metric        'diagonal' learns a factor for each column, 'full' a matrix for distances
    class_weight  None, 'balanced', or a weight for each class in a dictionary

    error_ is the share of wrong classes among rows left out; alpha_ and kernel_ are what was chosen, metric_ is
    what was learnt."""

    _method = 'ridge'

    def __init__(self, alpha=None, kernel=None, gamma=None, n_landmarks=1000, metric=None, class_weight=None,
                 scale=None, nulls=None, random_state=None, verbose=0, options=None):
        _keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fit from X. y has a class for each row, or is the name of a column of X."""
        flags = _ridge_flags(self)
        if isinstance(self.class_weight, dict):
            X, y = _apart(X, y)
            if isinstance(y, tuple):
                raise ValueError("weights of classes are for arrays and frames: with files take 'balanced'")
            weights = np.array([self.class_weight.get(c, 1) for c in plain(y).ravel().tolist()], float)
            sample_weight = weights if sample_weight is None else weights * sample_weight
        else:
            flags['class-weight'] = self.class_weight
        return self._fit_classes(X, y, flags, sample_weight)

    def _promised(self, report: dict[str, Any]) -> Any:
        return report['misclassified']

    def _learn(self, model: Any) -> None:
        super()._learn(model)
        _learn_ridge(self, model)

    def _exempt(self) -> dict[str, str]:
        chosen = 'alpha is chosen on folds, and a row is in the fold that its number draws'
        return {} if np.isscalar(self.alpha) else {'check_sample_weights_invariance': chosen}


class AsymmetricClassifier(_Chooser):
    """Classifier from a kernel that need not be symmetric, such as sne, by nystream fit askls.

    C   the penalty of errors against the size of the functions

    error_ is the share of wrong classes out of fold, None unless options ask for folds. With
    options=['--merge', 'stack'] there is predict_proba."""

    _method = 'askls'

    def __init__(self, C=1.0, kernel='rbf', gamma=None, scale=None, nulls=None, random_state=None, verbose=0,
                 options=None):
        _keep(self, locals())

    def fit(self, X, y):
        """Fit from X. y has a class for each row, or is the name of a column of X."""
        return self._fit_classes(X, y, {'kernel': self._kernels(), 'C': self.C})

    def _promised(self, report: dict[str, Any]) -> Any:
        return 1 - report['out_of_fold']['accuracy'] if report.get('out_of_fold') else None


def _ridge_flags(estimator: Any) -> dict[str, Any]:
    return {'kernel': estimator._kernels(), 'landmarks': estimator.n_landmarks, 'penalty': estimator.alpha,
            'metric': estimator.metric}


def _learn_ridge(estimator: Any, model: Any) -> None:
    estimator.alpha_, estimator.kernel_ = model.meta['penalty'], model.meta['kernel']
    estimator.metric_ = model.arrays.get('metric')


def _targets(y: Any, rows: int | None) -> np.ndarray:
    """Return numbers to predict: a vector, or a column for each target."""
    if y is None:
        raise ValueError('requires y to be passed, but the target y is None')
    y = plain(y)
    if y.dtype.kind in 'Mm':
        raise ValueError('y holds times: make numbers of them')
    y = y if y.ndim == 2 and y.shape[1] > 1 else _column(y, rows)
    y = _of_length(np.asarray(y, float), rows)
    if not np.isfinite(y).all():
        raise ValueError('Input y contains NaN or infinity')
    return y


def _classes(y: Any, rows: int | None, weights: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, and the class of each row as written for the command: numbers, booleans or text."""
    if y is None:
        raise ValueError('requires y to be passed, but the target y is None')
    y = _column(y, rows)
    if y.dtype.kind == 'O' and any(map(missing, y.tolist())):
        raise ValueError('Input y contains NaN: rows without a class')
    if y.dtype.kind == 'f' and not np.isfinite(y).all():
        raise ValueError('Input y contains NaN or infinity')
    if y.dtype.kind == 'f' and (y != np.floor(y)).any():
        raise ValueError('Unknown label type: labels are classes, and these are numbers with fractions')
    classes, index = np.unique(y, return_inverse=True)
    counted = classes if weights is None else np.unique(y[np.asarray(weights) > 0])
    if len(counted) < 2:
        raise ValueError('y has one class; two are the least')
    names = np.array(_class_names(classes), classes.dtype if classes.dtype.kind in 'biuf' else object)
    return classes, names[index]


def _class_names(classes: np.ndarray) -> list[Any]:
    """Return the class names in the model: the classes themselves, or classN if the model cannot hold one."""
    names = classes.tolist()
    if classes.dtype.kind in 'biuf':
        return names
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name or name.encode(errors='ignore').decode() != name:
            free = (k for k in range(i, i + len(names) + 1) if 'class%d' % k not in names)
            names[i] = 'class%d' % next(free)
    return names
