package main

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func TestMedianAndRatios(t *testing.T) {
	if m := (samples{9, 1, 5}).median(); m != 5 {
		t.Errorf("median %v, want 5", m)
	}
	if m := (samples{9, 1, 5, 2}).median(); m != 3.5 {
		t.Errorf("median of four %v, want 3.5", m)
	}
	// The ratio is taken repetition by repetition: here the clock halved.
	if r := (samples{2, 4, 8}).over(samples{1, 2, 4}).median(); r != 2 {
		t.Errorf("ratio %v, want 2", r)
	}
	if b := bound(10, samples{0.5}, samples{2}); b[0] != 7 {
		t.Errorf("bound %v, want 10·0.5 + 2", b)
	}
}

// TestMeasureDividesByAllThreads uses a load whose time is known from below.
func TestMeasureDividesByAllThreads(t *testing.T) {
	c := newCrew(2)
	defer c.close()
	calls := [2]int{}
	s := c.measure([]load{{path: simd.Go, run: func(thread int) int {
		calls[thread]++
		time.Sleep(time.Millisecond)
		return 500
	}}}, 3, time.Millisecond)
	if len(s[0]) != 3 || calls[0] < 4 || calls[0] != calls[1] {
		t.Fatalf("%d samples, calls %v: want 3, and as many calls on both threads", len(s[0]), calls)
	}
	for _, v := range s[0] {
		if v < 1000 { // 1 ms over 2·500 units
			t.Errorf("%v ns a unit, want at least 1000", v)
		}
	}
}

func TestOnceRunsOnce(t *testing.T) {
	c := newCrew(1)
	defer c.close()
	calls := 0
	s := c.measure([]load{{path: simd.Go, once: true, run: func(int) int { calls++; return 1 }}}, 5, time.Millisecond)
	if calls != 1 || len(s[0]) != 5 {
		t.Errorf("%d calls and %d samples, want 1 and 5", calls, len(s[0]))
	}
}

func TestTilesAreAccurate(t *testing.T) {
	for _, k := range kernels {
		for _, d := range []int{1, 20} {
			for _, p := range simd.Available() {
				if e := newTileJob(k, d, 1, solver64).largestError(p); !(e < 1e-14) {
					t.Errorf("%s, d=%d, %v, f64: error %.1e", k.name, d, p, e)
				}
				if e := newTileJob(k, d, 1, solver32).largestError(p); !(e < 1e-5) || e == 0 {
					t.Errorf("%s, d=%d, %v, f32: error %.1e", k.name, d, p, e)
				}
			}
		}
	}
}

// TestErrorsAreSeen spoils a profile.
func TestErrorsAreSeen(t *testing.T) {
	j := newTileJob(kernels[0], 5, 1, solver64)
	j.profile = simd.Exponential(-rbfGamma(5) * (1 + 1e-9))
	if e := j.largestError(simd.Go); e < 1e-10 {
		t.Errorf("error %.1e of a wrong kernel", e)
	}
}

// TestSolversWayGivesTheTile: kernelgen's kernel is the profile that is timed.
func TestSolversWayGivesTheTile(t *testing.T) {
	for _, k := range kernels {
		j := newTileJob(k, 7, 1, solver64)
		s := j.strips[0]
		j.fillTile(0)
		want := append([]float64(nil), rowsOf(s.tile, foldRows, foldRows).Data...)
		s.at = 0
		j.fillFolded(0)
		for i, v := range rowsOf(s.tile, 0, foldRows).Data {
			if v != want[i] {
				t.Fatalf("%s: entry %d is %v in the solver's way and %v in the tile", k.name, i, v, want[i])
			}
		}
	}
}

// TestGonumComputesTheSameKernel holds the comparison to the same work.
func TestGonumComputesTheSameKernel(t *testing.T) {
	for _, k := range kernels {
		j := newTileJob(k, 6, 1, solver64)
		g := gonumLoad(j)
		if (g == nil) != (k.name == "laplace") {
			t.Fatalf("%s: gonum load %v", k.name, g)
		}
		if g == nil {
			continue
		}
		s := j.strips[0]
		j.fillTile(0)
		want := append([]float64(nil), s.tile.Data...)
		s.at = 0
		if n := g.run(0); n != stripRows*landmarks {
			t.Errorf("%d entries", n)
		}
		for i, v := range s.tile.Data {
			if math.Abs(v-want[i]) > 1e-13*want[i] {
				t.Fatalf("%s: entry %d is %v by gonum and %v by the tile", k.name, i, v, want[i])
			}
		}
	}
}

