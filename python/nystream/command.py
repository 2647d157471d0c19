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
import threading
from importlib import metadata
from typing import Any, Iterable, Iterator, Mapping, Sequence

import numpy as np

from . import arrow, temporary
from .frame import Frame


class Error(ValueError):
    """A run of the command that failed.

    message : str
        What is wrong, where, and what to do.
    exit_code : int, default=1
        1 failed, 2 wrong usage, 3 bad or missing data, 4 over the memory budget, 130 interrupted.
    exit_code : int
        The exit code of the command; `nystream help exit` lists them."""

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


STDIN = object()  # the path of an Arrow stream on the standard input


def line(verb: Sequence[str], paths: Iterable[Any], flags: Mapping[str, Any],
         options: Sequence[str] | None = None) -> list[str]:
    """Return the arguments of a run. Every command line with paths or values of users is built here.

    verb holds the words of the command. Each flag is one argument, --name=value: None omits the flag,
    and a list repeats it. options are flags as users write them. Paths follow --. No path or value
    can become a flag, and only STDIN means the standard input."""
    wrong = [word for word in verb if not re.fullmatch('[a-z][a-z0-9-]*', word)]
    if wrong:
        raise ValueError('%r is no word of the command' % wrong[0])
    lists = {name: v if isinstance(v, (list, tuple, np.ndarray)) else [v] for name, v in flags.items()}
    words = ['--%s=%s' % (name, one) for name, some in lists.items() for one in some if one is not None]
    paths = list(paths)
    piped = ['--input-format=arrow-stream'] if STDIN in paths else []
    return [*verb, *words, *piped, *_options(options), *_guard, '--', *map(_argument, paths)]


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


def _argument(path: Any) -> str:
    """Return a path that the command cannot take for a flag or the standard input."""
    if path is STDIN:
        return '-'
    path = os.fsdecode(path)
    return os.path.join(os.curdir, path) if path.startswith('-') else path


def listed(names: Iterable[str]) -> str:
    """Return column names as one flag value, quoted so that commas in names survive."""
    names, out = list(names), io.StringIO()
    plain = all(n and n == n.strip() and not set(n) & set(',"\r\n') for n in names)
    csv.writer(out, quoting=csv.QUOTE_MINIMAL if plain else csv.QUOTE_ALL, lineterminator='').writerow(names)
    return out.getvalue()


class Words:
    """Translates messages of the command: flags to parameters, temporary files to names.

    parameters has the name of a parameter for each flag, files a name for each path. frame says whether
    the columns come from a frame in memory."""

    def __init__(self, parameters: Mapping[str, str], files: Mapping[str, str], frame: bool = False):
        self.parameters, self.files, self.frame = parameters, files, frame

    def of(self, message: str) -> str:
        """Return a message of the command with its flags and files replaced by these names."""
        for path, name in self.files.items():
            message = message.replace(path, name)
        if self.frame:
            message = re.sub(r"--columns '!([^']*)'", lambda m: 'X.drop(columns=%r)' % m[1].split(',!'), message)
        return re.sub(r"--([a-z][a-z-]*)(?:[ =]('[^']*'|[\w.]+(?:, [\w.]+)*(?: or [\w.]+)?))?", self._flag, message)

    def _flag(self, found: re.Match) -> str:
        flag, value = found[1], found[2]
        name = self.parameters.get(flag)
        if value and value[0] != "'" and not re.match('[0-9]', value) and not set(re.split('[, ]+', value)) & _values:
            return (name or 'options=[%r]' % ('--' + flag)) + ' ' + value  # of the sentence, such as --weights are
        if not name:
            return 'options=%r' % (['--' + flag] + ([value.strip("'")] if value else []))
        if not value:
            return name
        return name + '=' + (value if re.match("['0-9]", value) else re.sub(r'[\w.]+', _quoted, value))


_values = {'drop', 'zero', 'mean', 'indicator', 'none', 'standard', 'minmax', 'quantile', 'round', 'error', 'onehot',
           'ordinal', 'diagonal', 'full', 'balanced', 'exact', 'landmark', 'nystrom', 'lowrank', 'auto', 'true'}


def _quoted(word: re.Match) -> str:
    return 'or' if word[0] == 'or' else repr(word[0])


_plain = Words({}, {})


