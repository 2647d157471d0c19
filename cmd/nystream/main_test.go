package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/rogpeppe/go-internal/testscript"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/stream"
)

func TestMain(m *testing.M) {
	blas64.Use(nyblas.Implementation{}) // as main does
	testscript.Main(m, programs())
}

// TestScripts runs the command lines in testdata/script. The commands run and exits use a worker process; exec starts a
// process, for signals, pipes and the first environment.
func TestScripts(t *testing.T) {
	t.Parallel()
	t.Cleanup(stopWorkers)
	t.Cleanup(func() { checkEveryDoc(t) })
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setUpScript,
		Condition: func(name string) (bool, error) {
			if slices.Contains(modules, name) {
				return pythonWith(name) != "", nil
			}
			return false, fmt.Errorf("condition %q is not known", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"run": runScripted, "exits": exits,
			"json": checkJSON, "only": only, "storage": startStorage, "download": download},
	})
}

// setUpScript gives a script an empty environment for settings, and a session.
func setUpScript(e *testscript.Env) error {
	for _, v := range []string{"THREADS", "MEMORY", "SEED", "FORMAT", "QUIET", "LOG_FORMAT", "LOG_EVERY", "CONFIG", "RANK",
		"TOL", "SCALE", "MAX_SPOOL_SIZE"} { // all that scripts set
		e.Setenv(flags.EnvironmentPrefix+v, "")
	}
	e.Setenv(flags.EnvironmentPrefix+"PROVENANCE", "false") // models of the same rows under other names are compared
	e.Setenv("PYTHON", pythonWith("numpy"))
	e.Setenv("YAML", pythonWith("yaml"))
	e.Setenv("SKLEARN", pythonWith("sklearn"))
	recipes, err := filepath.Abs("recipes")
	if err != nil {
		return err
	}
	e.Setenv("RECIPES", recipes)
	e.Setenv("PYTHONPATH", filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(recipes))), "python"))
	e.Setenv("TMPDIR", e.WorkDir+"/tmp")
	addSession(e)
	startedScripts.Add(1)
	return os.Mkdir(e.WorkDir+"/tmp", 0o777)
}

// modules lists the Python modules that scripts import.
var modules = []string{"numpy", "sklearn", "yaml"}

// interpreters returns a Python interpreter for each installed module. It locates modules without importing them:
// importing scikit-learn takes seconds.
var interpreters = sync.OnceValue(func() map[string]string {
	const look = "import importlib.util, sys\nprint(*(m for m in sys.argv[1:] if importlib.util.find_spec(m)))"
	found := make(map[string]string)
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		out, _ := exec.Command(name, append([]string{"-c", look}, modules...)...).Output()
		for _, module := range strings.Fields(string(out)) {
			found[module] = name
		}
	}
	return found
})

// pythonWith returns an interpreter that has the module, or "".
func pythonWith(module string) string { return interpreters()[module] }

// generate FILE ROWS COLUMNS [nan=ROW] [prefix=NAME] [cut=BYTES] writes uniform random rows, the same for every format,
// and truncates the file.
func generate() {
	path := os.Args[1]
	n, cols := atoi(os.Args[2]), atoi(os.Args[3])
	hole, prefix, cut := -1, "x", int64(0)
	for _, option := range os.Args[4:] {
		if v, ok := strings.CutPrefix(option, "nan="); ok {
			hole = atoi(v)
		}
		if v, ok := strings.CutPrefix(option, "prefix="); ok {
			prefix = v
		}
		if v, ok := strings.CutPrefix(option, "cut="); ok {
			cut = int64(atoi(v))
		}
	}
	x := uniformRows(n, cols)
	if hole >= 0 {
		x.Data[hole*cols] = math.NaN()
	}
	write := writeTable
	if filepath.Ext(path) == ".arrows" {
		write = writeArrowStream
	}
	err := write(path, rows.Numbered(prefix, cols), x)
	if info, failed := os.Stat(path); failed == nil && cut > 0 {
		err = errors.Join(err, os.Truncate(path, info.Size()-cut))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// uniformRows returns random rows, the same for every call.
func uniformRows(rows, cols int) blas64.General {
	random := rand.New(rand.NewPCG(7, uint64(cols)))
	x := matrix.New(rows, cols)
	for i := range x.Data {
		x.Data[i] = random.Float64()
	}
	return x
}

// writeTable writes rows to a file, in the format of its extension.
func writeTable(path string, names []string, x blas64.General) error {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: names, Nameless: slices.Equal(names, stream.NumberedColumns(len(names))), Rows: int64(x.Rows)})
	if err == nil {
		err = w.Write(&stream.Batch{X: x}, x.Rows)
	}
	if err == nil {
		err = w.Commit()
	}
	return err
}

