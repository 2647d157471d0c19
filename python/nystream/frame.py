"""Columns of frames and arrays as NumPy arrays. Missing numbers are NaN or masked, missing text is None."""

from __future__ import annotations

import datetime
import decimal
import numbers
from typing import Any, Iterable, Sequence

import numpy as np

_times = (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
_numbers = (numbers.Real, np.bool_, decimal.Decimal)


class Frame:
    """Named columns of equal length: arrays of numbers, booleans, times, or of objects that are text or None."""

    def __init__(self, names: Iterable[str], columns: Iterable[np.ndarray]):
        self.names, self.columns = list(names), list(columns)
        self.shape = len(self.columns[0]), len(self.names)

    def where(self, rows: np.ndarray) -> Frame:
        return Frame(self.names, [column[rows] for column in self.columns])

    def nulls(self) -> dict[str, int]:
        """Return how many numbers are missing or infinite, for each column of numbers with some."""
        lost = {n: np.ma.getmaskarray(c).sum() if isinstance(c, np.ma.MaskedArray) else (~np.isfinite(c)).sum()
                for n, c in zip(self.names, self.columns) if c.dtype.kind in 'biuf'}
        return {name: int(count) for name, count in lost.items() if count}


def names(X: Any) -> list[str]:
    """Return the column names of a frame, or none unless all are str."""
    found = list(getattr(X, 'columns', ()))
    return found if all(isinstance(name, str) for name in found) else []


def read(X: Any, columns: Sequence[str], texts: Sequence[str] = ()) -> Frame:
    """Return columns of a frame by name; those in texts are text. Raise ValueError that names all that cannot be read."""
    every = names(X)
    twice = sorted({name for name in every if every.count(name) > 1}) if len(set(every)) < len(every) else []
    if twice:
        raise ValueError('X has several columns of one name: %s; give each its own' % ', '.join(map(repr, twice)))
    cells = X if hasattr(X, '__getitem__') else dict(zip(every, np.asarray(X).T))
    found, wrong = [], {}
    for name in columns:
        try:
            found.append(_column(cells[name], name in texts))
        except ValueError as err:
            wrong.setdefault(str(err), []).append(name)
    if wrong:
        raise ValueError('; '.join('%s in %s: %s' % (*what.split(': ', 1)[:1], quoted(where), (what.split(': ', 1) + [''])[1])
                                   for what, where in wrong.items()) + dropped(sum(wrong.values(), [])))
    return Frame(columns, found)


def quoted(names: Sequence[str], most: int = 8) -> str:
    """Return names as a message has them: column 'a', or columns 'a', 'b' and 3 more."""
    more = ' and %d more' % (len(names) - most) if len(names) > most else ''
    return ('column ' if len(names) == 1 else 'columns ') + ', '.join(map(repr, names[:most])) + more


def dropped(names: Sequence[str]) -> str:
    return ', or take X.drop(columns=%r)' % list(names)


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


def _column(values: Any, as_text: bool) -> np.ndarray:
    """Return a column as numbers, text or times. The text of a ValueError is: what it holds, what to do."""
    dtype = getattr(values, 'dtype', None)
    if getattr(dtype, 'kind', '') in ('M', 'm') and not as_text:
        return _timed(np.asarray(values, dtype.kind + '8[ns]' if hasattr(dtype, 'tz') or hasattr(dtype, 'pyarrow_dtype') else None))
    if hasattr(dtype, 'numpy_dtype') and dtype.kind in 'iub' and not as_text and values.isna().any():
        lost = values.isna().to_numpy(bool)  # exact, where plain makes floats
        return np.ma.array(values.fillna(0 if dtype.kind != 'b' else False).to_numpy(dtype.numpy_dtype), mask=lost)
    array = plain(values)
    if array.dtype.kind in 'Mm' and not as_text:
        return _timed(array)
    if array.dtype.kind in 'biuf' and not as_text:
        return array if array.dtype.itemsize <= 8 else array.astype(float)
    if array.dtype.kind == 'c':
        raise ValueError('Complex data not supported: take real and imaginary parts')
    cells = [None if missing(c) else c for c in array.tolist()]
    present = [c for c in cells if c is not None]
    if present and not as_text and all(isinstance(c, _times) for c in present):
        return _timed(np.array(cells, 'm8[us]' if isinstance(present[0], datetime.timedelta) else 'M8[us]'))
    if present and not as_text and all(type(c).__name__ == 'Period' for c in present):
        return _timed(np.array([c and c.to_timestamp().to_datetime64() for c in cells], 'M8[ns]'))
    if present and not as_text and all(isinstance(c, datetime.time) for c in present):
        since = [c and datetime.datetime.combine(datetime.date.min, c) - datetime.datetime.min for c in cells]
        return _timed(np.array(since, 'm8[us]'))
    for c in present:
        if isinstance(c, (list, tuple, set, dict, np.ndarray)):
            raise ValueError('a %s is in the cells: make a column of each number' % type(c).__name__)
    out = np.empty(len(cells), object)
    out[:] = [c if c is None or type(c) is str else _text(c) for c in cells]
    return out


def _timed(array: np.ndarray) -> np.ndarray:
    """Return times in a unit that Arrow has."""
    return array if np.datetime_data(array.dtype) in (('s', 1), ('ms', 1), ('us', 1), ('ns', 1)) else array.astype(array.dtype.kind + '8[s]')


def _text(cell: Any) -> str:
    return cell.decode() if isinstance(cell, bytes) else str(cell)
