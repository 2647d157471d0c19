package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// printKernelTimesVector prints the exact product of an RBF kernel matrix with a
// vector.
func printKernelTimesVector(w io.Writer, o options) error {
	n := 100_000
	if o.quick {
		n = 20_000
	}
	path := slices.Max(o.paths)
	fmt.Fprintf(w, "\n## Exact K·v on %v, f64, n = %d, rbf\n", path, n)
	printHead(w, "d", "threads", "seconds", "bound", "seconds/bound", "max rel. error")
	for _, threads := range o.threads {
		for _, d := range []int{3, 20} {
			printKernelProduct(w, o, path, n, d, threads)
		}
	}
	fmt.Fprintln(w, "\nK is symmetric: half of its entries are computed, each used for its row and its column.\n"+
		"Bound: the entries computed at the bound of tiles, and two multiply-adds with each of them.")
	return nil
}

func printKernelProduct(w io.Writer, o options, path simd.Path, n, d, threads int) {
	defer simd.Use(path)()
	c := newCrew(threads)
	defer c.close()
	x, v := blas64.General(uniform[float64](n, d, 1)), uniform[float64](1, n, 2).Data
	p := newKernelProduct(kernels[0], x, v, threads)
	var took, limit samples
	for r := range o.reps {
		progress("K·v: d=%d, threads=%d, %d of %d", d, threads, r+1, o.reps)
		limit = append(limit, p.bound(c, path, o))
		began := time.Now()
		c.run(p.run)
		y := p.result()
		took = append(took, time.Since(began).Seconds())
		if r == o.reps-1 {
			printRow(w, fmt.Sprint(d), fmt.Sprint(threads), ratio(took.median()), ratio(limit.median()),
				ratio(took.over(limit).median()), fmt.Sprintf("%.1e", p.largestError(y)))
		}
	}
}

// bound returns the least time in seconds, from peaks measured now.
func (p *kernelProduct) bound(c *crew, path simd.Path, o options) float64 {
	loads := append(peaks[float64](p.kernel, path),
		load{path: path, run: func(int) int { return simd.PeakFMA[float64](path, sumRounds) / 2 }})
	s := c.measure(loads, 1, o.sample)
	entry := bound(p.x.Cols, s[0], s[1])[0] + 2*s[2][0]
	return computedEntries(p.x.Rows) * entry * 1e-9
}
