"""Docstrings in numpydoc form, completed by what all estimators share: each parameter is described once."""

from __future__ import annotations

import inspect
import re

_parameters = {
    'kernel': """str
    Name or expression of `nystream help kernels`, such as 'rbf' or 'rbf*cosine + 0.1*linear'. A callable or a Gram
    matrix is refused: the command evaluates kernels itself, without forming the matrix.""",
    'gamma': """float, {'median', 'scale', 'auto'} or None
    Parameter of a kernel named alone. None is 'median' for rbf, laplace, exponential and sne.""",
    'n_components': """int or None
    Number of components.""",
    'n_landmarks': """int or None
    Number of landmarks; time grows with its square. None is 4 times n_components, and 2·n_components + 200 from 100
    components; KernelPCA and Novelty have at least 500.""",
    'scale': """{'none', 'standard', 'minmax', 'quantile'}
    Scaling of columns of numbers. Sparse rows are scaled like dense ones.""",
    'nulls': """{'error', 'drop', 'zero', 'mean', 'indicator'} or None
    Treatment of NaN, NA, None and masked values; 'drop' is for files alone. None is 'error'.""",
    'dates': """{'number', 'calendar'} or None
    Features of dates and times. 'number' makes days since 1970 in UTC, and seconds of times and durations. 'calendar'
    makes year, day of year, weekday and hour of dates. None leaves both out, with a warning.""",
    'random_state': """int, Generator, RandomState or None
    Seed of all random choices. None is 1, so that the same rows give the same model.""",
    'verbose': """int
    1 shows a progress bar where tqdm is installed.""",
    'options': """list of str or None
    More flags of the command, such as ['--memory', '1GiB'].""",
    'X': """array, sparse matrix, frame, Arrow stream, path or list of paths
    Rows, of shape (n_samples, n_features). Columns of text become 0/1 columns. Named columns are found by name.""",
    'y': """ignored, or str or list of str
    Names of columns of X that are no features.""",
    'sample_weight': """array of shape (n_samples,) or None
    Weight of each row, 0 or more; a row of weight 0 counts as absent.""",
    'Y': """rows of any kind that X may be, or None
    Rows of the other side.""",
    'Y_weight': """array with an entry for each row of Y, or None
    Mass of each row of Y.""",
    'input_features': """ignored
    For scikit-learn.""",
    'keep': """iterable of str
    Columns of files and streams to carry along.""",
    'path': """str or PathLike
    File of the model, .npz.""",
    'level': """float
    Share of new numbers between the bounds.""",
}
_attributes = """report_ : dict
    Report of the fit; `nystream help json` explains it.
error_ : float, list of float or None
    Cross-validated or estimated error.
warnings_ : list of str
    Reasons to doubt the fit, and columns left out; also issued as Python warnings.
model_path_ : str
    File of the model, which lives as long as the estimator; `save` copies it.
n_features_in_ : int
    Number of columns of X.
feature_names_in_ : ndarray of str
    Names of the columns, if X has names.
"""
_errors = """
Raises
------
nystream.Error
    If the command fails: a ValueError with its exit_code.
ValueError
    If X, y or a parameter cannot be used; the message names all columns at fault.
"""
_entry = re.compile(r'^(->\s*)?([A-Za-z]\w*(?:, \w+)*) : ((?:.+)(?:\n    .*|\n(?=\n*    ))*)', re.M)


def complete(cls: type) -> None:
    """Write out the docstrings of a class and of its methods.

    They have entries "name : type", with indented text, for parameters that _parameters lacks or describes otherwise,
    for attributes, whose names end in _, and, after "->", for what a method returns."""
    for name, method in list(vars(cls).items()):
        f = method.__func__ if isinstance(method, classmethod) else method
        if not name.startswith('_') and inspect.isfunction(f) and f.__doc__ and '\n---' not in f.__doc__:
            head, own, returned = _entries(f.__doc__)
            returned = returned or ('self : object' if name == 'fit' else '')
            f.__doc__ = head + _section('Parameters', _described(f, own)) + _section('Returns', returned)
    if '__init__' in vars(cls):
        head, own, _ = _entries(cls.__doc__)
        attributes = ''.join('%s : %s\n' % a for a in own.items() if a[0].endswith('_'))
        known = re.sub('error_ : .*\n.*\n', '', _attributes) if 'error_' in own else _attributes
        cls.__doc__ = head + _section('Parameters', _described(cls.__init__, own)) + _section('Attributes', attributes + known) + _errors


def _entries(text: str) -> tuple[str, dict[str, str], str]:
    """Return the text before the entries, the entries by name, and what is returned."""
    text = inspect.cleandoc(text)
    first = _entry.search(text)
    found = _entry.findall(text)
    own = {name: what.rstrip() for arrow, name, what in found if not arrow}
    returned = '\n'.join('%s : %s' % (name, what.rstrip()) for arrow, name, what in found if arrow)
    return (text[:first.start()] if first else text).rstrip() + '\n', own, returned


def _section(title: str, text: str) -> str:
    return '\n%s\n%s\n%s\n' % (title, '-' * len(title), text.rstrip()) if text else ''


def _described(f: object, own: dict[str, str]) -> str:
    """Return an entry with its default for each parameter of a function."""
    out = ''
    for name, p in inspect.signature(f).parameters.items():
        if name != 'self' and name != 'cls' and (name in own or name in _parameters):
            kind, _, text = (own.get(name) or _parameters[name]).partition('\n')
            out += '%s : %s%s\n%s\n' % (name, kind, '' if p.default is p.empty else ', default=%r' % (p.default,), text)
    return out
