"""Makes .npy files of rows in float64 from files of the papers' data.

    rows.py letter letter.scale OUT.npy       16 columns behind the letter, the first 15,000 rows
    rows.py images mnist_t10k.npy OUT.npy     pixels in [0, 1]
    rows.py first N ROWS.npy OUT.npy          the first rows of another
"""

import sys

import numpy as np

match sys.argv[1:]:
    case ["letter", path, out]:
        np.save(out, np.loadtxt(path, max_rows=15000)[:, 1:])
    case ["images", path, out]:
        np.save(out, np.load(path) / 255.0)
    case ["first", n, path, out]:
        np.save(out, np.array(np.load(path, mmap_mode="r")[:int(n)], float))
    case _:
        sys.exit(__doc__)
