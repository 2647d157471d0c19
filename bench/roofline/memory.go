package main

import (
	"fmt"
	"io"

	"github.com/nystream/nystream/internal/simd"
)

// triadBytes is the size of the three vectors of the triad, well above that of
// caches.
const triadBytes = 192 << 20

// A triad is a = b + s·c on vectors that do not fit the caches (McCalpin,
// STREAM, 1995).
type triad struct{ a, b, c []float64 }

func newTriad(bytes int) *triad {
	n := bytes / 24
	t := &triad{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n { // so that there is memory behind them
		t.a[i], t.b[i], t.c[i] = 0, 1, 2
	}
	return t
}

// run returns the bytes it moved; the store's own read of its line, which some
// machines do, is not counted.
func (t *triad) run(int) (bytes int) {
	a, b, c := t.a, t.b[:len(t.a)], t.c[:len(t.a)]
	for i := range a {
		a[i] = b[i] + 3*c[i]
	}
	return 24 * len(a)
}

// printMemory prints the rates of memory and of a file that is in the system's
// cache.
func printMemory(w io.Writer, o options) error {
	fmt.Fprint(w, "\n## Memory and files, GB/s\n")
	printHead(w, "threads", "triad", "file read, cached")
	for _, threads := range o.threads {
		progress("memory: threads=%d", threads)
		if err := printMemoryRow(w, o, threads); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\nTriad: a = b + s·c on %d MB, 24 bytes an entry. File: %d MB in reads of %d KB.\n",
		triadBytes>>20, fileBytes>>20, readBytes>>10)
	return nil
}

func printMemoryRow(w io.Writer, o options, threads int) error {
	c := newCrew(threads)
	defer c.close()
	f, err := newScratchFile(fileBytes, threads)
	if err != nil {
		return err
	}
	defer f.remove()
	triads := make([]*triad, threads)
	for i := range triads {
		triads[i] = newTriad(triadBytes / threads)
	}
	s := c.measure([]load{
		{path: simd.Go, run: func(thread int) int { return triads[thread].run(thread) }},
		{path: simd.Go, run: f.read},
	}, o.reps, o.sample)
	if f.err() != nil {
		return f.err()
	}
	printRow(w, fmt.Sprint(threads), fmt.Sprintf("%.1f", 1/s[0].median()), fmt.Sprintf("%.1f", 1/s[1].median()))
	return nil
}
