"""The base of all estimators: it writes rows to files for the command, and keeps its models.

X is a list of files, an array, a sparse matrix or a Frame from here on. A Frame keeps the types of its columns, and
travels as an Arrow stream that NumPy alone writes: text stays text, and nulls are nulls.
"""

from __future__ import annotations

import difflib
import inspect
import os
import re
import shutil
import warnings
from typing import Any, Iterable, Sequence

import numpy as np

from . import command, docs, temporary
from .frame import Frame, dropped, missing, names as names_of, plain, quoted, read
from .model import load

try:
    from sklearn.base import (BaseEstimator, ClassifierMixin, ClusterMixin, OutlierMixin, RegressorMixin,
                              TransformerMixin)
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    from .plain import (BaseEstimator, ClassifierMixin, ClusterMixin, DataConversionWarning, NotFittedError,
                        OutlierMixin, RegressorMixin, TransformerMixin)

_by_median = ('rbf', 'laplace', 'exponential', 'sne')  # kernels whose gamma has no default that suits all data
_times = ('date', 'timestamp', 'time', 'duration')  # reasons why columns are left out, and what to do
_remedy = ", unless dates='number' or 'calendar' makes numbers of it"
_exact = 2 ** 53  # the integers below are float64


class _ModelFile:
    """The file of a model in a temporary folder that lives as long as the object; pickled with its bytes."""

    def __init__(self):
        self.folder = temporary.Folder()
        self.path = os.path.join(self.folder.name, 'model.npz')

    def __reduce__(self):
        with open(self.path, 'rb') as file:
            return _restore, (file.read(),)


def _restore(content: bytes) -> _ModelFile:
    file = _ModelFile()
    with open(file.path, 'wb') as out:
        out.write(content)
    return file


