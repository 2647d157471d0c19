package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/nystream/nystream/bench/internal/report"
)

// budgetFormats are the extensions of the formats read by every verb and method.
var budgetFormats = []string{"csv", "jsonl", "libsvm", "npy", "parquet", "arrow", "arrows", "nys"}

// budgetRows is the number of rows of a file by its number of columns.
var budgetRows = map[int]int{20: 100_000, 2000: 2500, 5000: 1000}

// manyFiles is a folder that every verb and method reads as well.
const manyFiles = "parts-2000x100-500"

// budgetLines are the verbs and methods, for data X with label L. M stands for a low-rank model of the data, and P for
// a classifier. Those after "few: " visit all pairs of rows, and use fewer of them.
var budgetLines = []string{
	"fit landmark X --kernel rbf(gamma=median) --rank 50",
	"fit auto X --kernel rbf(gamma=median) --rank 20",
	"fit nystrom X --kernel rbf(gamma=median) --rank 50",
	"fit s3spsd X --kernel rbf(gamma=median) --rank 20",
	"fit ssrsvd X --kernel rbf(gamma=median) --rank 20",
	"fit rff X --kernel rbf(gamma=median) --rank 50",
	"fit rpcholesky X --kernel rbf(gamma=median) --rank 100",
	"fit pca X --kernel rbf(gamma=median) --rank 20 --novelty",
	"few: fit subspace X --kernel rbf(gamma=median) --rank 20",
	"fit ridge X --label L --landmarks 200",
	"fit ksvd X --right X --kernel sne(gamma=0.01) --rank 10 --landmarks 300",
	"few: fit ism X --label L --engine exact --dim 2 --kernel gaussian(sigma=median) --iterations 2",
	"fit operator X --lag 1 --kind koopman --kernel rbf(gamma=median) --rank 5 --engine landmark",
	"fit askls X --label L --kernel sne(gamma=0.01) --engine lowrank --rank 50",
	"fit transport X --right X --kernel rbf(gamma=median) --engine lowrank --rank 50 --iterations 3",
	"transform M X -o out.npy", "predict P X -o out.csv", "verify M X --error sampled",
	"convert X -o out.parquet", "convert X -o out.arrow", "convert X -o out.csv", "convert X -o out.npy",
}

// cell is one measurement: a command line on a data file.
type cell struct{ line, format, data string }

// budgetCells returns a grid in which every pair of a line, a format and a number of columns occurs at least once, and
// every line once with many files.
func budgetCells() (cells []cell) {
	columns := slices.Sorted(maps.Keys(budgetRows))
	for i, line := range budgetLines {
		line, few := strings.CutPrefix(line, "few: ")
		for j, format := range budgetFormats {
			d := columns[(i+j)%len(columns)]
			rows := budgetRows[d]
			if few {
				rows = min(rows, 3000)
			}
			cells = append(cells, cell{line, format, budgetData(rows, d, format)})
		}
		cells = append(cells, cell{line, "500 files", manyFiles})
	}
	return cells
}

// budgetData returns the name of a file with the given rows and columns. A Parquet file is one large page for each
// column.
func budgetData(rows, columns int, format string) string {
	switch format {
	case "parquet":
		return fmt.Sprintf("zstd-%dx%d-%d.parquet", rows, columns, rows)
	case "libsvm":
		return fmt.Sprintf("sparse-%dx%d-7.libsvm", rows, columns)
	case "npy":
		return uniform(rows, columns, 7, format)
	}
	return fmt.Sprintf("text-%dx%d-7.%s", rows, columns, format)
}

// shapeOf returns the ROWSxCOLUMNS of a data name.
func shapeOf(data string) string { return strings.Split(data, "-")[1] }

// needs matches the memory required by a refused run.
var needs = regexp.MustCompile(`needs ([\d.]+ [KMG]?i?B)`)

// mostPeak is the largest allowed peak, relative to the budget, and mostAsked the largest budget required by a refusal,
// relative to the peak under it.
const mostPeak, mostAsked = 1.05, 1.4

