"""Writes odd but valid files by NumPy and pandas, with what they hold beside them."""
import gzip, json, os, sys
import numpy as np

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
count = {}


def sidecar(path, writer, columns):
    """columns: a list of (name, kind, values), kind number, text or left."""
    def value(kind, v):
        if v is None:
            return None
        if kind == "text":
            return str(v)
        v = float(v)
        return "NaN" if v != v else float.hex(v) if abs(v) != float("inf") else ("Inf" if v > 0 else "-Inf")
    with open(path + ".json", "w") as f:
        json.dump({"writer": writer, "columns": [{"name": n, "kind": k, "values": [value(k, v) for v in vs]} for n, k, vs in columns]}, f)


def matrix(a):
    a = np.asarray(a)
    if a.ndim == 1:
        a = a[:, None]
    return [("x%d" % j, "number", list(a[:, j])) for j in range(a.shape[1])]


r = np.random.default_rng(7)
base = r.standard_normal((23, 4)) * 50
dtypes = ["f2", "f4", "f8", ">f4", ">f8", ">f2", "i1", "i2", ">i2", "i4", ">i4", "i8", ">i8", "u1", "u2", ">u2", "u4", "u8", "?"]
for dtype in dtypes:
    for order in "CF":
        for shape in [(23, 4), (1, 4), (23, 1), (23,), (0, 3)]:
            n = int(np.prod(shape))
            a = np.abs(base) if dtype.lstrip("<>")[0] == "u" else base
            a = np.resize(a, n).reshape(shape).astype(dtype)
            a = np.asfortranarray(a) if order == "F" else a
            path = "%s/numpy_%s_%s_%s.npy" % (out, dtype.replace(">", "be").replace("?", "bool"), order, "x".join(map(str, shape)))
            np.save(path, a)
            sidecar(path, "NumPy", matrix(a) if a.shape[0] else [("x%d" % j, "number", []) for j in range(a.shape[1] if a.ndim > 1 else 1)])
for version in [(1, 0), (2, 0), (3, 0)]:
    path = "%s/numpy_version%d.npy" % (out, version[0])
    with open(path, "wb") as f:
        np.lib.format.write_array(f, base, version=version)
    sidecar(path, "NumPy", matrix(base))
special = np.array([[np.nan, np.inf], [-np.inf, -0.0], [5e-324, 1.7e308]])
np.save(out + "/numpy_special.npy", special)
sidecar(out + "/numpy_special.npy", "NumPy", matrix(special))
names = np.array(["a", "bé", "日本", ""])
for k, save in enumerate([np.savez, np.savez_compressed]):
    for dtype in ["f4", "f8", "i4", "?", "u2"]:
        X = np.abs(base[:4]).astype(dtype)
        path = "%s/numpy_%d_%s.npz" % (out, k, dtype.replace("?", "bool"))
        save(path, X=X, y=names, w=np.arange(4.0))
        sidecar(path, "NumPy", matrix(X) + [("w", "left", []), ("y", "text", list(names))])
        path = "%s/numpy_one_%d_%s.npz" % (out, k, dtype.replace("?", "bool"))
        save(path, X.T)
        sidecar(path, "NumPy", matrix(X.T))

try:
    import pandas as pd
except ImportError:
    sys.exit(0)
frame = pd.DataFrame({"i": [1, -2, 3], "f": [0.1, np.nan, 1e300], "s": ["a,b", 'say "x"', "日本"], "t": ["plain", "two\nlines", " blank "], "b": [True, False, True]})
columns = [("i", "number", [1, -2, 3]), ("f", "number", [0.1, np.nan, 1e300]), ("s", "text", list(frame.s)), ("t", "text", list(frame.t)), ("b", "number", [1, 0, 1])]
import csv as csvlib
for sep, name in [(",", "comma"), (";", "semi"), ("\t", "tab"), ("|", "bar")]:
    for quoting in [csvlib.QUOTE_MINIMAL, csvlib.QUOTE_ALL, csvlib.QUOTE_NONNUMERIC]:
        for ending in ["\n", "\r\n"]:
            for encoding in ["utf-8", "utf-8-sig", "utf-16"]:
                for compression in [None, "gzip"]:
                    if compression and (encoding != "utf-8" or ending != "\n"):
                        continue
                    path = "%s/pandas_%s_%d_%d_%s.csv%s" % (out, name, quoting, len(ending), encoding, ".gz" if compression else "")
                    frame.to_csv(path, sep=sep, index=False, quoting=quoting, lineterminator=ending, encoding=encoding, compression=compression)
                    sidecar(path, "pandas", columns)
for missing in ["", "NA", "nan", "null", "N/A", "?"]:
    path = "%s/pandas_missing_%s.csv" % (out, {"": "empty", "N/A": "na", "?": "mark"}.get(missing, missing + "_"))
    frame.to_csv(path, index=False, na_rep=missing, columns=["i", "f", "s"])
    sidecar(path, "pandas", columns[:3])
for encoding in ["latin-1", "shift_jis"]:  # refused by policy unless the encoding is named
    path = "%s/pandas_%s.csv" % (out, encoding.replace("-", ""))
    pd.DataFrame({"x": [1, 2], "s": ["é" if encoding == "latin-1" else "表", "b"]}).to_csv(path, index=False, encoding=encoding)
    sidecar(path, "pandas", [("x", "number", [1, 2]), ("s", "text", ["é" if encoding == "latin-1" else "表", "b"])])
    with open(path + ".options", "w") as f:
        f.write(encoding)
for ascii_only in [True, False]:
    for ending in ["jsonl", "jsonl.gz"]:
        path = "%s/pandas_%s.%s" % (out, ascii_only, ending)
        f = frame.copy()
        f.loc[1, "s"] = None
        f.to_json(path, orient="records", lines=True, force_ascii=ascii_only, double_precision=15)
        sidecar(path, "pandas", [columns[0], columns[1], ("s", "text", ["a,b", None, "日本"]), columns[3], columns[4]])