class Estimator(BaseEstimator):
    """Runs the command on rows. A subclass has a _method, and makes the flags of its fit."""

    _method = ''
    _parameters = {'landmarks': 'n_landmarks', 'rank': 'n_components', 'dim': 'n_components', 'clusters': 'n_clusters',
                   'penalty': 'alpha', 'novelty': 'share', 'seed': 'random_state', 'task': 'task',
                   'target': 'y', 'label': 'y', 'weights': 'sample_weight', 'right': 'Y', 'with': 'Y'}  # by flag

    def __init_subclass__(cls, **more: Any):
        super().__init_subclass__(**more)
        docs.complete(cls)

    def __new__(cls, *_: Any, **given: Any) -> Any:
        known = list(inspect.signature(cls.__init__).parameters)[1:]
        for name in given.keys() - set(known):
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError('%s has no parameter %s%s' % (cls.__name__, name, '; did you mean %s?' % near[0] if near else
                                                         ', but ' + ', '.join(known)))
        return super().__new__(cls)

    def _fit(self, X: Any, flags: dict[str, Any], named: Sequence[str] = (), as_: str = 'keep', Y: Any = None,
             **sides: np.ndarray) -> Any:
        """Fit and keep the model. named are columns of X that are no features; the flag as_ takes them. sides
        are arrays with a row for each row of X, by flag; Y, the rows of the other side."""
        rows, names = self._rows(X, without=named)
        if not isinstance(rows, list) and rows.shape[0] < 2:
            raise ValueError('Found array with 1 sample(s) while a minimum of 2 is required.')
        sides = {flag: values for flag, values in sides.items() if values is not None}
        weighted = sides['weights'] != 0 if 'weights' in sides else np.array(True)
        if not weighted.all() and not isinstance(rows, list):  # nor do scale and gamma know rows without weight
            rows = rows.where(weighted) if isinstance(rows, Frame) else rows[weighted]
            sides = {flag: v if flag == 'right-weights' else v[weighted] for flag, v in sides.items()}
        named = named if as_ else []
        if named and isinstance(rows, Frame):  # y travels with X, as in a file
            values = read(X, named).columns if as_ == 'keep' else sides.pop(as_)
            rows = _joined(rows, names_of(X), named, values)
        if named:
            flags[as_] = [command.listed([n]) for n in named] if as_ == 'keep' else command.listed(named)
        model = _ModelFile()  # an earlier one stays if the fit fails
        flags = {'scale': self.scale, 'nulls': self.nulls, 'dates': self.dates, 'seed': _seed(self.random_state),
                 'categories': 'onehot' if isinstance(rows, (Frame, list)) else None, 'output': model.path, **flags}
        with temporary.Folder() as folder:
            for flag, values in sides.items():
                write = command.write_labels if flag == 'label' else command.write_rows
                flags[flag] = write(values, os.path.join(folder, flag))
            if Y is not None:
                flags.update(self._other(Y, names, os.path.join(folder, 'Y')))
            paths = _written(rows, os.path.join(folder, 'X'))
            verb = ['fit', self._method or self.method]
            words = self._words(rows, folder)
            self.report_ = command.run(command.line(verb, paths, flags, self.options), self.verbose, words)
        self._model_file = model
        self._learn_columns(rows, names)
        self.error_ = self._promised(self.report_)
        self.warnings_ = [words.of(text) for text in self._doubts(self.report_, names)]
        for text in self.warnings_:
            warnings.warn(text, UserWarning, stacklevel=3)
        return self

    def _words(self, rows: Any, folder: str) -> command.Words:
        """Return the translation of messages of the command, for files in a folder."""
        mine = self.get_params(deep=False)
        parameters = {name.replace('_', '-'): name for name in mine}
        parameters.update((f, p) for f, p in self._parameters.items() if p in mine or p in ('y', 'Y', 'sample_weight'))
        files = {os.path.join(folder, file): {'label': 'y', 'target': 'y', 'weights': 'sample_weight', 'right-weights': 'Y_weight'}.get(
            part, part) for part in ('X', 'Y', 'label', 'target', 'weights', 'right-weights')
            for file in [part + end for end in ('.npy', '.arrows', '.libsvm')]}
        return command.Words(parameters, files, not isinstance(rows, list))

    def _promised(self, report: dict[str, Any]) -> Any:
        """Return the error of a report, or None."""
        return next((e['value'] for e in report.get('errors', ())), None)

    def _doubts(self, report: dict[str, Any], names: list[str]) -> list[str]:
        """Return the warnings of a report, and one for each column left out without the user asking."""
        named = set(names) | set(getattr(self, 'feature_names_in_', ()))
        lost = ['column %s is left out: %s%s' % (c['name'], c['reason'], _remedy if c['reason'] in _times else '')
                for c in report.get('columns_left_out', ()) if c['name'] in named]
        return list(report.get('warnings', ())) + lost

    def _learn_columns(self, rows: Any, names: list[str]) -> None:
        """Record which columns the model uses. An empty list of rows means a model loaded from a file."""
        model = load(self.model_path_)
        known = model.feature_names()
        self._texts = model.texts()
        if isinstance(rows, list):  # the columns that the command chose from files
            names = known
        lost = {c['name'] for c in self.report_.get('columns_left_out', ())}
        names = [name for name in names if name not in lost]
        self.n_features_in_ = len(names) or (self.report_['dimension'] if isinstance(rows, list) else rows.shape[1])
        self._by_position = model.columns is None
        vars(self).pop('feature_names_in_', None)
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._learn(model)

    def _learn(self, model: Any) -> None:
        """Store the parts of a model that transform and predict need."""

    def _apply(self, X: Any, verb: str = 'transform', **flags: Any) -> np.ndarray:
        """Return the output of transform or predict, with one row for each row of X."""
        self._check_fitted()
        rows = self._known_rows(X)
        with temporary.Folder() as folder:
            out = os.path.join(folder, 'out.npy')
            paths = [self.model_path_, *_written(rows, os.path.join(folder, 'X'))]
            command.run(command.line([verb], paths, {'output': out, **flags}), self.verbose, self._words(rows, folder))
            return np.load(out)

    def batches(self, X: Any, keep: Iterable[str] = ()) -> Any:
        """Return results in flat memory: coordinates, numbers, classes, clusters or novelties. Needs pyarrow.

        -> results : pyarrow.RecordBatchReader
            An Arrow stream passes through pipes, without a temporary file."""
        self._check_fitted()
        rows = self._known_rows(X)
        folder = temporary.Folder()
        verb, flags = self._answer()
        piped = rows[0] if isinstance(rows, list) and hasattr(rows[0], '__arrow_c_stream__') else None
        paths = [command.STDIN] if piped is not None else _written(rows, os.path.join(folder.name, 'X'))
        flags = {**flags, 'keep': [command.listed([name]) for name in keep]}
        line = command.line([verb], [self.model_path_, *paths], flags)
        return command.stream(line, folder, self._words(rows, folder.name), piped)

    def _answer(self) -> tuple[str, dict[str, Any]]:
        """Return the verb of the command that gives results, and its flags."""
        return 'transform', {}

    def _known_rows(self, X: Any) -> Any:
        """Return X as _rows does, with the columns of the fit alone."""
        if _files(X):
            return self._rows(X)[0]
        names, seen, me = names_of(X), list(getattr(self, 'feature_names_in_', [])), type(self).__name__
        if names and seen:
            lost = sorted(set(seen) - set(names))
            if lost:
                say = 'The feature names should match those that were passed during fit.\n'
                say += 'Feature names seen at fit time, yet now missing:\n' + ''.join('- %s\n' % n for n in lost[:5])
                raise ValueError(say + '- ...\n' * (len(lost) > 5))
            return self._rows(X, seen, self._texts)[0]
        if names or seen:
            say = 'X %s feature names, but %s was fitted %s feature names'
            how = ('has', me, 'without') if names else ('does not have valid', me, 'with')
            warnings.warn(say % how, UserWarning, stacklevel=4)
        rows = self._rows(plain(X) if names else X)[0]
        if rows.shape[1] != self.n_features_in_:
            say = 'X has %d features, but %s is expecting %d features as input'
            raise ValueError(say % (rows.shape[1], me, self.n_features_in_))
        if self._by_position:
            return rows
        return Frame(seen, (rows.toarray() if hasattr(rows, 'tocsr') else rows).T)

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
        """Return an estimator with the model of a file; parameters other than kernel have their defaults.

        -> estimator : Estimator
            ValueError is raised if the model is of another kind."""
        estimator, model = cls(), load(path)
        estimator._check_model(model)
        with open(path, 'rb') as file:
            estimator._model_file = _restore(file.read())
        estimator.kernel = model.meta.get('kernel') or model.meta.get('functions', model.meta.get('left', {})).get('kernel')
        estimator.report_ = model.meta.get('made', {})
        estimator.report_['dimension'] = command.run(command.line(['inspect'], [path], {}))['dimension']
        estimator._learn_columns([], [])
        return estimator

    def _check_model(self, model: Any) -> None:
        if model.meta['method'] != self._method:
            raise ValueError('%s: %s reads models of fit %s, and this one is of %s' % (
                model.path, type(self).__name__, self._method, model.meta['method']))

    def _named(self, attribute: str) -> np.ndarray:
        """Return names of new columns as scikit-learn makes them, one for each entry of an attribute."""
        self._check_fitted()
        letters = type(self).__name__.lower()
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

    def _rows(self, X: Any, columns: Sequence[str] | None = None, texts: Sequence[str] = (),
              without: Sequence[str] = ()) -> tuple[Any, list[str]]:
        """Return X as a list of files, a matrix, a sparse matrix or a Frame, and the names of its columns. Of a frame
        columns are taken if given, or all but those without; the columns texts are read as text."""
        files = _files(X)
        if files:
            return files, []
        if X is None:
            raise ValueError('X is None; rows are an array, a sparse matrix, a frame or paths of files')
        if self.nulls == 'drop':
            raise ValueError("nulls='drop' is for files: rows of X and of results belong together")
        names = names_of(X)
        if names:
            _check_shape(X.shape, 'X')
            names = list(columns or (name for name in names if name not in without))
            x = read(X, names, texts)
            _check_shape(x.shape, 'X') if names else _check_shape((x.shape[0], 0), 'X')
            self._refuse_nulls(x.nulls(), True)
            return x, names
        x = X.tocsr() if hasattr(X, 'tocsr') else _matrix(X)
        numbers = x.data if hasattr(x, 'indptr') else x
        if hasattr(x, 'indptr') and x.dtype.kind in 'iu' and (abs(numbers.astype(float)) > _exact).any():
            raise ValueError('X has integers beyond 2^53, which float64 cannot hold: take X.astype(float)')
        if numbers.dtype.kind == 'f' and self.nulls in (None, 'error') and not np.isfinite(numbers).all():
            at = x.indices[~np.isfinite(numbers)] if hasattr(x, 'indptr') else np.nonzero(~np.isfinite(x))[1]
            self._refuse_nulls({int(j): int(n) for j, n in zip(*np.unique(at, return_counts=True))}, False)
        return x, []

    def _refuse_nulls(self, nulls: dict[Any, int], frame: bool) -> None:
        """Refuse columns with missing numbers, given how many each has, unless the parameter nulls treats them."""
        if nulls and self.nulls in (None, 'error'):
            raise ValueError("Input X contains NaN or infinity in %s (%d values): set nulls='indicator', 'mean' or 'zero'%s" % (
                quoted(list(nulls)), sum(nulls.values()), dropped(list(nulls)) if frame else ''))

    def _kernels(self) -> str | list[str] | None:
        """Return the kernel as the command takes it, with gamma. None is the default of the command."""
        if isinstance(self.kernel, (list, tuple)):
            return [self._with_gamma(k) for k in self.kernel]
        if self.kernel is None and self.gamma is None:
            return None
        return self._with_gamma('rbf' if self.kernel is None else self.kernel)

    def _with_gamma(self, kernel: Any) -> str:
        if callable(kernel):
            raise ValueError('kernel is a function of Python, and the command evaluates kernels itself: name one, such as '
                             "'rbf', or compose it, such as 'rbf*cosine + 0.1*linear'")
        if not isinstance(kernel, str) or kernel == 'precomputed':
            raise ValueError('kernel=%s: a Gram matrix has an entry for each pair of rows, and is never formed here; give the '
                             'rows as X, and a kernel by name' % (repr(kernel) if isinstance(kernel, str) else type(kernel).__name__))
        gamma = self.gamma
        if gamma is None and kernel in _by_median:
            gamma = 'median'
        if gamma is None:
            return kernel
        if not re.fullmatch('[a-z0-9]+', kernel):
            raise ValueError('gamma is for a kernel that is named alone: write it into kernel=%r' % kernel)
        return '%s(gamma=%s)' % (kernel, gamma)