def run(arguments: list[str], progress: bool = False, words: Words = _plain) -> dict[str, Any]:
    """Run the command with arguments from line(), and return its report, or raise Error. Progress needs tqdm."""
    bar = _Bar() if progress else None
    watch = '--log-every=200ms' if bar else '--quiet'
    with tempfile.TemporaryFile() as report:
        process = _start([watch, *arguments], stdout=report, stderr=subprocess.PIPE)
        try:
            failure = _follow(process.stderr, bar)
            code = process.wait()
        finally:
            _stop(process)
            if bar:
                bar.close()
        if failure.startswith(_guard[1] + ': no such file'):
            failure = 'the last flag of options lacks its value'
        if code:
            raise Error(words.of(failure) or 'nystream ended with exit code %d' % code, code)
        report.seek(0)
        try:
            return json.loads(report.read() or b'{}')
        except ValueError:
            raise Error('the command printed no report: does a flag of options lack its value?', 2) from None


def _start(arguments: list[str], lifeline: bool = True, **pipes: Any) -> subprocess.Popen:
    """Start the command. Its standard input is a pipe that carries rows, or only tells that this process has ended."""
    environment = {**os.environ, 'NYSTREAM_LIFELINE': 'stdin' if lifeline else ''}
    return subprocess.Popen([find(), '--log-format=json', *arguments], stdin=subprocess.PIPE, env=environment, **pipes)


def _stop(process: subprocess.Popen) -> None:
    """End the command if it still runs, and close its pipes."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in process.stdin, process.stdout, process.stderr:
        try:
            if pipe:
                pipe.close()
        except BrokenPipeError:
            pass


def stream(arguments: list[str], folder: temporary.Folder, words: Words = _plain, rows: Any = None) -> Any:
    """Run the command, and return its rows as a pyarrow.RecordBatchReader, which removes the folder at its end.

    rows is an Arrow stream for the standard input."""
    import pyarrow
    to_pipe = ['--output=-', '--output-format=arrow-stream', '--quiet']
    batches = _batches([*to_pipe, *arguments], folder, words, rows)
    return pyarrow.RecordBatchReader.from_batches(next(batches), batches)


def _batches(arguments: list[str], folder: temporary.Folder, words: Words, rows: Any) -> Iterator[Any]:
    """Yield the schema of an Arrow stream that a command writes, and its record batches."""
    import pyarrow.ipc
    with folder, tempfile.TemporaryFile() as log:
        process = _start(arguments, rows is None, stdout=subprocess.PIPE, stderr=log)
        feeder = None if rows is None else _Feeder(rows, process)
        cut = code = None
        try:
            with pyarrow.ipc.open_stream(process.stdout) as results:
                yield results.schema
                yield from results
            code = process.wait()
        except pyarrow.ArrowException as err:
            cut, code = err, process.wait()
        finally:
            _stop(process)
        if feeder:
            feeder.finish()
        log.seek(0)
        if code or cut:
            raise Error(words.of(_follow(log, None)) or 'nystream ended with exit code %d: %s' % (code, cut), code) from cut


class _Feeder(threading.Thread):
    """Writes an Arrow stream to a pipe while the command reads it."""

    def __init__(self, rows: Any, process: subprocess.Popen):
        super().__init__(daemon=True)
        self.rows, self.pipe, self.failure = rows, process.stdin, None
        process.stdin = None  # closed here
        self.start()

    def run(self) -> None:
        import pyarrow.ipc
        try:
            with self.pipe, pyarrow.RecordBatchReader.from_stream(self.rows) as batches:
                with pyarrow.ipc.new_stream(self.pipe, batches.schema) as out:
                    for batch in batches:
                        out.write_batch(batch)
        except BaseException as err:
            self.failure = err

    def finish(self) -> None:
        """Raise what the rows raised. A pipe that the command has closed is no failure of the rows."""
        self.join()
        if self.failure and not isinstance(self.failure, OSError):
            raise self.failure


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


# --- rows for the command


def write_rows(rows: Any, path: str) -> str:
    """Write a matrix, a sparse matrix, a Frame or an Arrow stream for the command, and return the path."""
    if hasattr(rows, 'tocsr'):
        return _write_sparse(rows.tocsr(), path + '.libsvm')
    if isinstance(rows, Frame):
        arrow.write(path + '.arrows', rows.names, rows.columns)
        return path + '.arrows'
    if hasattr(rows, '__arrow_c_stream__'):
        return _write_stream(rows, path + '.arrows')
    np.save(path + '.npy', rows)
    return path + '.npy'


def write_labels(labels: np.ndarray, path: str) -> str:
    """Write the class of each row (number, boolean or text), and return the path."""
    if labels.dtype.kind in 'iuf':
        np.save(path + '.npy', labels)
        return path + '.npy'
    return write_rows(Frame(['y'], [labels]), path)


def _write_sparse(rows: Any, path: str) -> str:
    """Write libsvm text. An explicit zero in the first row fixes the number of columns."""
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
