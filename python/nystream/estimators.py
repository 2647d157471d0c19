"""Estimators in the conventions of scikit-learn, fitted and applied by the command nystream.

X is an array, a sparse matrix, a frame of pandas or polars, an Arrow stream (a table or reader of pyarrow, or any object
with __arrow_c_stream__; needs pyarrow), or paths and URLs of files that the command reads. y may name columns of all but
arrays; they are no features then. Results are arrays; batches gives them as a stream, in flat memory.
"""

from __future__ import annotations

from typing import Any, Sequence
import warnings

import numpy as np

from . import command, temporary
from .base import (ClassifierMixin, ClusterMixin, Estimator, OutlierMixin, RegressorMixin, TransformerMixin, _files, _written,
                   apart, as_vector, checked_weights, keep, length, of_length)
from .frame import missing, plain, quoted


class _LowRank(Estimator):
    """What estimators of low-rank models share."""

    def _fit_rank(self, X: Any, y: Any, rank: int | None, **flags: Any) -> Any:
        """Fit from X without the columns that y names."""
        X, _, named = apart(X, y)
        rows = length(X)
        if rank is not None and rows is not None and rank > rows:
            say = 'n_components is %d, and X has %d rows: their number is taken'
            warnings.warn(say % (rank, rows), stacklevel=3)
            rank = rows
        flags = {'kernel': self._kernels(), 'rank': rank, 'landmarks': self.n_landmarks, **flags}
        return self._fit(X, flags, named)

    def _learn(self, model: Any) -> None:
        self.eigenvalues_ = model.arrays['values']


class Embedding(TransformerMixin, _LowRank):
    """Features whose inner products approximate the kernel between rows.

    n_components : int or None
        The rank; None where options choose it, as ['--tol', '0.01'] does.
    method : str
        Method of nystream fit: 'landmark', 'nystrom', 'rff' and others.
    coordinates : {'scores', 'orthonormal'}
        'scores' is U·√values, 'orthonormal' is U.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the approximated kernel matrix.
    """

    def __init__(self, n_components=100, kernel='rbf', gamma=None, method='landmark', n_landmarks=None,
                 coordinates='scores', scale='standard', nulls=None, dates=None, random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y=None):
        """Fit the model.

        The relative error of the kernel matrix in the spectral norm is error_."""
        if self.coordinates not in ('scores', 'orthonormal'):
            raise ValueError("coordinates are 'scores' or 'orthonormal', not %r" % (self.coordinates,))
        return self._fit_rank(X, y, self.n_components)

    def _check_model(self, model: Any) -> None:
        if 'values' not in model.arrays or 'left' not in model.meta:
            say = '%s: Embedding reads low-rank models, and this one is of %s'
            raise ValueError(say % (model.path, model.meta['method']))

    def transform(self, X):
        """Embed rows, seen or new.

        -> embedding : ndarray of shape (n_samples, n_components)"""
        verb, flags = self._answer()
        return self._apply(X, verb, **flags)

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'transform', {'coordinates': None if self.coordinates == 'scores' else self.coordinates}

    def get_feature_names_out(self, input_features=None):
        """Name the new columns: the class in lower case, and a number from 0.

        -> names : ndarray of str"""
        return self._named('eigenvalues_')


class KernelPCA(Embedding):
    """Kernel principal components in the span of landmarks.

    With scale='none' and all rows as landmarks, they are those of scikit-learn's KernelPCA.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their shares of its trace.
    """

    _method = method = 'pca'
    coordinates = 'scores'
    _check_model = Estimator._check_model

    def __init__(self, n_components=10, kernel='rbf', gamma=None, n_landmarks=None, scale='standard', nulls=None, dates=None,
                 random_state=None, verbose=0, options=None):
        keep(self, locals())

    def _learn(self, model: Any) -> None:
        super()._learn(model)
        self.explained_variance_ratio_ = self.eigenvalues_ / model.meta['trace']