// writeArrowStream writes a stream as other programs pipe it to this one.
func writeArrowStream(path string, names []string, x blas64.General) error {
	fields, columns := []arrow.Field{}, []arrow.Array{}
	for j, name := range names {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		for i := range x.Rows {
			b.Append(x.Data[i*x.Stride+j])
		}
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
		columns = append(columns, b.NewArray())
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	schema := arrow.NewSchema(fields, nil)
	w := ipc.NewWriter(f, ipc.WithSchema(schema))
	return errors.Join(w.Write(array.NewRecord(schema, columns, int64(x.Rows))), w.Close(), f.Close())
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// only FOLDER FILE... fails unless the folder contains exactly these files.
func only(ts *testscript.TestScript, neg bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if found, want := strings.Join(names, " "), strings.Join(args[1:], " "); found != want {
		ts.Fatalf("%s holds %q, not %q", args[0], found, want)
	}
}

// An interrupt ends a command that waits for a silent pipe, and leaves no files.
func TestInterruptWhileWaiting(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	in, _ := io.Pipe() // nobody writes
	var messages strings.Builder
	code := run(ctx, []string{"fit", "landmark", "-", "--kernel", "rbf", "--rank", "2", "-o", folder + "/m.npz"}, in, io.Discard, &messages)
	checkInterrupted(t, code, messages.String(), folder)
}

// An interrupt ends a fit within a computation that does not check its context, such as a decomposition.
func TestInterruptWhileDecomposing(t *testing.T) {
	folder := t.TempDir()
	if err := writeTable(folder+"/x.npy", rows.Numbered("x", 2), matrix.New(50, 2)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan bool)
	toyWork = func() { cancel(); <-release }
	families = append(families, toyFamily)
	defer func() { toyWork, families = func() {}, families[:len(families)-1]; close(release) }()
	var messages strings.Builder
	code := run(ctx, []string{"fit", "toy", folder + "/x.npy", "-o", folder + "/m.npz"}, nil, io.Discard, &messages)
	checkInterrupted(t, code, messages.String(), folder, "x.npy")
}

// An interrupt ends a long computation.
func TestInterruptWhileWorking(t *testing.T) {
	folder := t.TempDir()
	if err := writeTable(folder+"/x.npy", rows.Numbered("x", 10), uniformRows(20_000, 10)); err != nil {
		t.Fatal(err)
	}
	fit := []string{"fit", "landmark", folder + "/x.npy", "--kernel", "rbf", "--rank", "5", "-o", folder + "/m.npz"}
	if code := run(t.Context(), fit, nil, io.Discard, io.Discard); code != app.ExitOK {
		t.Fatalf("fit: exit code %d", code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	var messages strings.Builder
	code := run(ctx, []string{"verify", folder + "/m.npz", folder + "/x.npy"}, nil, io.Discard, &messages)
	checkInterrupted(t, code, messages.String(), folder, "m.npz", "x.npy")
}

// checkInterrupted checks the exit code, the message and the files in the folder.
func checkInterrupted(t *testing.T, code int, messages, folder string, files ...string) {
	t.Helper()
	if code != app.ExitInterrupted {
		t.Errorf("exit code %d, messages %q", code, messages)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if strings.Join(left, " ") != strings.Join(files, " ") {
		t.Errorf("the folder holds %v, not %v", left, files)
	}
}

// If only the report cannot be printed, the model remains, as help says.
func TestReportThatCannotBePrinted(t *testing.T) {
	folder := t.TempDir()
	if err := writeTable(folder+"/x.npy", rows.Numbered("x", 2), matrix.New(50, 2)); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json"} {
		reader, out := io.Pipe()
		reader.CloseWithError(errors.New("disk full"))
		args := []string{"fit", "landmark", folder + "/x.npy", "--kernel", "rbf", "--rank", "2", "-o", folder + "/m.npz", "--format", format}
		fails(t, args, nil, out, app.ExitFailed, "the report could not be printed: disk full")
		if err := os.Remove(folder + "/m.npz"); err != nil {
			t.Error(err)
		}
	}
}

// randomMatrix returns uniform numbers from 0 to 1.
func randomMatrix(random *rand.Rand, rows, cols int) blas64.General {
	m := matrix.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = random.Float64()
	}
	return m
}
