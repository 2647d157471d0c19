"""Write named columns as an Arrow IPC stream, with NumPy alone.

The format is described in https://arrow.apache.org/docs/format/Columnar.html. A message has a header in
FlatBuffers layout and a body with the buffers of the columns. A stream written here has one schema, record
batches of numbers, booleans, text and times, and an end-of-stream marker.
"""

from __future__ import annotations

import struct
from typing import Any, Callable, Sequence

import numpy as np

_version, _schema, _batch = 4, 1, 3  # version of the metadata, and kinds of messages
_int, _float, _text, _bool, _timestamp, _duration = 2, 3, 5, 6, 10, 18  # column types
_units = {'s': 0, 'ms': 1, 'us': 2, 'ns': 3}
_batch_bytes = 4 << 20


def write(path: str, names: Sequence[str], columns: Sequence[np.ndarray]) -> None:
    """Write columns of equal length: numbers, booleans, times, or objects that are text or None. Masked values are null."""
    rows = len(columns[0])
    step = max(1, min(_batch_bytes // (8 * len(names)), 1 << 16))
    with open(path, 'wb') as file:
        fields = [_field(name, column) for name, column in zip(names, columns)]
        _message(file, _schema, _table(('<h', 0), _vector(fields)), b'')
        for start in range(0, rows, step):
            _write_batch(file, [column[start:start + step] for column in columns])
        file.write(struct.pack('<Ii', 0xffffffff, 0))


def _field(name: str, column: np.ndarray) -> Callable:
    kind, size = column.dtype.kind, column.dtype.itemsize
    if kind == 'b':
        what, how = _bool, _table()
    elif kind in 'iu':
        what, how = _int, _table(('<i', 8 * size), ('<?', kind == 'i'))
    elif kind == 'f':
        what, how = _float, _table(('<h', {2: 0, 4: 1, 8: 2}[size]))
    elif kind in 'Mm':
        what, how = (_timestamp if kind == 'M' else _duration), _table(('<h', _units[np.datetime_data(column.dtype)[0]]))
    else:
        what, how = _text, _table()
    return _table(_string(name), ('<?', True), ('<B', what), how, None, _vector([]))


def _write_batch(file: Any, columns: list[np.ndarray]) -> None:
    nodes, places, body, at = [], [], [], 0
    for column in columns:
        valid, *buffers = _buffers(column)
        nodes.append(struct.pack('<qq', len(column), 0 if valid is None else int(len(column) - valid.sum())))
        for buffer in (b'' if valid is None else _bits(valid), *buffers):
            places.append(struct.pack('<qq', at, len(buffer)))
            body += [buffer, bytes(-len(buffer) % 64)]
            at += len(buffer) + len(body[-1])
    header = _table(('<q', len(columns[0])), _structs(nodes), _structs(places))
    _message(file, _batch, header, b''.join(body))


def _buffers(column: np.ndarray) -> list[Any]:
    """Return the validity mask of a column, None if all values are valid, and its buffers."""
    valid = None
    if isinstance(column, np.ma.MaskedArray):
        valid, column = ~np.ma.getmaskarray(column), column.data
    if column.dtype.kind == 'b':
        return [valid, _bits(column)]
    if column.dtype.kind in 'Mm':
        return [~np.isnat(column), column.astype(column.dtype.newbyteorder('<')).tobytes()]
    if column.dtype.kind in 'iuf':
        return [valid, column.astype(column.dtype.newbyteorder('<')).tobytes()]
    cells = column.tolist()
    valid = np.array([c is not None for c in cells], bool)
    cells = [b'' if c is None else c.encode() for c in cells]
    ends = np.cumsum([0] + [len(c) for c in cells]).astype('<i4')
    return [None if valid.all() else valid, ends.tobytes(), b''.join(cells)]


def _bits(flags: np.ndarray) -> bytes:
    return np.packbits(flags, bitorder='little').tobytes()


# --- FlatBuffers: a part is a function that appends itself to a bytearray and returns its offset


def _message(file: Any, kind: int, header: Callable, body: bytes) -> None:
    out = bytearray(4)
    root = _table(('<h', _version), ('<B', kind), header, ('<q', len(body)))(out)
    struct.pack_into('<I', out, 0, root)
    out += bytes(-len(out) % 8)
    file.write(struct.pack('<II', 0xffffffff, len(out)) + out)
    file.write(body)


def _table(*fields: Any) -> Callable:
    """Return a table of fields: (struct format, number), another part, or None if absent."""
    def append(out: bytearray) -> int:
        size, offsets = 4, []
        for field in fields:
            width = struct.calcsize(field[0]) if isinstance(field, tuple) else 4
            size += -size % width if field else 0
            offsets.append(size if field else 0)
            size += width if field else 0
        shape = struct.pack('<%dH' % (2 + len(fields)), 4 + 2 * len(fields), size, *offsets)
        out += bytes(-(len(out) + len(shape)) % 8) + shape
        start = len(out)
        out += struct.pack('<i', len(shape)) + bytes(size - 4)
        for field, offset in zip(fields, offsets):
            if isinstance(field, tuple):
                struct.pack_into(field[0], out, start + offset, field[1])
            elif field:
                struct.pack_into('<I', out, start + offset, field(out) - start - offset)
        return start
    return append


def _vector(parts: list[Callable]) -> Callable:
    def append(out: bytearray) -> int:
        out += bytes(-len(out) % 4)
        start = len(out)
        out += struct.pack('<I', len(parts)) + bytes(4 * len(parts))
        for at, part in zip(range(start + 4, start + 4 + 4 * len(parts), 4), parts):
            struct.pack_into('<I', out, at, part(out) - at)
        return start
    return append


def _structs(items: list[bytes]) -> Callable:
    def append(out: bytearray) -> int:
        out += bytes(-(len(out) + 4) % 8)
        start = len(out)
        out += struct.pack('<I', len(items)) + b''.join(items)
        return start
    return append


def _string(text: str) -> Callable:
    def append(out: bytearray) -> int:
        out += bytes(-len(out) % 4)
        start, content = len(out), text.encode()
        out += struct.pack('<I', len(content)) + content + b'\0'
        return start
    return append