class Clusters(ClusterMixin, _LowRank):
    """Spectral clustering on the factors of a low-rank model. New rows have clusters too.

    n_clusters : int or 'auto'
        Number of clusters; 'auto' picks it at the largest drop of the eigenvalues.
    n_components : int
        The rank, raised to n_clusters.
    labels_ : ndarray of int of shape (n_samples,)
        Clusters of the fitted rows, from 0.
    n_clusters_ : int
        Number of clusters.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the approximated kernel matrix.
    """

    _method = 'landmark'

    def __init__(self, n_clusters=8, kernel='rbf', gamma=None, n_components=50, n_landmarks=None, scale='standard',
                 nulls=None, dates=None, random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y=None):
        """Fit the model and find the clusters of its rows."""
        k = self.n_clusters
        rank = max(self.n_components, 1 if k == 'auto' else k)
        self._fit_rank(X, y, rank, clusters=None if k == 1 else k)
        self.labels_ = self.predict(X)
        return self

    def _learn(self, model: Any) -> None:
        super()._learn(model)
        self.n_clusters_ = model.meta.get('clusters', {'k': 1})['k']

    def predict(self, X):
        """Assign rows, seen or new, to clusters.

        -> labels : ndarray of int of shape (n_samples,)"""
        if self.__sklearn_is_fitted__() and self.n_clusters_ == 1:  # which the command takes for a mistake
            return np.zeros(len(self._apply(X)), int)
        return self._apply(X, 'predict')[:, 0].astype(int)

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'predict', {}


class Novelty(OutlierMixin, _LowRank):
    """Rows far from the span of the principal components in feature space (Hoffmann 2007).

    Distances of held-out rows tell which share of new rows like those of the fit is marked.

    share : float
        Share of new rows like those of the fit that predict marks. contamination, of other detectors, is a share of
        the fitted rows.
    offset_ : float
        Minus the least distance of a marked row.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix.
    """

    _method = 'pca'

    def __init__(self, share=0.05, kernel='rbf', gamma=None, n_components=30, n_landmarks=None, scale='standard', nulls=None, dates=None,
                 random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y=None):
        """Fit the model."""
        if not 0 < self.share < 1:
            raise ValueError('share is between 0 and 1, not %r' % (self.share,))
        return self._fit_rank(X, y, self.n_components, novelty=True)

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
            raise ValueError('%s: this model knows no novelty: fit it with Novelty' % model.path)

    def score_samples(self, X):
        """Return minus the distance of each row from the span.

        -> scores : ndarray of shape (n_samples,)"""
        return -self._apply(X, 'predict', novelty=self.share)[:, 0]

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'predict', {'novelty': self.share}

    def decision_function(self, X):
        """Return score_samples less offset_: below 0 where predict gives -1.

        -> scores : ndarray of shape (n_samples,)"""
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """Mark rows.

        -> marks : ndarray of int of shape (n_samples,)
            -1 for rows that are marked, 1 for others."""
        return np.where(self.decision_function(X) < 0, -1, 1)


class Projection(TransformerMixin, Estimator):
    """Projection to few columns on which classes depend most (Wu et al. 2019).
    components_ : ndarray of shape (n_components, n_features)
        Weights of the columns of X.
    """

    _method = 'ism'

    def __init__(self, n_components=2, kernel='gaussian', gamma=None, scale='standard', nulls=None, dates=None, random_state=None,
                 verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y):
        """Fit the model.

        y : array of shape (n_samples,), or str
            Class of each row, or the column of X that has it."""
        X, y, named = apart(X, y)
        labels = None if named and y is None else _classes(y, length(X))[1]
        return self._fit(X, {'kernel': self._kernels(), 'dim': self.n_components}, named, 'label', label=labels)

    def _learn(self, model: Any) -> None:
        self.components_ = model.arrays['w'].T

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), 'requires_y': True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def transform(self, X):
        """Project rows, seen or new.

        -> projection : ndarray of shape (n_samples, n_components)"""
        return self._apply(X)

    get_feature_names_out = Embedding.get_feature_names_out

    def _named(self, _: str) -> np.ndarray:
        return super()._named('components_')


class _Predictor(Estimator):
    """What regression and classifiers share: scores on files."""

    _measure = ''  # of the report of predict

    def _answer(self) -> tuple[str, dict[str, Any]]:
        return 'predict', {}

    def _scored(self, X: Any, y: Any, sample_weight: Any, score: Any) -> float:
        """Return the score: of rows in memory by scikit-learn's method, of files by the command."""
        X, y, named = apart(X, y)
        if y is not None or not named:
            return score(X, plain(y), sample_weight)
        self._check_fitted()
        with temporary.Folder() as folder:
            paths = [self.model_path_, *_written(_files(X), folder + '/X')]
            report = command.run(command.line(['predict'], paths, {'label': command.listed(named)}), self.verbose)
        return float(np.mean(report[self._measure]))

    def _check_model(self, model: Any) -> None:
        super()._check_model(model)
        if (len(model.classes_) > 0) != hasattr(self, 'decision_function'):
            raise ValueError('%s: Classifier reads models of classes, and Ridge those of numbers' % model.path)


