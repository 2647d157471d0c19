"""What nystream and Python programs take to reach an error.

    to_error.py NYSTREAM DIR NAME... [--limit SECONDS] [--runs K]

climbs a ladder of ranks with every tool, and prints a Markdown table of the first rank
that reaches each relative error in each norm, and what it took. A tool leaves its ladder
where the next rank would need more CPU seconds than the limit, or more memory than
there is for one tool. `nystream fit auto` is given the error and not a rank; what it
takes is ended at three limits. What nystream took is the whole process, with U written;
what a Python program took is without its imports, and CPU seconds once more with them.
DIR has the .npy files that peers.sh makes.
"""

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time

ALL = 16_000  # rows, of which a matrix may be formed
PEERS = os.path.dirname(os.path.abspath(__file__))
TARGETS = (0.1, 0.05, 0.02, 0.01)
NORMS = ("spectral", "Frobenius")
LADDER = [5 * 2**i for i in range(10)]
MEMORY = 8e9  # bytes for one tool
GROWTH = (1.3, 4.0)  # least and most, of the time of a tool from one rank to the next


class Run:
    """What a tool took at a rank, and how near it came."""

    def __init__(self, rank, seconds, cpu, peak, errors, imports=0.0):
        self.rank, self.seconds, self.cpu, self.peak, self.errors = rank, [seconds], [cpu], [peak], errors
        self.imports = imports

    def __str__(self):
        cpu = statistics.median(self.cpu)
        whole = f" ({cpu + self.imports:.2g} with imports)" if self.imports else ""
        return f"{statistics.median(self.seconds):.2g} s, {cpu:.2g} CPU s{whole}, {max(self.peak):.0f} MB, rank {self.rank}"


class Problem:
    def __init__(self, options, name, gamma):
        self.options, self.name = options, name
        self.file = os.path.join(options.dir, name + ".npy")
        self.entries = os.path.join(options.dir, "entries.npy")
        self.environment = dict(os.environ)
        n, d, median = self.of_entries("shape", self.file)
        self.n, self.d, self.gamma = int(n), int(d), median if gamma == "median" else gamma
        self.environment["PEERS_GAMMA"] = repr(self.gamma)
        self.of_entries("write", self.file, self.entries)

    def of_entries(self, *words):
        """What entries.py prints. It runs in a process of its own, as the memory of this
        one would count as that of the tools that it starts."""
        out = subprocess.run([sys.executable, os.path.join(PEERS, "entries.py"), *words], check=True, env=self.environment,
                             stdout=subprocess.PIPE, text=True).stdout
        return [float(word) for word in out.split()]

    def process(self, command, rank):
        """Runs a command that is ended at three limits of CPU seconds. Returns what it
        printed, its seconds, CPU seconds and peak memory in MB; what it printed is None
        when it was ended."""
        most = int(3 * self.options.limit) + 1
        environment = dict(self.environment, PEERS_RANK=str(rank), PEERS_FEATURES=str(rank))
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most)))
        out, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = 0
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXCPU):
            out = None
        elif status != 0:
            raise RuntimeError(f"{' '.join(command)}: {errors.strip()[-2000:]}")
        return out, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6

    def peer(self, program, method, rank, errors=True):
        command = [sys.executable, os.path.join(PEERS, program), method, self.file]
        out, *_ = self.process(command + ["--entries", self.entries] * errors, rank)
        if out is None:
            return None
        _, _, seconds, cpu, peak, spectral, frobenius, imports = out.split("\t")
        return Run(rank, float(seconds), float(cpu), float(peak), (float(spectral), float(frobenius)), float(imports))

    def nystream(self, method, settings, rank, errors=True, factors=True):
        model, u = os.path.join(self.options.dir, "model.npz"), os.path.join(self.options.dir, "u.npy")
        command = [self.options.nystream, "fit", method, self.file, "--kernel", f"rbf(gamma={self.gamma!r})", "-o", model,
                   "--format", "json", "--quiet", *settings]
        if factors:
            command += ["--factors", u, "--coordinates", "orthonormal"]
        out, seconds, cpu, peak = self.process(command, rank)
        if out is None:
            return None
        told = json.loads(out)
        found = (float("nan"),) * 2
        if errors:
            found = tuple(self.of_entries("errors", self.entries, model, u, repr(told.get("shift", 0))))
        return Run(len(told["values"]), seconds, cpu, peak, found)


class Tool:
    """A tool that is given a rank. most is the largest for n rows of d columns."""

    def __init__(self, name, run, most):
        self.name, self.run, self.most = name, run, most

    def climb(self, problem):
        """The runs at the ranks of the ladder, and why there are no more."""
        most = self.most(problem.n)
        runs, spent = [], 0.0
        for rank in LADDER:
            if rank > most:
                return runs, "rows or memory"
            if spent > problem.options.limit:
                return runs, f"next {spent:.2g} CPU s"
            run = self.run(problem, rank)
            if run is None:
                return runs, "the limit of time"
            runs.append(run)
            print(f"  {self.name}, {run}: errors {run.errors[0]:.3g}, {run.errors[1]:.3g}", file=sys.stderr)
            if max(run.errors) <= min(TARGETS):
                return runs, ""
            spent = run.cpu[0] * (min(max(GROWTH[0], run.cpu[0] / runs[-2].cpu[0]), GROWTH[1]) if len(runs) > 1 else GROWTH[0])
        return runs, "the ladder"

    def rows(self, problem):
        """For each norm and target a cell of the table."""
        runs, why = self.climb(problem)
        last = f"not to rank {runs[-1].rank}: " if runs else "not run: "
        first = [[next((r for r in runs if r.errors[norm] <= target), None) for target in TARGETS] for norm in range(2)]
        for run in {id(r): r for row in first for r in row if r}.values():
            for _ in range(problem.options.runs - 1):
                again = self.run(problem, run.rank, errors=False)
                run.seconds += again.seconds
                run.cpu += again.cpu
                run.peak += again.peak
        for norm, row in enumerate(first):
            least = f"{runs[-1].errors[norm]:.2g} ({why})" if runs else why
            yield NORMS[norm], [str(run) if run else last + least for run in row]


