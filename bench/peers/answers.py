"""Principal components, clusters and novelty of nystream beside scikit-learn's.

usage: answers.py NYSTREAM DATA [equality] [time] [large] [clusters] [novelty]

DATA is the folder of satimage.scale and letter.scale. Each part prints a table.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_svmlight_file, make_circles
from sklearn.decomposition import KernelPCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.svm import OneClassSVM

tool, data = sys.argv[1], sys.argv[2]
parts = sys.argv[3:] or ["equality", "time", "large", "clusters", "novelty"]
folder = tempfile.mkdtemp()


def place(name):
    return os.path.join(folder, name)


def nystream(*words):
    """Runs the command; returns its report, its CPU seconds and its peak memory in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([tool, *words, "--format", "json", "--quiet"], check=True, capture_output=True, cwd=folder).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(out)
    return report, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, report["peak_rss_bytes"] / 2**20


def cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def uniform(n, d, seed):
    return np.random.default_rng(seed).random((n, d))


def equality():
    print("kernel\teigenvalues\tscores\tnew rows  (largest relative difference, all rows as landmarks)")
    x, new = uniform(500, 5, 1), uniform(200, 5, 2)
    np.save(place("x.npy"), x)
    np.save(place("new.npy"), new)
    for kernel, peer in (("rbf(gamma=2)", dict(kernel="rbf", gamma=2)), ("cosine()", dict(kernel="cosine")),
                         ("poly(degree=3, gamma=1, coef0=1)", dict(kernel="poly", degree=3, gamma=1, coef0=1))):
        nystream("fit", "pca", "x.npy", "--kernel", kernel, "--components", "4", "--landmarks", "500", "-o", "m.npz", "--factors", "u.npy")
        nystream("transform", "m.npz", "new.npy", "-o", "v.npy")
        k = KernelPCA(n_components=4, eigen_solver="dense", **peer)
        u = k.fit_transform(x)
        off = [np.abs(np.load(place("m.npz"))["values"] / k.eigenvalues_ - 1).max()]
        for got, want in ((np.load(place("u.npy")), u), (np.load(place("v.npy")), k.transform(new))):
            got = got * np.sign((np.load(place("u.npy")) * u).sum(0))
            off.append((np.abs(got - want).max(0) / np.sqrt(k.eigenvalues_)).max())
        print("%s\t%.1e\t%.1e\t%.1e" % (kernel, *off), flush=True)


def times():
    print("10,000 x 20, 20 components\tCPU s\tshare of the variance")
    x = uniform(10000, 20, 3)
    np.save(place("x.npy"), x)
    report, seconds, _ = nystream("fit", "pca", "x.npy", "--kernel", "rbf(gamma=0.5)", "--components", "20", "--landmarks", "400", "-o", "m.npz",
                                  "--factors", "u.npy")
    print("nystream fit pca --landmarks 400, scores written\t%.2f\t%.4f" % (seconds, sum(report["explained"])), flush=True)
    k = KernelPCA(n_components=20, kernel="rbf", gamma=0.5, eigen_solver="randomized", random_state=0)
    seconds = cpu(lambda: k.fit_transform(x))
    whole = len(x) - len(x) * np.mean([np.exp(-0.5 * ((x[i:i + 100, None] - x[None]) ** 2).sum(2)).mean() for i in range(0, 1000, 100)])
    print("scikit-learn, randomized\t%.2f\t%.4f" % (seconds, k.eigenvalues_.sum() / whole), flush=True)


def large():
    print("rows x 20, 20 components, 400 landmarks\tCPU s\tpeak MiB")
    for n in (10000, 80000, 1000000):
        np.save(place("x.npy"), uniform(n, 20, 4))
        _, seconds, peak = nystream("fit", "pca", "x.npy", "--kernel", "rbf(gamma=0.5)", "--components", "20", "--landmarks", "400", "-o", "m.npz")
        print("%d\t%.1f\t%.0f" % (n, seconds, peak), flush=True)