docs.complete(Estimator)


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
        raise ValueError('X holds times: make numbers of them, or a frame')
    if np.iscomplexobj(x):
        raise ValueError('Complex data not supported')
    if x.dtype.kind in 'US' or x.dtype.kind == 'O' and any(isinstance(c, str) for c in x.ravel().tolist()):
        what = 'columns that are not called by str: take X.rename(columns=str)' if hasattr(X, 'columns') else \
            'no names of columns: take a frame, pandas.DataFrame(X).rename(columns=str)'
        try:
            x = x.astype(float)
        except ValueError:
            raise ValueError('X holds text, and has ' + what) from None
    if x.dtype.kind not in 'biuf' or x.dtype.itemsize > 8 or x.dtype == np.float16:
        x = np.asarray(x, float)
    if x.ndim != 2:
        raise ValueError('Expected 2D array, got %dD array instead. Reshape your data: X.reshape(-1, 1) is one column' % x.ndim)
    _check_shape(x.shape, 'X')
    return x


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if 0 in shape:
        what, found = ('sample', shape[0]) if shape[0] == 0 else ('feature', shape[1])
        raise ValueError('Found array with %d %s(s) (shape=%s) while a minimum of 1 is required.' % (found, what, shape))


def apart(X: Any, y: Any) -> tuple[Any, Any, list[str]]:
    """Return X, y, and the columns of X that y names. y becomes their values for a frame, and None for files."""
    y = os.fspath(y) if isinstance(y, os.PathLike) else y
    text = isinstance(y, str) or isinstance(y, (list, tuple)) and bool(y) and all(isinstance(n, str) for n in y)
    named = [] if not text else [y] if isinstance(y, str) else list(y)
    if text and _files(X):
        return X, None, named
    columns = names_of(X)
    if text and columns and (isinstance(y, str) or set(y) <= set(columns)):
        lost = [n for n in named if n not in columns]
        if lost:
            near = difflib.get_close_matches(lost[0], columns, 1)
            raise ValueError('X has no column %r%s' % (lost[0], '; did you mean %r?' % near[0] if near else ''))
        return X, plain(X[y if isinstance(y, str) else named]), named
    return X, y, []


