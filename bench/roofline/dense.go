package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/linalg/svd"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/solvers/nyblas"
)

// A decomposition of a square matrix, of cubes·n³ operations as textbooks count them.
type decomposition struct {
	name  string
	cubes float64
	peer  string // what NumPy calls it, "" for none
	run   func(a blas64.General) error
}

var decompositions = []decomposition{
	{"eigenvectors", 14. / 3, "eigh", func(a blas64.General) error {
		_, _, err := symeig.Decompose(dense.SymmetricPart(a))
		return err
	}},
	{"singular vectors", 28. / 3, "svd", func(a blas64.General) error {
		_, _, _, err := svd.Decompose(a)
		return err
	}},
	{"singular values", 8. / 3, "svdvals", func(a blas64.General) error {
		_, err := svd.Values(a)
		return err
	}},
	{"QR", 4. / 3, "qr", func(a blas64.General) error {
		householder.QR(dense.Clone(a))
		return nil
	}},
	{"pivoted QR", 4. / 3, "", func(a blas64.General) error {
		pivotedQR(dense.Clone(a))
		return nil
	}},
}

// pivotedQR is what a sketch with dependent columns is whitened by.
func pivotedQR(a blas64.General) {
	var l lapack.Implementation
	order, tau, size := make([]int, a.Cols), make([]float64, a.Cols), []float64{0}
	for j := range order {
		order[j] = -1
	}
	l.Dgeqp3(a.Rows, a.Cols, a.Data, a.Stride, order, tau, size, -1)
	l.Dgeqp3(a.Rows, a.Cols, a.Data, a.Stride, order, tau, make([]float64, int(size[0])), int(size[0]))
}

func sizes(quick bool) []int {
	if quick {
		return []int{500, 1000}
	}
	return []int{500, 1000, 2000, 4000}
}

// printDense prints decompositions of small matrices beside the time of their operations in
// matrix products, and NumPy's beside them: processor seconds on one thread, the least of a
// few, all in turns.
func printDense(w io.Writer, o options) error {
	blas64.Use(nyblas.Implementation{})
	defer blas64.Use(gonum.Implementation{})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	numpy := numpyVersion()
	fmt.Fprintf(w, "\n## Small dense algebra, one thread, %s\n", numpy)
	printHead(w, "decomposition", "n", "CPU s", "of products", "factor", "NumPy CPU s", "NumPy / ours")
	for _, n := range sizes(o.quick) {
		a := blas64.General(uniform[float64](n, n, 1))
		for _, d := range decompositions {
			progress("dense: %s of %d×%d", d.name, n, n)
			if err := d.print(w, a, numpy != withoutNumPy); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(w, "\nOf numbers between 0 and 1. The operations are counted as in textbooks, at the speed of a product of 1024×1024.")
	return nil
}

// print measures a decomposition.
func (d decomposition) print(w io.Writer, a blas64.General, numpy bool) error {
	times := 3
	if a.Rows > 1000 {
		times = 1
	}
	ours, product, theirs := 0.0, 0.0, 0.0
	for i := range times {
		least := func(to *float64, seconds float64) {
			if i == 0 || seconds < *to {
				*to = seconds
			}
		}
		least(&product, productSeconds())
		began := program.CPUTime()
		if err := d.run(a); err != nil {
			return err
		}
		least(&ours, (program.CPUTime() - began).Seconds())
		if numpy && d.peer != "" {
			seconds, err := numpySeconds(d.peer, a.Rows)
			if err != nil {
				return err
			}
			least(&theirs, seconds)
		}
	}
	n := float64(a.Rows)
	ideal := d.cubes * n * n * n * product
	cells := []string{d.name, fmt.Sprint(a.Rows), fmt.Sprintf("%.3f", ours), fmt.Sprintf("%.3f", ideal), fmt.Sprintf("%.1f", ours/ideal), "–", "–"}
	if theirs > 0 {
		cells[5], cells[6] = fmt.Sprintf("%.3f", theirs), ratio(theirs/ours)
	}
	printRow(w, cells...)
	return nil
}

// productSeconds returns the seconds of an operation of a matrix product.
func productSeconds() float64 {
	const n = 1024
	a, c := uniform[float64](n, n, 1), newMatrix[float64](n, n)
	began := program.CPUTime()
	simd.GemmThreads(1, blas.NoTrans, blas.NoTrans, 1, a, a, 0, c)
	return (program.CPUTime() - began).Seconds() / (2 * n * n * n)
}

const withoutNumPy = "without NumPy: install it for python3 to have it beside"

// numpyVersion tells of the NumPy of python3, and of what it calls.
func numpyVersion() string {
	out, err := python("import numpy, os\nlibs = sorted({os.path.basename(l.split()[-1]) for l in open('/proc/self/maps') if 'blas' in l})\nprint('NumPy', numpy.__version__, 'with', ' '.join(libs))")
	if err != nil {
		return withoutNumPy
	}
	return strings.TrimSpace(out)
}

// numpySeconds returns the processor seconds of a function of numpy.linalg.
func numpySeconds(name string, n int) (float64, error) {
	call := map[string]string{"eigh": "L.eigh((a + a.T) / 2)", "svd": "L.svd(a)", "svdvals": "L.svd(a, compute_uv=False)", "qr": "L.qr(a, mode='r')"}[name]
	out, err := python(fmt.Sprintf("import numpy, time\nL = numpy.linalg\na = numpy.random.default_rng(1).random((%d, %d))\nt = time.process_time()\n%s\nprint(time.process_time() - t)", n, n, call))
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(out), 64)
}

// python runs a program on one thread of OpenBLAS, which chooses its kernel itself.
func python(program string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter(), "-c", program)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
	out, err := cmd.Output()
	return string(out), err
}

// interpreter returns the python3 that has NumPy, of the one on the path and the system's.
func interpreter() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	return "python3"
}
