package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A shape is that of a product of m×k and k×n.
type shape struct{ m, k, n int }

func (s shape) flops() int { return 2 * s.m * s.k * s.n }

func shapes(quick bool) []shape {
	if quick {
		return []shape{{1024, 1024, 1024}}
	}
	return []shape{{1024, 1024, 1024}, {4096, 784, 4096}}
}

// printProducts prints matrix products against the multiply-add peak of the
// fastest path among the options, and gonum's in float64 beside them.
func printProducts(w io.Writer, o options) error {
	path := slices.Max(o.paths)
	fmt.Fprintf(w, "\n## Matrix products on %v\n", path)
	printHead(w, "type", "product", "threads", "GF/s", "peak GF/s", "fraction", "rate / 1 thread", "gonum GF/s", "gonum fraction", "max rel. error")
	for _, threads := range o.threads {
		for _, s := range shapes(o.quick) {
			for _, element := range o.types {
				progress("products: %s, %d×%d×%d, threads=%d", element, s.m, s.k, s.n, threads)
				if element == "f32" {
					printProduct[float32](w, o, path, s, threads, nil)
				} else {
					printProduct(w, o, path, s, threads, gonumGemm)
				}
			}
		}
	}
	fmt.Fprintln(w, "\nOf numbers between 0 and 1, so that errors are relative. gonum is measured once.")
	return nil
}

func gonumGemm(a, b, c simd.Matrix[float64]) {
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General(a), blas64.General(b), 0, blas64.General(c))
}

// printProduct measures one product, and gonum's unless it is nil.
func printProduct[T simd.Float](w io.Writer, o options, path simd.Path, s shape, threads int, gonum func(a, b, c simd.Matrix[T])) {
	a, b, c := uniform[T](s.m, s.k, 1), uniform[T](s.k, s.n, 2), newMatrix[T](s.m, s.n)
	ours := func(threads int) func() {
		return func() { simd.GemmThreads(threads, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }
	}
	loads := []load{
		{path: path, run: func(int) int { return simd.PeakFMA[T](path, sumRounds) }},
		{path: path, run: s.alone(ours(threads))},
		{path: path, run: s.alone(ours(1))},
	}
	if gonum != nil {
		loads = append(loads, load{path: path, once: true, run: s.alone(func() { gonum(a, b, c) })})
	}
	crew := newCrew(threads)
	t := crew.measure(loads, o.reps, o.sample)
	crew.close()
	defer simd.Use(path)()
	ours(threads)() // gonum wrote there
	rate := func(i int) string { return fmt.Sprintf("%.1f", 1/t[i].median()) }
	cells := []string{elementName[T](), fmt.Sprintf("%d×%d×%d", s.m, s.k, s.n), fmt.Sprint(threads),
		rate(1), rate(0), ratio(t[0].over(t[1]).median()), ratio(t[2].over(t[1]).median())}
	if gonum != nil {
		cells = append(cells, rate(3), ratio(t[0].over(t[3]).median()))
	} else {
		cells = append(cells, "–", "–")
	}
	printRow(w, append(cells, fmt.Sprintf("%.1e", productError(a, b, c)))...)
}

// alone has the first thread of a crew compute the product: products start
// their threads themselves.
func (s shape) alone(f func()) func(thread int) (flops int) {
	return func(thread int) int {
		if thread > 0 {
			return 0
		}
		f()
		return s.flops()
	}
}

func elementName[T simd.Float]() string {
	if elementSize[T]() == 4 {
		return "f32"
	}
	return "f64"
}

// productError returns the largest error of sampled entries of c = a·b for matrices
// of numbers that are not negative.
func productError[T simd.Float](a, b, c simd.Matrix[T]) float64 {
	worst := 0.0
	for n := range sampledEntries {
		i, j := n*101%c.Rows, n*37%c.Cols
		worst = max(worst, relativeError(float64(rowOf(c, i)[j]), exactBase(simd.Product, rowOf(a, i), column(b, j))))
	}
	return worst
}

func column[T simd.Float](m simd.Matrix[T], j int) []T {
	v := make([]T, m.Rows)
	for i := range v {
		v[i] = rowOf(m, i)[j]
	}
	return v
}
