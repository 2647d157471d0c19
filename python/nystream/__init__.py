"""Kernel methods on rows that need not fit in memory: models and estimators of nystream.

    model = nystream.load('m.npz')                 # a model of the command, read by NumPy alone
    u = model.transform(rows)

    nystream.Ridge().fit('train.parquet', 'price').predict('test.parquet')
    make_pipeline(nystream.Embedding(n_components=300), LogisticRegression(C=100))

Embedding, KernelPCA, Clusters, Novelty, Ridge, Classifier, AsymmetricClassifier, Projection, KernelSVD, Operator and
Transport run the command nystream, which the wheel brings along. They follow the conventions of scikit-learn, and work
without it. help(nystream.Ridge) describes each parameter; a failed run raises nystream.Error.
"""

from .model import Model, load

__version__ = '0.1.0'
_estimators = ('AsymmetricClassifier', 'Classifier', 'Clusters', 'Embedding', 'KernelPCA', 'Novelty', 'Projection',
               'Ridge')
_operators = ('KernelSVD', 'Operator', 'Transport')
__all__ = ['Model', 'load', 'Error', *_estimators, *_operators]


def __getattr__(name):
    """Import estimators when they are asked for: scikit-learn takes a second."""
    if name == 'Error':
        from .command import Error
        return Error
    if name in _estimators:
        from . import estimators
        return getattr(estimators, name)
    if name in _operators:
        from . import operators
        return getattr(operators, name)
    raise AttributeError('module nystream has no attribute ' + name)


def __dir__():
    return __all__ + ['__version__']
