package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/nystream/nystream/bench/internal/report"
)

// budgetShapes are small, tall, wide and sparse data, 2,000 columns of two formats, many files, long
// text and a large page. Passes over all pairs of rows leave out those of tall.
var budgetShapes = []string{
	"text-5000x20-7.csv", "text-1000000x20-7.arrow", "text-20000x784-7.parquet", "sparse-10000x5000-7.libsvm",
	"text-3000x2000-7.arrow", "zstd-6000x2000-6000.parquet", "parts-2000x100-500", "text-200000x5-7.csv",
	"zstd-400000x4-400000.parquet",
}

// tall are the shapes of many entries between rows.
var tall = regexp.MustCompile(`-(1000000|400000|200000|20000)x\d{1,3}-`)

// budgetLines are the methods and verbs, for data X with label L. Those after "all: " visit all
// pairs of rows.
var budgetLines = []string{
	"fit landmark X --kernel rbf(gamma=median) --rank 50",
	"fit landmark X --kernel rbf(gamma=median) --rank 20 --right X",
	"fit auto X --kernel rbf(gamma=median) --rank 20",
	"fit nystrom X --kernel rbf(gamma=median) --rank 50",
	"fit s3spsd X --kernel rbf(gamma=median) --rank 20",
	"fit ssrsvd X --kernel rbf(gamma=median) --rank 20",
	"fit rff X --kernel rbf(gamma=median) --rank 50",
	"fit rpcholesky X --kernel rbf(gamma=median) --rank 100",
	"all: fit subspace X --kernel rbf(gamma=median) --rank 20",
	"all: fit ksvd X --right X --kernel sne(gamma=0.01) --rank 10 --method exact",
	"fit ksvd X --right X --kernel sne(gamma=0.01) --rank 10 --landmarks 300",
	"all: fit ism X --label L --engine exact --dim 2 --kernel gaussian(sigma=median) --iterations 2",
	"fit ism X --label L --engine linear --dim 2 --kernel gaussian(sigma=median) --iterations 2",
	"all: fit operator X --lag 1 --kind koopman --kernel linear --rank 5 --engine exact --landmarks 100",
	"fit operator X --lag 1 --kind koopman --kernel rbf(gamma=median) --rank 5 --engine landmark",
	"fit askls X --label L --kernel sne(gamma=0.01) --engine lowrank --rank 50",
	"all: fit askls X --label L --kernel sne(gamma=0.01) --engine iterative",
	"all: fit transport X --right X --kernel rbf(gamma=median) --engine exact --iterations 3",
	"fit transport X --right X --kernel rbf(gamma=median) --engine lowrank --rank 50 --iterations 3",
	"transform model.npz X -o out.npy",
	"verify model.npz X --error sampled",
	"all: verify model.npz X --error exact",
	"convert X -o out.parquet", "convert X -o out.arrow", "convert X -o out.csv", "convert X -o out.npy",
}

// needs finds what a refused run needs.
var needs = regexp.MustCompile(`needs ([\d.]+ [KMG]?i?B)`)

// The least and the largest smallest budget that is accepted, relative to the peak under it.
const leastRatio, largestRatio = 1 / 1.05, 1.4

// limitBudgets finds the smallest budget that every method and verb accepts.
func limitBudgets(ctx context.Context, l *lab) {
	head := []string{"command", "data", "accepted MiB", "peak MiB", "accepted/peak", "seconds"}
	t := &report.Table{File: "budgets", Title: "Smallest accepted budgets", Head: head}
	for _, shape := range budgetShapes {
		fitted := false
		for _, line := range budgetLines {
			line, all := strings.CutPrefix(line, "all: ")
			if all && tall.MatchString(shape) {
				continue
			}
			l.try(ctx, line+" "+shape, func() string {
				file := l.data(ctx, shape)
				if !fitted {
					l.succeed(ctx, l.fields("fit landmark X --kernel rbf(gamma=median) --rank 20 -o model.npz", file))
					fitted = true
				}
				return l.budget(ctx, t, line, shape, file)
			})
		}
	}
	check(t.Write(l.folder))
}

// budget adds a row to the table: the command under the budget that its refusal names.
func (l *lab) budget(ctx context.Context, t *report.Table, line, shape, file string) string {
	full := strings.ReplaceAll(line, " L ", " name ")
	if strings.HasSuffix(shape, ".libsvm") {
		full = strings.ReplaceAll(line, " L ", " label ")
	}
	if strings.HasPrefix(line, "fit") {
		full += " -o fitted.npz"
	}
	e, allowed := ended{code: 4}, int64(1)
	for e.code == 4 {
		e = l.run(ctx, l.fields(fmt.Sprintf("%s --quiet --memory %d", full, allowed), file))
		if found := needs.FindStringSubmatch(e.text); e.code == 4 && found != nil {
			need, err := humanize.ParseBytes(found[1])
			check(err)
			allowed = int64(need)
		}
	}
	if e.code == 1 && strings.Contains(e.text, "have no span") {
		return "not for the kernel of these rows"
	}
	if e.code != 0 {
		failf("it ends with %d: %s", e.code, e.text)
	}
	ratio := float64(allowed) / float64(e.peak)
	t.Add(line, shape, float64(allowed>>20), float64(e.peak>>20), ratio, e.took.Seconds())
	if ratio < leastRatio || ratio > largestRatio {
		failf("%d MiB are accepted; the peak is %d MiB", allowed>>20, e.peak>>20)
	}
	return "within bounds"
}
