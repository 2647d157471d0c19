"""Columns of frames and arrays as NumPy arrays. Missing numbers are NaN, missing text is None."""

from __future__ import annotations

import datetime
import decimal
import numbers
from typing import Any, Sequence

import numpy as np

_times = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_numbers = (numbers.Real, np.bool_, decimal.Decimal)


class Frame:
    """Named columns of equal length: arrays of numbers, or of objects that are text or None."""

    def __init__(self, names: Sequence[str], columns: Sequence[np.ndarray]):
        self.names, self.columns = list(names), list(columns)
        self.shape = len(self.columns[0]), len(self.names)

    def where(self, rows: np.ndarray) -> Frame:
        return Frame(self.names, [column[rows] for column in self.columns])

    def select(self, names: Sequence[str]) -> Frame:
        place = {name: i for i, name in enumerate(self.names)}
        return Frame(names, [self.columns[place[name]] for name in names])

    def matrix(self) -> np.ndarray | None:
        """Return the columns as a matrix, or None if a column holds text."""
        if any(column.dtype.kind == 'O' for column in self.columns):
            return None
        short = all(column.dtype == np.float32 for column in self.columns)
        out = np.empty(self.shape, np.float32 if short else float)
        for j, column in enumerate(self.columns):
            out[:, j] = column
        return out


def names(X: Any) -> list[str]:
    """Return the column names of a frame, or none unless all are str."""
    found = list(getattr(X, 'columns', ()))
    return found if all(isinstance(name, str) for name in found) else []


def read(X: Any, texts: Sequence[str] = ()) -> tuple[np.ndarray | Frame, list[str]]:
    """Return the columns of a frame, and the names of columns that hold times, which are left out.

    Columns named in texts are always read as text. A frame of numbers only is returned as a matrix."""
    columns = names(X)
    twice = sorted({name for name in columns if columns.count(name) > 1}) if len(set(columns)) < len(columns) else []
    if twice:
        raise ValueError('X has several columns of one name: %s; give each its own' % ', '.join(map(repr, twice)))
    types = {t.kind if isinstance(t, np.dtype) else 'O' for t in getattr(X, 'dtypes', ())}
    if not hasattr(X, '__getitem__') or types and types <= set('biuf') and not texts:
        return np.asarray(X), []
    found = {name: _column(name, X[name], name in texts) for name in columns}
    kept = {name: column for name, column in found.items() if column is not None}
    if not kept:
        raise ValueError('X holds nothing but times: make numbers of them')
    return Frame(kept, kept.values()), [name for name in columns if name not in kept]


def plain(values: Any) -> np.ndarray:
    """Return values as an array. Missing numbers (masked, pandas.NA, None) become NaN."""
    if isinstance(values, np.ma.MaskedArray):
        return _filled(values)
    columns = names(values) if hasattr(values, '__getitem__') else []
    if columns and len(set(columns)) == len(columns):
        return np.column_stack([plain(values[name]) for name in columns])
    dtype = getattr(values, 'dtype', None)
    if hasattr(dtype, 'numpy_dtype') and dtype.kind in 'biuf':  # nullable pandas dtype
        if values.isna().any():
            return values.to_numpy(float, na_value=np.nan)
        return values.to_numpy(dtype.numpy_dtype)
    array = np.asarray(values)
    if array.dtype.names:
        raise ValueError('arrays with named fields are not read: make a frame of them, pandas.DataFrame(X)')
    return _numbers_of(array) if array.dtype.kind == 'O' else array


def _filled(values: np.ma.MaskedArray) -> np.ndarray:
    if values.dtype.names or values.dtype.kind == 'c' or not np.ma.is_masked(values):
        return plain(values.data)
    if values.dtype.kind in 'biuf':
        return values.astype(np.promote_types(values.dtype, np.float32)).filled(np.nan)
    objects = values.data.astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return _numbers_of(objects)


def _numbers_of(array: np.ndarray) -> np.ndarray:
    """Return an object array as numbers if all its values are numbers or missing, else unchanged."""
    cells = array.ravel().tolist()
    lost = [missing(c) for c in cells]
    if not all(gone or isinstance(c, _numbers) for c, gone in zip(cells, lost)):
        return array
    if any(lost):
        return np.array([np.nan if gone else c for c, gone in zip(cells, lost)], float).reshape(array.shape)
    numeric = np.array(cells).reshape(array.shape)
    return numeric.astype(float) if numeric.dtype.kind == 'O' else numeric


def missing(cell: Any) -> bool:
    """Report whether a cell is a missing value."""
    return cell is None or cell is np.ma.masked or type(cell).__name__ in ('NAType', 'NaTType') or \
        isinstance(cell, float) and cell != cell


def _column(name: str, values: Any, as_text: bool) -> np.ndarray | None:
    """Return a column as numbers or text, None if it holds times."""
    kind = getattr(getattr(values, 'dtype', None), 'kind', '')
    array = None if kind in ('M', 'm') else plain(values)
    if array is None or array.dtype.kind in 'Mm':
        return None
    if array.dtype.kind in 'biuf' and not as_text:
        return array if array.dtype.itemsize <= 8 else array.astype(float)
    if array.dtype.kind == 'c':
        raise ValueError('Complex data not supported')
    cells = [None if missing(c) else c for c in array.tolist()]
    present = [c for c in cells if c is not None]
    if present and all(isinstance(c, _times) or type(c).__name__ == 'Period' for c in present):
        return None
    for c in present:
        if isinstance(c, (list, tuple, set, dict, np.ndarray)):
            raise ValueError('column %s of X holds a %s: make a column of each number' % (name, type(c).__name__))
    out = np.empty(len(cells), object)
    out[:] = [c if c is None or type(c) is str else _text(c) for c in cells]
    return out


def _text(cell: Any) -> str:
    return cell.decode() if isinstance(cell, bytes) else str(cell)