// limitBudgets measures the peak of every cell under the smallest budget that the command accepts.
func limitBudgets(ctx context.Context, l *lab) {
	head := []string{"command", "format", "data", "budget MiB", "peak MiB", "peak/budget", "asked/peak", "seconds"}
	t := &report.Table{File: "budgets", Title: "Smallest accepted budgets", Head: head}
	ratios := make(map[string]map[string]float64)
	for _, c := range budgetCells() {
		l.try(ctx, c.line+" "+c.data, func() string {
			ratio := l.budget(ctx, t, c, l.prepare(ctx, c))
			check(t.Save(l.folder)) // saved early, because a run of minutes may be interrupted
			if ratios[c.line] == nil {
				ratios[c.line] = make(map[string]float64)
			}
			ratios[c.line][c.format] = ratio
			if ratio > mostPeak || ratio < 1/mostAsked {
				failf("peak/budget is %.2f, from %.2f to %.2f are allowed", ratio, 1/mostAsked, mostPeak)
			}
			return "within bounds"
		})
	}
	check(ratioTable(ratios).Write(l.folder))
}

// ratioTable shows the ratio of peak and budget by line and format.
func ratioTable(ratios map[string]map[string]float64) *report.Table {
	formats := append(slices.Clone(budgetFormats), "500 files")
	t := &report.Table{File: "ratios", Title: "Peak/budget by verb and format",
		Head: append(append([]string{"command"}, formats...), "largest", "most asked/peak")}
	for _, line := range budgetLines {
		line = strings.TrimPrefix(line, "few: ")
		of := ratios[line]
		if len(of) == 0 {
			continue
		}
		row := []any{line}
		for _, format := range formats {
			if ratio, ok := of[format]; ok {
				row = append(row, ratio)
			} else {
				row = append(row, "")
			}
		}
		all := slices.Sorted(maps.Values(of))
		t.Add(append(row, all[len(all)-1], 1/all[0])...)
	}
	return t
}

// prepare creates the data and the models of a cell, and returns its command line.
func (l *lab) prepare(ctx context.Context, c cell) string {
	label := "name"
	switch c.format {
	case "npy":
		rows, _, _ := strings.Cut(shapeOf(c.data), "x")
		label = l.data(ctx, fmt.Sprintf("labels-%sx1-7.npy", rows))
	case "libsvm":
		label = "label"
	}
	words := strings.Fields(c.line)
	for i, word := range words {
		switch word {
		case "X":
			words[i] = l.data(ctx, c.data)
		case "L":
			words[i] = label
		case "M":
			words[i] = l.model(ctx, "landmark", c.data, "--kernel rbf(gamma=median) --rank 20")
		case "P":
			words[i] = l.model(ctx, "ridge", c.data, "--label labels --landmarks 100 --kernel rbf(gamma=median)")
		}
	}
	if words[0] == "fit" {
		words = append(words, "-o", "fitted.npz")
	}
	return strings.Join(words, " ")
}

// model returns the path of a model for data of the given shape. It fits the model once.
func (l *lab) model(ctx context.Context, method, data, flags string) string {
	rows, columns := 1000, 0
	_, err := fmt.Sscanf(shapeOf(data), "%dx%d", new(int), &columns)
	check(err)
	path := l.in(fmt.Sprintf("%s-%d.npz", method, columns))
	if found, _ := filepath.Glob(path); len(found) == 0 {
		x := l.data(ctx, budgetData(rows, columns, "npy"))
		flags = strings.ReplaceAll(flags, "labels", l.data(ctx, fmt.Sprintf("labels-%dx1-7.npy", rows)))
		l.succeed(ctx, l.fields(fmt.Sprintf("fit %s X %s -o %s", method, flags, path), x))
	}
	return path
}

// budget adds a row to the table, for a command line under the budget of its refusal, and returns peak/budget.
func (l *lab) budget(ctx context.Context, t *report.Table, c cell, full string) float64 {
	e, allowed := processResult{code: 4}, int64(1)
	for e.code == 4 {
		e = l.run(ctx, l.fields(fmt.Sprintf("%s --quiet --memory %d", full, allowed), ""))
		found := needs.FindStringSubmatch(e.text)
		if e.code != 4 || found == nil {
			break
		}
		need, err := humanize.ParseBytes(found[1])
		check(err)
		allowed = int64(need)
	}
	if e.code != 0 {
		failf("it ends with %d: %s", e.code, e.text)
	}
	ratio := float64(e.peak) / float64(allowed)
	t.Add(c.line, c.format, c.data, float64(allowed>>20), float64(e.peak>>20), ratio, 1/ratio, e.took.Seconds())
	return ratio
}
