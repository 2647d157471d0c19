"""Temporary folders that do not outlive the process.

All folders of a process are in one folder, which the process holds locked. The system unlocks it when the
process ends, even by SIGKILL, and the next process removes what nobody holds.
"""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import tempfile
import weakref

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves stays
    fcntl = None

_prefix = 'nystream-py-'
_held, _unknown = -1, -2
_home = 0, ''  # the process, and its folder


class Folder:
    """A new folder, removed with the object, at the end of a with statement or of the process; not by forked ones."""

    def __init__(self):
        self.name = tempfile.mkdtemp(dir=_mine())
        self.remove = weakref.finalize(self, _end, os.getpid(), self.name)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.remove()


def _mine() -> str:
    """Return the folder of this process."""
    global _home
    if _home[0] != os.getpid() or not os.path.isdir(_home[1]):  # a process that was forked takes its own
        _sweep()
        path = tempfile.mkdtemp(prefix=_prefix)
        while _lock(path) == _held or not os.path.isdir(path):  # another process sweeps it
            path = tempfile.mkdtemp(prefix=_prefix)
        _home = os.getpid(), path
        atexit.register(_end, *_home)
    return _home[1]


def _end(process: int, path: str) -> None:
    if process == os.getpid():
        shutil.rmtree(path, ignore_errors=True)


def _lock(path: str) -> int:
    """Lock a folder while the process lives. Return the descriptor of the lock, _held or _unknown."""
    try:
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return _held
    except OSError:  # Windows, or the folder of another user
        return _unknown
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock
    except OSError as failed:  # some file systems have no locks
        os.close(lock)
        return _held if isinstance(failed, BlockingIOError) else _unknown


def _sweep() -> None:
    """Remove the folders of processes that have ended."""
    for path in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), _prefix + '*')):
        lock = _lock(path)
        if lock >= 0:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