class Auto:
    """nystream fit auto, which is given the error."""

    name = "nystream `auto --tol`"

    def rows(self, problem):
        for norm, word in enumerate(NORMS):
            cells = []
            for target in TARGETS:
                settings = ["--tol", repr(target), "--norm", word.lower()]
                run = problem.nystream("auto", settings, 0)
                for _ in range(problem.options.runs - 1 if run and run.cpu[0] < problem.options.limit else 0):
                    again = problem.nystream("auto", settings, 0, errors=False)
                    run.seconds += again.seconds
                    run.cpu += again.cpu
                if run is None:
                    cells.append(f"not in {3 * problem.options.limit:g} CPU s")
                    cells += [cells[-1]] * (len(TARGETS) - len(cells))
                    break
                print(f"  auto {target} {word}, {run}: errors {run.errors[0]:.3g}, {run.errors[1]:.3g}", file=sys.stderr)
                cells.append(str(run) + ("" if run.errors[norm] <= target else f", **error {run.errors[norm]:.2g}**"))
            yield word, cells


def nystream(method, *settings, factors=True):
    def run(problem, rank, errors=True):
        return problem.nystream(method, ["--rank", str(rank), *settings], rank, errors, factors)
    return run


def landmark_model(one=False):
    """The fit without U, beside the errors of the one with U: they are the same model.
    With one, there are as many landmarks as columns."""
    def run(problem, rank, errors=True):
        given = ["--rank", str(rank)] + (["--landmarks", str(rank)] if one else [])
        run = problem.nystream("landmark", given, rank, False, False)
        if run and errors:
            run.errors = problem.nystream("landmark", given, rank).errors
        return run
    return run


def peer(program, method):
    return lambda problem, rank, errors=True: problem.peer(program, method, rank, errors)


def quarter(n):
    """Four landmarks to a column of U, and no more than a quarter of the rows are columns."""
    return min(n // 4, MEMORY // (8 * n))


def half(n):
    """One landmark to a column of U; scikit-learn holds features twice, besides the rows."""
    return min(n // 2, MEMORY // (16 * n))


def formed(n):
    """Where two matrices of all entries fit."""
    return n // 4 if 16 * n * n <= MEMORY and n <= ALL else 0


TOOLS = [
    Auto(),
    Tool("nystream `landmark`", nystream("landmark"), quarter),
    Tool("nystream `landmark`, model without U", landmark_model(), quarter),
    Tool("nystream `landmark` of rank landmarks, model without U", landmark_model(one=True), lambda n: min(n // 2, MEMORY // (8 * n))),
    Tool("nystream `s3spsd`", nystream("s3spsd"), quarter),
    Tool("blocked NumPy of S3SPSD", peer("blocked.py", "factors"), lambda n: min(n // 20, 1000, MEMORY // (16 * n))),
    Tool("Nystroem", peer("sklearn_peers.py", "nystroem"), half),
    Tool("Nystroem, features written", peer("sklearn_peers.py", "nystroem-file"), half),
    Tool("Nystroem of 4 rank, truncated", peer("sklearn_peers.py", "nystroem-truncated"), lambda n: min(n // 4, MEMORY // (72 * n))),
    Tool("RBFSampler", peer("sklearn_peers.py", "rbf-sampler"), half),
    Tool("randomized_svd of A", peer("sklearn_peers.py", "randomized-svd"), formed),
    Tool("eigsh of A", peer("sklearn_peers.py", "eigsh"), formed),
]

# Two lengths where one leaves errors that no tool reaches, or that all reach at once.
GAMMAS = {"satimage": (5.0, "median"), "letter": (5.0, "median"), "mnist": ("median",)}
UNIFORM = (1.0, "median")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nystream")
    parser.add_argument("dir")
    parser.add_argument("names", nargs="+", help="files of rows in the folder, without .npy")
    parser.add_argument("--limit", type=float, default=10, help="CPU seconds that the next rank may need")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    print("| rows | tool | norm | " + " | ".join(f"error {t:g}" for t in TARGETS) + " |")
    print("|---|---|---|" + "---|" * len(TARGETS), flush=True)
    for name in options.names:
        for gamma in GAMMAS.get(name, UNIFORM):
            problem = Problem(options, name, gamma)
            print(f"to_error.py: {name}, gamma {problem.gamma:g}", file=sys.stderr)
            for tool in TOOLS:
                for norm, cells in tool.rows(problem):
                    print(f"| {name if not name.isdigit() else 'uniform'} {problem.n:,} × {problem.d}, gamma {problem.gamma:g} | {tool.name} | {norm} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
