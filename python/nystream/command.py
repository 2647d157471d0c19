"""Run the command nystream: rows in files, its report as a dictionary, its errors as exceptions."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import tempfile
from importlib import metadata
from typing import Any, Iterable, Iterator

import numpy as np


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


def run(arguments: list[str], progress: bool = False) -> dict[str, Any]:
    """Run the command and return its report. An Error has its message. Progress needs tqdm."""
    bar = _Bar() if progress else None
    watch = ['--log-every', '200ms'] if bar else ['--quiet']
    command = [find(), *arguments, '--format', 'json', '--log-format', 'json', *watch]
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
        if code:
            raise Error(failure or 'nystream ended with exit code %d' % code, code)
        report.seek(0)
        return json.loads(report.read() or b'{}')


def stream(arguments: list[str], folder: tempfile.TemporaryDirectory) -> Any:
    """Run the command, and return its rows as a pyarrow.RecordBatchReader, which removes the folder at its end."""
    import pyarrow
    batches = _batches([find(), *arguments, '-o', '-', '--output-format', 'arrow-stream'], folder)
    return pyarrow.RecordBatchReader.from_batches(next(batches), batches)


def _batches(command: list[str], folder: tempfile.TemporaryDirectory) -> Iterator[Any]:
    """Yield the schema of an Arrow stream that a command writes, and its record batches."""
    import pyarrow.ipc
    with folder, tempfile.TemporaryFile() as log:
        quiet = ['--log-format', 'json', '--quiet']
        process = subprocess.Popen([*command, *quiet], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
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
    """Write a matrix, a sparse matrix, a frame or an Arrow stream for the command, and return the path."""
    if hasattr(rows, 'tocsr'):
        return _write_sparse(rows.tocsr(), path + '.libsvm')
    if hasattr(rows, 'columns') or hasattr(rows, '__arrow_c_stream__'):
        return _write_table(rows, path + '.arrows')
    np.save(path + '.npy', rows)
    return path + '.npy'


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


def _write_table(rows: Any, path: str) -> str:
    """Write a frame, or an Arrow stream, as an Arrow stream. A frame becomes CSV where there is no pyarrow."""
    try:
        import pyarrow.ipc
    except ImportError:
        if not hasattr(rows, 'to_numpy'):
            raise
        return _write_csv(rows, path[:-len('.arrows')] + '.csv')
    if hasattr(rows, 'iloc'):  # pandas, whose index is no column
        rows = pyarrow.Table.from_pandas(rows, preserve_index=False)
    with pyarrow.RecordBatchReader.from_stream(rows) as batches, pyarrow.ipc.new_stream(path, batches.schema) as out:
        for batch in batches:
            out.write_batch(batch)
    return path


def _write_csv(frame: Any, path: str) -> str:
    if hasattr(frame, 'write_csv'):
        frame.write_csv(path)
    else:
        frame.astype({c: int for c in frame.columns if frame[c].dtype == bool}).to_csv(path, index=False)
    return path


def write_labels(labels: np.ndarray, path: str) -> str:
    """Write a class for each row: whole numbers, or text."""
    if labels.dtype.kind in 'iu':
        np.save(path + '.npy', labels)
        return path + '.npy'
    with open(path + '.tsv', 'w', encoding='utf-8', newline='') as file:
        lines = csv.writer(file, dialect='excel-tab', lineterminator='\n')
        lines.writerows([['y'], *([label] for label in labels.tolist())])
    return path + '.tsv'