def _joined(rows: Frame, order: list[str], named: Sequence[str], values: Any) -> Frame:
    """Return rows with the columns of y, an array or a list of them, at their places."""
    new = dict(zip(named, values if isinstance(values, list) else values.T if values.ndim == 2 else [values]))
    all_ = {**dict(zip(rows.names, rows.columns)), **new}
    return Frame([n for n in order if n in all_], [all_[n] for n in order if n in all_])


def as_vector(y: Any, rows: int | None) -> np.ndarray:
    """Return y as a vector with a value for each row."""
    y = plain(y)
    if y.ndim == 2 and y.shape[1] == 1:
        say = 'A column-vector y was passed when a 1d array was expected.'
        warnings.warn(say, DataConversionWarning, stacklevel=3)
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError('y should be a 1d array, got an array of shape %s instead.' % (y.shape,))
    return of_length(y, rows)


def of_length(y: np.ndarray, rows: int | None, name: str = 'y') -> np.ndarray:
    if rows is not None and len(y) != rows:
        raise ValueError('X has %d rows, and %s has %d: inconsistent numbers of samples' % (rows, name, len(y)))
    return y


def length(X: Any) -> int | None:
    """Return the number of rows of X, or None for files."""
    if _files(X):
        return None
    if X is None:
        raise ValueError('X is None; rows are an array, a sparse matrix, a frame or paths of files')
    return X.shape[0] if hasattr(X, 'shape') else len(np.asarray(X))