// TestKernelProduct compares with the dense double loop, on sizes around those
// of strips and of columns at a time.
func TestKernelProduct(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 200, 64 + kvCols, 700} {
		for _, threads := range []int{1, 2, 3} {
			x, v := blas64.General(uniform[float64](n, 3, 1)), uniform[float64](1, n, 2).Data
			p := newKernelProduct(kernels[0], x, v, threads)
			for thread := range threads {
				p.run(thread)
			}
			y := p.result()
			for i := range n {
				want := 0.0
				for j := range n {
					want += kernels[0].at(plainBase(simd.Square, simd.Row(x, i), simd.Row(x, j)), 3) * v[j]
				}
				if math.Abs(y[i]-want) > 1e-12*want {
					t.Fatalf("n=%d, %d threads: row %d is %v, want %v", n, threads, i, y[i], want)
				}
			}
			if e := p.largestError(y); !(e < 1e-12) {
				t.Errorf("n=%d: reported error %.1e", n, e)
			}
		}
	}
}

func TestProductErrorIsSeen(t *testing.T) {
	a, b, c := uniform[float64](9, 5, 1), uniform[float64](5, 7, 2), newMatrix[float64](9, 7)
	simd.GemmThreads(1, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	if e := productError(a, b, c); !(e < 1e-14) {
		t.Errorf("error %.1e", e)
	}
	for i := range c.Data {
		c.Data[i] *= 1 + 1e-9
	}
	if e := productError(a, b, c); e < 1e-10 {
		t.Errorf("error %.1e of a wrong product", e)
	}
}

func TestPeakOf(t *testing.T) {
	at := func(threads int, step float64) *line {
		return &line{place: place{simd.Go, "f64", threads}, kernel: kernels[0], step: samples{step}}
	}
	lines := []*line{at(1, 2), at(1, 4), at(2, 1), at(1, 2)}
	if got := peakOf(lines, 1); got != 0.5 {
		t.Errorf("peak of one thread %v, want 0.5", got)
	}
	if got := peakOf(lines, 3); got != 0 {
		t.Errorf("peak of three threads %v, want none", got)
	}
}

func TestComputedEntries(t *testing.T) {
	for _, n := range []int{1, 64, 65, 200} {
		want := 0
		for first := 0; first < n; first += stripRows {
			want += min(stripRows, n-first) * (n - first)
		}
		if got := computedEntries(n); got != float64(want) {
			t.Errorf("n=%d: %v entries, want %d", n, got, want)
		}
	}
}

// TestScratchFileIsReadInFull reads a small file by parts.
func TestScratchFileIsReadInFull(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := newScratchFile(4*readBytes, 2)
	if err != nil {
		t.Fatal(err)
	}
	for thread := range 2 {
		if n := f.read(thread); n != 2*readBytes {
			t.Errorf("thread %d read %d bytes, want %d", thread, n, 2*readBytes)
		}
	}
	if f.err() != nil {
		t.Error(f.err())
	}
	f.remove()
	if _, err := os.Stat(f.f.Name()); err == nil {
		t.Error("the file is still there")
	}
	if f.read(0); f.err() == nil {
		t.Error("no error from a closed file")
	}
}

func TestTriad(t *testing.T) {
	tr := newTriad(240)
	if n := tr.run(0); n != 240 {
		t.Errorf("%d bytes, want 240", n)
	}
	for _, v := range tr.a {
		if v != 7 {
			t.Errorf("1 + 3·2 = %v", v)
		}
	}
}

// TestRunPrintsTables runs every tile once, on as little as possible.
func TestRunPrintsTables(t *testing.T) {
	o, err := parseOptions(strings.Fields("-quick -reps 1 -dims 3 -threads 1 -tables tiles"))
	if err != nil {
		t.Fatal(err)
	}
	o.sample = 10 * time.Microsecond
	var out bytes.Buffer
	if err := run(&out, o); err != nil {
		t.Fatal(err)
	}
	for _, p := range o.paths {
		if head := "### " + p.String() + ", f32, threads: 1"; !strings.Contains(out.String(), head) {
			t.Errorf("no table %q in\n%s", head, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
			t.Errorf("a figure is no number: %s", line)
		}
	}
}

func TestCPUModel(t *testing.T) {
	info := "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\nmodel name\t: other\n"
	if got, want := cpuModel(info), "AMD EPYC (family 25, model 17)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := cpuModel(""); !strings.HasPrefix(got, "unknown") {
		t.Errorf("%q for a system that does not tell", got)
	}
}
