"""What estimators take from scikit-learn, for where it is not installed."""

from __future__ import annotations

import inspect

import numpy as np


class BaseEstimator:
    """Parameters are the arguments of __init__, kept in attributes of the same names."""

    @classmethod
    def _get_param_names(cls):
        return sorted(p for p in inspect.signature(cls.__init__).parameters if p != 'self')

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **parameters):
        for name, value in parameters.items():
            if name not in self._get_param_names():
                raise ValueError('%s has no parameter %s' % (type(self).__name__, name))
            setattr(self, name, value)
        return self

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, ', '.join('%s=%r' % p for p in self.get_params().items()))


class TransformerMixin:
    def fit_transform(self, X, y=None, **others):
        return self.fit(X, y, **others).transform(X)


class ClusterMixin:
    def fit_predict(self, X, y=None):
        return self.fit(X, y).labels_


class OutlierMixin:
    def fit_predict(self, X, y=None):
        return self.fit(X, y).predict(X)


class ClassifierMixin:
    def score(self, X, y, sample_weight=None):
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


class RegressorMixin:
    def score(self, X, y, sample_weight=None):
        y, weights = np.asarray(y, float), sample_weight
        left = np.average((y - self.predict(X)) ** 2, axis=0, weights=weights)
        total = np.average((y - np.average(y, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
        return float(np.mean(1 - left / total))


class NotFittedError(ValueError, AttributeError):
    pass


class DataConversionWarning(UserWarning):
    pass
