package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nystream/nystream/internal/simd"
)

// printHead prints the head of a Markdown table with numbers in all but the
// first column.
func printHead(w io.Writer, names ...string) {
	fmt.Fprintf(w, "\n| %s |\n|---%s|\n", strings.Join(names, " | "), strings.Repeat("|---:", len(names)-1))
}

func printRow(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

func ratio(v float64) string { return fmt.Sprintf("%.2f", v) }

// nanoseconds has three digits.
func nanoseconds(v float64) string {
	return fmt.Sprintf("%.*f", max(0, 3-len(fmt.Sprint(int(v)))), v)
}

// places lists the places of the lines, each once.
func places(lines []*line) (list []place) {
	for _, l := range lines {
		if !slices.Contains(list, l.place) {
			list = append(list, l.place)
		}
	}
	return list
}

func printPlace(w io.Writer, p place, lines []*line) {
	gonum := p.path == simd.Go && p.element == "f64"
	fmt.Fprintf(w, "\n### %v, %s, threads: %d\n", p.path, p.element, p.threads)
	head := []string{"kernel", "d", "peak G/s", "profile G/s", "tile", "tile+fold", "bound", "tile/bound", "tile+fold/bound", "max rel. error"}
	if gonum {
		head = append(head, "gonum", "gonum/tile")
	}
	printHead(w, head...)
	for _, l := range lines {
		if l.place == p {
			printRow(w, l.cells(gonum)...)
		}
	}
}

func (l *line) cells(gonum bool) []string {
	peak := 2 / l.step.median()
	if l.kernel.base == simd.Absolute {
		peak /= 2
	}
	b := l.bound()
	cells := []string{l.kernel.name, fmt.Sprint(l.d), fmt.Sprintf("%.1f", peak), ratio(1 / l.profile.median()),
		nanoseconds(l.tile.median()), nanoseconds(l.folded.median()), nanoseconds(b.median()),
		ratio(l.tile.over(b).median()), ratio(l.folded.over(b).median()), fmt.Sprintf("%.1e", l.worst)}
	if gonum && l.gonum != nil {
		return append(cells, nanoseconds(l.gonum.median()), ratio(l.gonum.over(l.tile).median()))
	}
	if gonum {
		return append(cells, "–", "–")
	}
	return cells
}

// printScaling prints how many times the peak of one thread several reach. Far
// below their number, another program was running and their tables say little.
func printScaling(w io.Writer, o options, lines []*line) {
	one := peakOf(lines, 1)
	for _, threads := range o.threads {
		if threads > 1 && one > 0 {
			fmt.Fprintf(w, "\nMultiply-add peak of %d threads: %.2f times that of one (medians over all tables; %d if nothing else runs).\n",
				threads, peakOf(lines, threads)/one, threads)
		}
	}
}

// peakOf returns the median rate of multiply-adds among the lines of the first path
// and type on so many threads, 0 if there are none.
func peakOf(lines []*line, threads int) float64 {
	var rates samples
	for _, l := range lines {
		if l.place == (place{lines[0].path, lines[0].element, threads}) && l.kernel.base != simd.Absolute {
			rates = append(rates, 1/l.step.median())
		}
	}
	if len(rates) == 0 {
		return 0
	}
	return rates.median()
}

// A comparison is how many times faster one place is than another.
type comparison struct{ fast, slow place }

// printBetween compares paths and types on the same number of threads.
func printBetween(w io.Writer, o options, lines []*line) {
	for _, threads := range o.threads {
		pairs := comparisons(places(lines), threads)
		if len(pairs) == 0 {
			continue
		}
		head := []string{"kernel", "d"}
		for _, p := range pairs {
			head = append(head, fmt.Sprintf("%v %s / %v %s", p.fast.path, p.fast.element, p.slow.path, p.slow.element))
		}
		fmt.Fprintf(w, "\n### Rates of tile+fold beside each other, threads: %d\n", threads)
		printHead(w, head...)
		for _, k := range o.kernels {
			for _, d := range o.dims {
				printComparison(w, k.name, d, pairs, lines)
			}
		}
	}
}

// comparisons returns float32 against float64 on each path, and AVX2 against
// AVX-512 in each type.
func comparisons(list []place, threads int) (pairs []comparison) {
	for _, a := range list {
		for _, b := range list {
			types := a.path == b.path && a.element == "f32" && b.element == "f64"
			paths := a.element == b.element && a.path == simd.AVX2 && b.path == simd.AVX512
			if (types || paths) && a.threads == threads && b.threads == threads {
				pairs = append(pairs, comparison{a, b})
			}
		}
	}
	return pairs
}

func printComparison(w io.Writer, name string, d int, pairs []comparison, lines []*line) {
	cells := []string{name, fmt.Sprint(d)}
	for _, p := range pairs {
		fast, slow := find(lines, p.fast, name, d), find(lines, p.slow, name, d)
		cells = append(cells, ratio(slow.folded.over(fast.folded).median()))
	}
	printRow(w, cells...)
}

func find(lines []*line, p place, name string, d int) *line {
	return lines[slices.IndexFunc(lines, func(l *line) bool {
		return l.place == p && l.kernel.name == name && l.d == d
	})]
}
