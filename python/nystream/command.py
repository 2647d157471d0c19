"""Run the command nystream: rows in files, its report as a dictionary, its errors as exceptions."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
from importlib import metadata
from typing import Any, Iterable, Iterator, Mapping, Sequence

import numpy as np

from . import arrow
from .frame import Frame


class Error(ValueError):
    """A run of the command that failed, with its message; nystream help exit explains exit_code."""

    def __init__(self, message: str, exit_code: int = 1):
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self):
        return Error, (str(self), self.exit_code)


def find() -> str:
    """Return the path of the program: that of the installed wheel, or else the one on PATH."""
    try:
        installed = metadata.files('nystream') or ()
    except metadata.PackageNotFoundError:
        installed = ()
    for file in installed:
        if file.name in ('nystream', 'nystream.exe') and os.path.isfile(file.locate()):
            return os.path.realpath(file.locate())
    found = shutil.which('nystream')
    if not found:
        raise FileNotFoundError('there is no command nystream: install the wheel, or put the program on PATH')
    return found


def line(verb: Sequence[str], paths: Iterable[str | os.PathLike], flags: Mapping[str, Any],
         options: Sequence[str] | None = None) -> list[str]:
    """Return the arguments of a run. Every command line with paths or values of users is built here.

    verb holds the words of the command. Each flag is one argument, --name=value: a value None omits the
    flag, and a list repeats it. options are flags as users write them. Paths follow --. No path or value
    can become a flag, and no path means the standard input."""
    wrong = [word for word in verb if not re.fullmatch('[a-z][a-z0-9-]*', word)]
    if wrong:
        raise ValueError('%r is no word of the command' % wrong[0])
    lists = {name: v if isinstance(v, (list, tuple, np.ndarray)) else [v] for name, v in flags.items()}
    words = ['--%s=%s' % (name, one) for name, some in lists.items() for one in some if one is not None]
    return [*verb, *words, *_options(options), *_guard, '--', *map(_argument, paths)]


_guard = ['--format', 'json']  # an option without its value consumes --format, not the -- after it


def _options(options: Sequence[str] | None) -> list[str]:
    """Join each flag of ['--memory', '1GiB'] with its value: ['--memory=1GiB']."""
    if isinstance(options, (str, bytes)):
        raise ValueError("options is a list of words, such as ['--memory', '1GiB'], and not %r" % (options,))
    words = [str(word) for word in options or ()]
    out, open_flag = [], False
    for word in words:
        if open_flag and not word.startswith('-'):
            out[-1] += '=' + word
        elif word.startswith('-') and word.strip('-'):
            out.append(word)
        elif open_flag:  # a value such as - or --
            out[-1] += '=' + word
        else:
            raise ValueError('options has flags of the command, and %r is none' % word)
        open_flag = out[-1] == word and '=' not in word
    return out


def _argument(path: str | os.PathLike) -> str:
    """Return a path that the command cannot take for a flag or the standard input."""
    path = os.fsdecode(path)
    return os.path.join(os.curdir, path) if path.startswith('-') else path


def listed(names: Iterable[str]) -> str:
    """Return column names as one flag value, quoted so that commas in names survive."""
    names, out = list(names), io.StringIO()
    plain = all(n and n == n.strip() and not set(n) & set(',"\r\n') for n in names)
    csv.writer(out, quoting=csv.QUOTE_MINIMAL if plain else csv.QUOTE_ALL, lineterminator='').writerow(names)
    return out.getvalue()


def run(arguments: list[str], progress: bool = False) -> dict[str, Any]:
    """Run the command with arguments from line(), and return its report, or raise Error. Progress needs tqdm."""
    bar = _Bar() if progress else None
    watch = '--log-every=200ms' if bar else '--quiet'
    command = [find(), '--log-format=json', watch, *arguments]
    with tempfile.TemporaryFile() as report:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=report, stderr=subprocess.PIPE)
        try:
            failure = _follow(process.stderr, bar)
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            process.stderr.close()
            if bar:
                bar.close()
        if failure.startswith(_guard[1] + ': no such file'):
            failure = 'the last flag of options lacks its value'
        if code:
            raise Error(failure or 'nystream ended with exit code %d' % code, code)
        report.seek(0)
        try:
            return json.loads(report.read() or b'{}')
        except ValueError:
            raise Error('the command printed no report: does a flag of options lack its value?', 2) from None


def stream(arguments: list[str], folder: tempfile.TemporaryDirectory) -> Any:
    """Run the command, and return its rows as a pyarrow.RecordBatchReader, which removes the folder at its end."""
    import pyarrow
    to_pipe = ['--output=-', '--output-format=arrow-stream', '--log-format=json', '--quiet']
    batches = _batches([find(), *to_pipe, *arguments], folder)
    return pyarrow.RecordBatchReader.from_batches(next(batches), batches)


def _batches(command: list[str], folder: tempfile.TemporaryDirectory) -> Iterator[Any]:
    """Yield the schema of an Arrow stream that a command writes, and its record batches."""
    import pyarrow.ipc
    with folder, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        cut = None
        try:
            with process.stdout, pyarrow.ipc.open_stream(process.stdout) as rows:
                yield rows.schema
                yield from rows
        except pyarrow.ArrowException as err:
            cut = err
        finally:
            code = process.wait()  # a command whose output is closed ends
        log.seek(0)
        if code or cut:
            raise Error(_follow(log, None) or 'nystream ended with exit code %d: %s' % (code, cut), code) from cut


def _follow(lines: Iterable[bytes], bar: _Bar | None) -> str:
    """Read the log to its end, move the bar, and return the message of an error."""
    failure = ''
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            failure += line.decode(errors='replace')
            continue
        if entry.get('level') == 'error':
            failure = entry['message']
        elif bar and 'done' in entry:
            bar.show(entry)
    return failure.strip()


class _Bar:
    """A tqdm bar of the pass that runs, or nothing where tqdm is not installed."""

    def __init__(self):
        self.bar = self.name = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self.tqdm = tqdm

    def show(self, entry: dict[str, Any]) -> None:
        if not self.tqdm:
            return
        if entry['pass'] != self.name:
            self.close()
            self.name = entry['pass']
            self.bar = self.tqdm(total=entry.get('total'), desc='pass ' + self.name)
        self.bar.update(entry['done'] - self.bar.n)

    def close(self) -> None:
        if self.bar:
            self.bar.close()
            self.bar = None


def write_rows(rows: Any, path: str) -> str:
    """Write a matrix, a sparse matrix, a Frame or an Arrow stream for the command, and return the path."""
    if hasattr(rows, 'tocsr'):
        return _write_sparse(rows.tocsr(), path + '.libsvm')
    if isinstance(rows, Frame):
        return write_columns(rows.names, rows.columns, path)
    if hasattr(rows, '__arrow_c_stream__'):
        return _write_stream(rows, path + '.arrows')
    np.save(path + '.npy', rows)
    return path + '.npy'


def write_columns(names: Sequence[str], columns: Sequence[np.ndarray], path: str) -> str:
    """Write named columns as an Arrow stream, and return the path."""
    arrow.write(path + '.arrows', names, columns)
    return path + '.arrows'


def write_labels(labels: np.ndarray, path: str) -> str:
    """Write the class of each row (number, boolean or text), and return the path."""
    if labels.dtype.kind in 'iuf':
        np.save(path + '.npy', labels)
        return path + '.npy'
    return write_columns(['y'], [labels], path)


def _write_sparse(rows: Any, path: str) -> str:
    """Write libsvm text. An explicit zero in the first row tells the number of columns."""
    starts, columns, values = rows.indptr, rows.indices + 1, rows.data.astype(float)
    with open(path, 'w', encoding='ascii') as file:
        for i in range(rows.shape[0]):
            cells = dict(zip(columns[starts[i]:starts[i + 1]].tolist(), values[starts[i]:starts[i + 1]].tolist()))
            if i == 0:
                cells.setdefault(rows.shape[1], 0.0)
            file.write('0 ' + ' '.join('%d:%r' % cell for cell in sorted(cells.items())) + '\n')
    return path


def _write_stream(rows: Any, path: str) -> str:
    """Copy an Arrow stream to a file, and return the path."""
    import pyarrow.ipc
    with pyarrow.RecordBatchReader.from_stream(rows) as batches, pyarrow.ipc.new_stream(path, batches.schema) as out:
        for batch in batches:
            out.write_batch(batch)
    return path