class Ridge(RegressorMixin, _Predictor):
    """Kernel ridge regression on landmarks, from one reading of the rows.

    alpha : float, list of float or None
        Penalty of ‖f‖² against the sum of squares; None or a list is cross-validated.
    kernel : str, list of str or None
        Name or expression of `nystream help kernels`, or a list to choose from; None is a list of four.
    n_landmarks : int
        Number of landmarks: more make smaller errors, and time grows with their square.
    metric : {'diagonal', 'full'} or None
        'diagonal' learns a factor for each column, 'full' a matrix for distances.
    std : bool
        Keep what predict(return_std=True) needs, 16·n_landmarks² bytes.
    alpha_ : float
        Penalty chosen.
    kernel_ : str
        Kernel chosen.
    metric_ : ndarray of shape (n_features, 1) or (n_features, n_features), or None
        Metric learnt.
    error_ : float or list of float
        Root mean squared error of rows left out of the fit, of each target.
    """

    _method, _measure = 'ridge', 'r2'

    def __init__(self, alpha=None, kernel=None, gamma=None, n_landmarks=1000, metric=None, std=False, scale='standard',
                 nulls=None, dates=None, random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        y : array of shape (n_samples,) or (n_samples, n_targets), or str or list of str
            Numbers to predict, or the columns of X that have them."""
        X, y, named = apart(X, y)
        flags = {**_ridge_flags(self), 'std': self.std or None}
        weights = checked_weights(X, sample_weight)
        target = None if named and y is None else _targets(y, length(X))
        self._flat = len(named) == 1 if target is None else target.ndim == 1
        return self._fit(X, flags, named, 'target', target=target, weights=weights)

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

    def predict(self, X, return_std=False):
        """Predict numbers.

        return_std : bool
            Whether to return standard deviations too; needs Ridge(std=True).

        -> values : ndarray of shape (n_samples,) or (n_samples, n_targets)
        -> std : ndarray like values
            Standard deviation of the Gaussian process, with return_std."""
        if not return_std:
            values = self._apply(X)
            return values[:, 0] if self._flat else values
        try:
            values, std = np.split(self._apply(X, 'predict', std=True), 2, 1)
        except command.Error as err:
            if self.std:
                raise
            raise ValueError('return_std needs a model with standard deviations: fit Ridge(std=True)') from err
        return (values[:, 0], std[:, 0]) if self._flat else (values, std)

    def score(self, X, y, sample_weight=None):
        """Return R².

        y : array of shape (n_samples,) or (n_samples, n_targets), or str or list of str
            The truth, or the columns of X that have it.

        -> score : float"""
        return self._scored(X, y, sample_weight, super().score)

    def predict_interval(self, X, level=0.9):
        """Predict bounds of new numbers.

        -> lower, upper : ndarrays of shape (n_samples,) or (n_samples, n_targets)"""
        values = self._apply(X, 'predict', interval=level)
        _, lower, upper = np.split(values, 3, 1)
        return (lower[:, 0], upper[:, 0]) if self._flat else (lower, upper)


class _Chooser(ClassifierMixin, _Predictor):
    """A classifier of the command."""

    _measure = 'accuracy'

    def _fit_classes(self, X: Any, y: Any, flags: dict[str, Any], sample_weight: Any = None) -> Any:
        X, y, named = apart(X, y)
        weights, labels = checked_weights(X, sample_weight), None
        vars(self).pop('classes_', None)
        if y is not None or not named:
            self.classes_, labels = _classes(y, length(X), weights)
        return self._fit(X, flags, named, 'label', label=labels, weights=weights)

    def _learn(self, model: Any) -> None:
        written = model.classes_.tolist()
        if 'classes_' not in vars(self):
            self.classes_ = np.unique(model.classes_)
        self._order = [written.index(name) for name in _class_names(self.classes_)]
        self._probable = model.meta.get('merge') == 'stack' or 'temperature' in model.meta

    def decision_function(self, X):
        """Return a number for each class, the largest of which wins; of two classes their difference.

        -> decisions : ndarray of shape (n_samples, n_classes), or (n_samples,) of two classes"""
        d = self._apply(X)[:, self._order]
        return d[:, 1] - d[:, 0] if d.shape[1] == 2 else d

    def predict(self, X):
        """Predict classes.

        -> classes : ndarray of shape (n_samples,)"""
        d = self.decision_function(X)
        return self.classes_[(d > 0).astype(int) if d.ndim == 1 else d.argmax(1)]

    def score(self, X, y, sample_weight=None):
        """Return the share of rows whose class is right.

        y : array of shape (n_samples,), or str
            The truth, or the column of X that has it.

        -> score : float"""
        return self._scored(X, y, sample_weight, super().score)

    @property
    def predict_proba(self):
        """predict_proba(X) returns the probability of each class, an ndarray of shape (n_samples, n_classes)."""
        if not getattr(self, '_probable', False):
            raise AttributeError('the model has no probabilities')
        return self._probabilities

    def _probabilities(self, X):
        return self._apply(X, 'predict', probabilities=True)[:, 1:][:, self._order]  # the class is the first column


class Classifier(_Chooser):
    """Classifier by kernel ridge regression on landmarks, from one reading of the rows.

    alpha : float, list of float or None
        Penalty; None or a list is cross-validated.
    kernel : str, list of str or None
        Name or expression of `nystream help kernels`, or a list to choose from; None is a list of four.
    n_landmarks : int
        Number of landmarks: more make smaller errors, and time grows with their square.
    metric : {'diagonal', 'full'} or None
        'diagonal' learns a factor for each column, 'full' a matrix for distances.
    class_weight : {'balanced'}, dict or None
        Weight of each class, 1 where a dict has none; 'balanced' makes rare classes weigh as much as others.
    classes_ : ndarray of shape (n_classes,)
        The classes, in ascending order.
    alpha_ : float
        Penalty chosen.
    kernel_ : str
        Kernel chosen.
    metric_ : ndarray of shape (n_features, 1) or (n_features, n_features), or None
        Metric learnt.
    error_ : float
        Share of wrong classes among rows left out of the fit.
    """

    _method = 'ridge'

    def __init__(self, alpha=None, kernel=None, gamma=None, n_landmarks=1000, metric=None, class_weight=None,
                 scale='standard', nulls=None, dates=None, random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        y : array of shape (n_samples,), or str
            Class of each row, or the column of X that has it."""
        flags = _ridge_flags(self)
        if isinstance(self.class_weight, dict):
            values = apart(X, y)[1]
            if values is None:
                raise ValueError("class_weight with a weight for each class is for arrays and frames: with files take 'balanced'")
            cells = plain(values).ravel().tolist()
            strange = [c for c in self.class_weight if c not in set(cells)]
            if strange:
                raise ValueError('class_weight names classes that y does not have: %s' % ', '.join(map(repr, strange)))
            weights = np.array([self.class_weight.get(c, 1) for c in cells], float)
            sample_weight = weights if sample_weight is None else weights * checked_weights(X, sample_weight)
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
    """Classifier from a kernel that need not be symmetric, such as sne (He et al. 2022).

    With options=['--merge', 'stack'] there is predict_proba.

    C : float
        Penalty of errors against the size of the functions.
    classes_ : ndarray of shape (n_classes,)
        The classes, in ascending order.
    error_ : float or None
        Share of wrong classes out of fold, None unless options ask for folds.
    """

    _method = 'askls'

    def __init__(self, C=1.0, kernel='rbf', gamma=None, scale='standard', nulls=None, dates=None, random_state=None, verbose=0,
                 options=None):
        keep(self, locals())

    def fit(self, X, y):
        """Fit the model.

        y : array of shape (n_samples,), or str
            Class of each row, or the column of X that has it."""
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
    y = y if y.ndim == 2 and y.shape[1] > 1 else as_vector(y, rows)
    y = of_length(_numbers(y), rows)
    if not np.isfinite(y).all():
        raise ValueError('Input y contains NaN or infinity' + _which(~np.isfinite(y if y.ndim == 1 else y.sum(1))))
    return y


def _numbers(y: np.ndarray) -> np.ndarray:
    try:
        return np.asarray(y, float)
    except ValueError:
        raise ValueError('y holds text, and a regression predicts numbers: take nystream.Classifier') from None


def _which(lost: np.ndarray) -> str:
    return ' in %d of %d rows: leave them out, X[rows], y[rows] with rows = ~numpy.isnan(y)' % (lost.sum(), len(lost))


def _classes(y: Any, rows: int | None, weights: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, and the class of each row as written for the command: numbers, booleans or text."""
    if y is None:
        raise ValueError('requires y to be passed, but the target y is None')
    y = as_vector(y, rows)
    if y.dtype.kind == 'O' and any(map(missing, y.tolist())):
        lost = sum(map(missing, y.tolist()))
        raise ValueError('Input y contains NaN or None in %d of %d rows: leave out rows without a class' % (lost, len(y)))
    if y.dtype.kind == 'f' and not np.isfinite(y).all():
        raise ValueError('Input y contains NaN or infinity' + _which(~np.isfinite(y)))
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