def rings(n, seed):
    """Two rings and two blobs, and where each row is."""
    r = np.random.default_rng(seed)
    circles, _ = make_circles(n // 2, factor=0.4, noise=0.03, random_state=seed)
    blobs = [c + 0.15 * r.standard_normal((n // 4, 2)) for c in ((3, 0), (3, 2))]
    order = r.permutation(n // 2 + 2 * (n // 4))
    x = np.concatenate([circles, *blobs])[order]
    circle = (np.hypot(x[:, 0], x[:, 1]) > 0.7).astype(int)
    return x, np.where(x[:, 0] > 2, 2 + (x[:, 1] > 1), circle)


def clusters():
    print("5,000 rows of two rings and two blobs: seed\tRand index beside scikit-learn\tbeside the truth\tscikit-learn beside the truth\tCPU s\tscikit-learn, CPU s")
    for seed in range(10):
        x, truth = rings(5000, seed)
        np.save(place("x.npy"), x)
        _, seconds, _ = nystream("fit", "landmark", "x.npy", "--kernel", "rbf(gamma=15)", "--rank", "100", "--clusters", "4", "-o", "m.npz",
                                 "--clusters-output", "c.npy")
        s = SpectralClustering(4, gamma=15, random_state=0)
        peer = cpu(lambda: s.fit(x))
        ours = np.load(place("c.npy")).ravel()
        indices = [adjusted_rand_score(*pair) for pair in ((s.labels_, ours), (truth, ours), (truth, s.labels_))]
        print("%d\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f" % (seed, *indices, seconds, peer), flush=True)
    for n in (100000, 1000000):
        np.save(place("x.npy"), rings(n, 0)[0])
        _, seconds, peak = nystream("fit", "landmark", "x.npy", "--kernel", "rbf(gamma=15)", "--rank", "100", "--clusters", "4", "-o", "m.npz",
                                    "--clusters-output", "c.npy")
        print("%d rows\t%.1f CPU s\t%.0f MiB" % (n, seconds, peak), flush=True)


def novelty():
    print("one class against the others: data\tAUC nystream\tOneClassSVM\tIsolationForest\tmarked of 0.05\tof 0.1  (means over classes)")
    for name in ("satimage.scale", "letter.scale"):
        if name.startswith("letter"):
            table = np.loadtxt(os.path.join(data, name))
            x, y = table[:, 1:], table[:, 0]
        else:
            x, y = load_svmlight_file(os.path.join(data, name))
            x = x.toarray()
        rows = []
        for c in np.unique(y):
            r = np.random.default_rng(0)
            inside = r.permutation(np.flatnonzero(y == c))
            outside = r.permutation(np.flatnonzero(y != c))[:2000]
            half = len(inside) // 2
            train, fresh = x[inside[:half]], x[inside[half:]]
            test = np.concatenate([fresh, x[outside]])
            truth = np.r_[np.zeros(len(fresh)), np.ones(len(outside))]
            np.save(place("train.npy"), train)
            np.save(place("test.npy"), test)
            d = np.sqrt(((train[:300, None] - train[None, :300]) ** 2).sum(2))
            gamma = 0.5 / np.median(d[d > 0]) ** 2
            nystream("fit", "pca", "train.npy", "--kernel", "rbf(gamma=%r)" % gamma, "--components", "60", "--landmarks", "240", "--novelty",
                     "-o", "m.npz")
            marked = []
            for share in ("0.05", "0.1"):
                nystream("predict", "m.npz", "test.npy", "--novelty", share, "-o", "n.npy")
                n = np.load(place("n.npy"))
                marked.append(n[:len(fresh), 3].mean())
            rows.append([roc_auc_score(truth, n[:, 0]),
                         roc_auc_score(truth, -OneClassSVM(gamma=gamma, nu=0.1).fit(train).decision_function(test)),
                         roc_auc_score(truth, -IsolationForest(random_state=0).fit(train).score_samples(test)), *marked])
        print("%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f" % (name, *np.mean(rows, 0)), flush=True)


if __name__ == "__main__":
    for part in parts:
        {"equality": equality, "time": times, "large": large, "clusters": clusters, "novelty": novelty}[part]()
