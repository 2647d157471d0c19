"""Estimators of two sets of rows: singular vectors, operators and transport."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import command
from .base import Estimator, TransformerMixin, _written, apart, checked_weights, keep
from .frame import names as names_of


class _Sides(TransformerMixin, Estimator):
    """What models of rows X and rows Y share."""

    _side = 'left'  # of the rows of X

    def _other(self, Y: Any, names: list[str], place: str) -> dict[str, Any]:
        """Write the rows Y, with the columns of X where they have them, and return the flags that name them."""
        found = names_of(Y)
        self._columns = [n for n in names if n in found] if set(names) <= set(found) else found
        flags = {'right': _written(self._rows(Y, self._columns or None)[0], place)}
        return flags

    def _evaluate(self, X: Any, side: str) -> np.ndarray:
        if side not in ('left', 'right'):
            raise ValueError("side is 'left' or 'right', not %r" % (side,))
        return self._apply(X, side=side, other=side != self._side)

    def _apply(self, X: Any, verb: str = 'transform', other: bool = False, **flags: Any) -> np.ndarray:
        self._of_other = other
        return super()._apply(X, verb, **flags)

    def _known_rows(self, X: Any) -> Any:
        if vars(self).pop('_of_other', False) and vars(self).get('_paired'):
            return self._rows(X, self._columns if names_of(X) and self._columns else None)[0]
        return super()._known_rows(X)

    def _fit_sides(self, X: Any, y: Any, Y: Any, flags: dict[str, Any], **weights: Any) -> Any:
        X, _, named = apart(X, y)
        self._paired, self._columns = Y is not None, []
        flags = {'kernel': self._kernels(), **flags}
        if named and not names_of(X):
            flags['columns'] = command.listed('!' + name for name in named)
        return self._fit(X, flags, named, '', Y=Y, **weights)

    def get_feature_names_out(self, input_features=None):
        """Name the new columns: the class in lower case, and a number from 0.

        -> names : ndarray of str"""
        self._check_fitted()
        return np.array([type(self).__name__.lower() + str(i) for i in range(self._width)], dtype=object)


class KernelSVD(_Sides):
    """Singular vectors of a kernel matrix between rows X and rows Y, which need not be symmetric (Tao et al. 2023).

    n_components : int
        Number of singular vectors.
    kernel : str
        Name or expression of `nystream help kernels`, such as 'sne', 'softmax(scale=1/sqrt(d))' or 'kl(a=1)'.
    method : {'auto', 'exact', 'nystrom', 'ssrsvd'}
        Method of decomposition; 'auto' is exact up to 400,000,000 entries.
    n_landmarks : int or None
        Number of sampled rows and columns of 'nystrom'; None is 20 times n_components.
    singular_values_ : ndarray of shape (n_components,)
        Singular values of the kernel matrix, in descending order.
    """

    _method = 'ksvd'

    def __init__(self, n_components=10, kernel='sne', gamma=None, method='auto', n_landmarks=None, scale='none', nulls=None, dates=None,
                 random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y=None, Y=None):
        """Fit the matrix between X and Y.

        Y : rows of any kind that X may be, or None
            The columns of the matrix; None is X itself."""
        flags = {'rank': self.n_components, 'method': None if self.method == 'auto' else self.method, 'landmarks': self.n_landmarks}
        return self._fit_sides(X, y, Y, flags)

    def _learn(self, model: Any) -> None:
        self.singular_values_ = model.arrays['values']
        self._width = len(self.singular_values_)

    def transform(self, X, side='left'):
        """Evaluate singular vectors at rows, seen or new.

        side : {'left', 'right'}
            Whether the rows are like X or like Y.

        -> vectors : ndarray of shape (n_samples, n_components)"""
        return self._evaluate(X, side)


class Operator(_Sides):
    """Operators between functions of rows x and y: Koopman, kernel CCA, conditional means (Mollenhauer et al. 2020).

    kind : {'koopman', 'perron-frobenius', 'cca', 'cme', 'covariance', 'cross-covariance'}
        The operator; `nystream fit operator --help` defines each. 'cme' is the conditional mean embedding of y given x.
    lag : int or None
        Number of rows from x to y in X, where fit gets no Y.
    task : {'svd', 'eigen'}
        Singular values and functions, or eigenvalues and eigenfunctions.
    ridge : float or None
        Number added to covariance operators before inversion; None is 0.001.
    n_landmarks : int or None
        Most landmarks of a side.
    values_ : ndarray of shape (n_components,)
        Singular values or canonical correlations, or eigenvalues, which may be complex.
    timescales_ : ndarray of shape (n_components,) or None
        Implied timescales of eigenvalues, in rows.
    """

    _method, _side = 'operator', 'right'

    def __init__(self, kind='koopman', lag=1, n_components=5, kernel='rbf', gamma=None, task='svd', ridge=None,
                 n_landmarks=None, scale='none', nulls=None, dates=None, random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y=None, Y=None):
        """Fit the operator to pairs of rows.

        Y : rows of any kind that X may be, or None
            Row i goes with row i of X; with None row i + lag of X does."""
        flags = {'rank': self.n_components, 'kind': self.kind, 'task': self.task, 'ridge': self.ridge,
                 'landmarks': self.n_landmarks, 'lag': None if Y is not None or self.kind == 'covariance' else self.lag}
        return self._fit_sides(X, y, Y, flags)

    def _other(self, Y: Any, names: list[str], place: str) -> dict[str, Any]:
        flags = super()._other(Y, names, place)
        other = command.listed(self._columns) if self._columns and self._columns != names else None
        return {'with': flags['right'], 'with-columns': other}

    def _learn(self, model: Any) -> None:
        values, imaginary = model.arrays['values'], model.arrays.get('values_imag')
        self.values_ = values if imaginary is None else values + 1j * imaginary
        self.timescales_ = np.array(self.report_['timescales'], float) if self.report_.get('timescales') else None
        self._complex, self._width = bool(model.meta.get('complex')), len(values)

    def transform(self, X, side='right'):
        """Evaluate singular functions or eigenfunctions at rows, seen or new.

        side : {'left', 'right'}
            'right' for functions of x at rows like X, 'left' for those of y at rows like Y.

        -> functions : ndarray of shape (n_samples, n_components)
            Complex where eigenvalues are."""
        f = self._evaluate(X, side)
        return f[:, :self._width] + 1j * f[:, self._width:] if self._complex else f


class Transport(_Sides):
    """Entropic optimal transport of rows X to rows Y, with a map of new rows (Cuturi 2013).

    kernel : str
        The cost is −log kernel: that of 'rbf(gamma=10)' is 10·‖x − y‖².
    epsilon : float
        Weight of the entropy.
    engine : {'auto', 'exact', 'lowrank'}
        Products with the kernel matrix: all entries, or a low-rank approximation.
    n_components : int or None
        Rank of 'lowrank'.
    marginal_penalty : float or None
        Price of masses that change; None keeps them.
    cost_ : float
        Cost of the plan.
    n_iter_ : int
        Number of iterations.
    """

    _method = 'transport'

    def __init__(self, kernel='rbf', gamma=None, epsilon=1.0, engine='auto', n_components=None, marginal_penalty=None,
                 scale='none', nulls=None, dates=None, random_state=None, verbose=0, options=None):
        keep(self, locals())

    def fit(self, X, y=None, Y=None, sample_weight=None, Y_weight=None):
        """Find the plan.

        Y : rows of any kind that X may be, or None
            Where the rows of X go; None is X itself.
        sample_weight : array of shape (n_samples,) or None
            Mass of each row of X."""
        flags = {'epsilon': self.epsilon, 'engine': None if self.engine == 'auto' else self.engine, 'rank': self.n_components,
                 'marginal-penalty': self.marginal_penalty, 'categories': None}  # a mean of words is none
        masses = {'weights': checked_weights(X, sample_weight)}
        if Y_weight is not None:
            masses['right-weights'] = checked_weights(Y, Y_weight, 'Y_weight')
        return self._fit_sides(X, y, Y, flags, **masses)

    def _learn(self, model: Any) -> None:
        self.cost_, self.n_iter_ = self.report_.get('cost'), self.report_.get('iterations')
        self._width = len(model.meta.get('right', ())) or self.n_features_in_

    def transform(self, X):
        """Map rows, seen or new, to the mean of Y under the plan.

        -> mapped : ndarray of shape (n_samples, n_features)"""
        return self._evaluate(X, 'left')

    def inverse_transform(self, X):
        """Map rows like Y back to the mean of X under the plan.

        -> mapped : ndarray of shape (n_samples, n_features)"""
        return self._evaluate(X, 'right')
