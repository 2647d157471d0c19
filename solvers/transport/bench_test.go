//go:build unix

package transport

import (
	"context"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// BenchmarkRound compares rounds of the exact engine with the tiles alone, in nanoseconds of CPU time per entry. The
// ratio is the share of a round spent on tiles.
func BenchmarkRound(b *testing.B) {
	const m, n = 4000, 10_000
	ctx := context.Background()
	s, err := Sinkhorn{}.settings()
	if err != nil {
		b.Fatal(err)
	}
	x, err := newExactIteration(ctx, stream.Engine{Threads: 1}, s, dataOf(colours(m, 1), colours(n, 2)), gamma10)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := x.step(ctx, true); err != nil {
		b.Fatal(err)
	}
	per := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			from := processorTime(b)
			for range b.N {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime(b)-from)/float64(b.N)/(m*n), "cpu-ns/entry")
		})
	}
	pass := func(t *tiles.Tiles) error {
		_, err := x.strips(ctx, t, "tiles", 0, func() stripVisitor { return func([]float64, int, blas64.General) error { return nil } })
		return err
	}
	per("tiles", func() error { return pass(x.power) })
	per("plain", func() error { _, err := x.step(ctx, false); return err })
	per("log tiles", func() error { return pass(x.logs) })
	x.moderate = false
	per("log", func() error { _, err := x.step(ctx, false); return err })
}

// processorTime returns the CPU time of the process.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