def checked_weights(X: Any, sample_weight: Any, name: str = 'sample_weight') -> np.ndarray | None:
    """Return the weights of the rows of X, or raise ValueError."""
    if sample_weight is None:
        return None
    weights = np.asarray(plain(sample_weight), float)
    if weights.ndim != 1:
        raise ValueError('Sample weights must be 1D array, and %s is %dD' % (name, weights.ndim))
    of_length(weights, length(X), name)
    if not np.isfinite(weights).all():
        raise ValueError(name + ' contains NaN or infinity')
    if (weights < 0).any():
        at = int(np.argmax(weights < 0))
        raise ValueError('%s[%d] is %g, and weights are 0 or more' % (name, at, weights[at]))
    if not weights.any():
        raise ValueError(name + ' is zero for every row')
    return weights


def _written(rows: Any, place: str) -> list[str]:
    """Return the paths of rows; those in memory are written to a place."""
    rows = rows if isinstance(rows, list) else [rows]
    return [r if isinstance(r, str) else command.write_rows(r, place) for r in rows]


def keep(estimator: Any, arguments: dict[str, Any]) -> None:
    """Keep the arguments of __init__, the locals() there, as scikit-learn wants them: as they are."""
    vars(estimator).update((n, v) for n, v in arguments.items() if n not in ('self', '__class__'))


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 1
    if hasattr(random_state, 'integers'):
        return int(random_state.integers(2 ** 31))
    if hasattr(random_state, 'randint'):
        return int(random_state.randint(2 ** 31 - 1))
    return int(random_state)
