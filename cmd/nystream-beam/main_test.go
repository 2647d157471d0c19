package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore"
)

// bin is the folder of the programs under test.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if bin, err = os.MkdirTemp("", "nystream-beam-test-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(bin)
		os.Setenv("NYSTREAM_PROVENANCE", "false") // files of fits with different command lines are compared
		for _, p := range []struct{ dir, pkg string }{{"../nystream", "."}, {".", "."}, {".", "github.com/apache/beam/sdks/v2/go/cmd/prism"}} {
			build := exec.Command("go", "build", "-o", bin+"/", p.pkg)
			build.Dir = p.dir
			if out, err := build.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%v: %v\n%s", build.Args, err, out)
				return 1
			}
		}
		return m.Run()
	}())
}

// exits runs a program in a folder and returns its exit code and output.
func exits(t *testing.T, folder, name string, args ...string) (code int, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// mustRun runs a program that must succeed and returns its output.
func mustRun(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	code, text := exits(t, folder, name, args...)
	if code != 0 {
		t.Fatalf("%s %v ended with %d: %s", name, args, code, text)
	}
	return text
}

// writeRows writes random rows, with a class column if class is set.
func writeRows(t *testing.T, path string, rows, cols int, seed uint64, class bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	for j := range cols {
		fmt.Fprintf(&b, "x%d,", j)
	}
	fmt.Fprintln(&b, "class")
	for range rows {
		sum := 0.0
		for range cols {
			v := r.NormFloat64()
			sum += v
			fmt.Fprintf(&b, "%.6g,", v)
		}
		fmt.Fprintln(&b, map[bool]string{true: "up", false: "down"}[class && sum > 0])
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sameFile fails unless two files have equal bytes.
func sameFile(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// fits are fits of every kind that can be sharded.
var fits = map[string]string{
	"s3spsd with factors": "s3spsd x.csv --columns x* --kernel rbf --rank 6 --factors U.npy",
	"landmark, scaled":    "landmark x.csv --columns x* --kernel rbf(gamma=median) --rank 6 --scale standard",
	"ssrsvd, two sources": "ssrsvd x.csv --columns x* --right y.csv --kernel rbf --rank 5",
	"ism":                 "ism x.csv --columns x* --label class --dim 2 --engine linear --iterations 2",
	"ksvd":                "ksvd x.csv --columns x* --right y.csv --method ssrsvd --kernel rbf --rank 4",
	"nystrom":             "nystrom x.csv --columns x* --kernel laplace --rank 6",
}

// Fits on Beam have the bytes of a single process, both in-process and on a job server.
func TestSameBytes(t *testing.T) {
	folder := t.TempDir()
	writeRows(t, folder+"/x.csv", 20000, 5, 1, true)
	writeRows(t, folder+"/y.csv", 17000, 5, 2, false)
	server := "" // of its own
	if !testing.Short() {
		server = startPrism(t)
	}
	for name, line := range fits {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !strings.HasSuffix(line, "standard") && !strings.HasSuffix(line, "U.npy") {
				t.Skip("more of the same, in more rounds: run without -short")
			}
			words := strings.Fields(line)
			into := func(place string) []string { // models name the files that are written with them
				if err := os.MkdirAll(filepath.Join(folder, place), 0o777); err != nil {
					t.Fatal(err)
				}
				out := append([]string{"fit"}, words...)
				for i := range out {
					out[i] = strings.Replace(out[i], "U.npy", place+"/U.npy", 1)
				}
				return append(out, "-o", place+"/m.npz")
			}
			same := func(place string) {
				sameFile(t, folder+"/"+place+"/m.npz", folder+"/ref/m.npz")
				if strings.Contains(line, "U.npy") {
					sameFile(t, folder+"/"+place+"/U.npy", folder+"/ref/U.npy")
				}
			}
			mustRun(t, folder, "nystream", into("ref")...)
			mustRun(t, folder, "nystream-beam", append(into("local"), "--shards", "3")...)
			same("local")
			if server == "" {
				return
			}
			mustRun(t, folder, "nystream-beam", append(into("server"), "--shards=4", "--runner=universal", "--endpoint", server, "--environment_type=LOOPBACK")...)
			same("server")
		})
	}
}

// startPrism starts a Prism job server and returns its address.
func startPrism(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "prism"), "--job_port="+port, "--serve_http=false", "--idle_shutdown_timeout=5m")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", "localhost:"+port); err == nil {
			c.Close()
			return "localhost:" + port
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("prism does not listen")
	return ""
}

// The rows transformed by shards, concatenated, are those of one run.
func TestTransformInShards(t *testing.T) {
	folder := t.TempDir()
	writeRows(t, folder+"/x.csv", 30000, 5, 1, true)
	mustRun(t, folder, "nystream", "fit", "s3spsd", "x.csv", "--columns", "x*", "--kernel", "rbf", "--rank", "4", "-o", "m.npz", "--factors", "u.csv")
	text := mustRun(t, folder, "nystream-beam", "transform", "m.npz", "x.csv", "-o", "out-*.csv", "--shards", "3")
	if !strings.Contains(text, "parts 3, rows 30000") {
		t.Errorf("counters: %s", text)
	}
	var all []byte
	for i := range 3 {
		part, err := os.ReadFile(fmt.Sprintf("%s/out-%05d-of-00003.csv", folder, i+1))
		if err != nil {
			t.Fatal(err)
		}
		if _, rows, ok := bytes.Cut(part, []byte("\n")); ok && i > 0 {
			part = rows
		}
		all = append(all, part...)
	}
	if want, err := os.ReadFile(folder + "/u.csv"); err != nil || !bytes.Equal(all, want) {
		t.Errorf("the parts are not the factors of one run: %d bytes and %d, error %v", len(all), len(want), err)
	}
}

// wrap writes a program that runs a script before nystream.
func wrap(t *testing.T, folder, script string) string {
	t.Helper()
	path := filepath.Join(folder, "wrapped")
	text := "#!/bin/sh\ncd " + folder + "\n" + script + "\nexec " + filepath.Join(bin, "nystream") + " \"$@\"\n"
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// A fault of one worker gives the right model, or an error that names the worker.
func TestWorkersThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   int
		text   string // of the error, or of the counters
	}{
		"killed once":      {`case "$*" in *--shard=2/*) mkdir killed 2>/dev/null && kill -9 $$;; esac`, 0, "retried 1"},
		"killed always":    {`case "$*" in *--shard=2/*) kill -9 $$;; esac`, 1, "signal: killed"},
		"an error":         {`case "$*" in *--shard=2/*) echo "no such disk" >&2; exit 3;; esac`, 1, "exit status 3: no such disk"},
		"other rows":       {`case "$*" in *--shard=2/*) cp other.csv x.csv;; *) cp same.csv x.csv;; esac`, 1, "is of other rows"},
		"another build":    {`[ "$*" = --version ] && echo nystream version 0.1.0, build other && exit`, 1, "it is nystream version 0.1.0, build other, and where the pipeline was started it is nystream version 0.1.0, build"},
		"other arithmetic": {`case "$*" in *--shard=2/*) export NYSTREAM_SIMD=go;; esac`, 1, "arithmetic of go"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			writeRows(t, folder+"/x.csv", 20000, 3, 1, false)
			writeRows(t, folder+"/other.csv", 20000, 3, 2, false)
			mustRun(t, folder, "nystream", "fit", "landmark", "x.csv", "--columns", "x*", "--kernel", "rbf", "--rank", "4", "-o", "ref.npz")
			sameCopy(t, folder+"/x.csv", folder+"/same.csv")
			code, text := exits(t, folder, "nystream-beam", "fit", "landmark", "x.csv", "--columns", "x*", "--kernel", "rbf", "--rank", "4", "-o", "m.npz",
				"--shards", "3", "--nystream", wrap(t, folder, c.script))
			if code != c.code || !strings.Contains(text, c.text) {
				t.Errorf("exit code %d, not %d, and %q is not in: %s", code, c.code, c.text, text)
			}
			if code == 0 {
				sameFile(t, folder+"/m.npz", folder+"/ref.npz")
			} else if _, err := os.Stat(folder + "/m.npz"); err == nil {
				t.Error("there is a model")
			}
		})
	}
}

// sameCopy copies a file.
func sameCopy(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A part that arrives twice counts once. A missing part is named in the error.
func TestPartsTwiceAndMissing(t *testing.T) {
	folder := t.TempDir()
	writeRows(t, folder+"/x.csv", 20000, 3, 1, false)
	beam := filepath.Join(bin, "nystream-beam")
	fit := func(model, parts string) (code int, text string) {
		script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' %s | exec %s fold \"$@\"\n", parts, beam)
		if err := os.WriteFile(folder+"/runner", []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder + "/st")
		return exits(t, folder, "nystream", "fit", "landmark", "x.csv", "--columns", "x*", "--kernel", "rbf", "--rank", "4",
			"-o", model, "--provenance=false", "--states", "st", "--shards", "3", "--runner", folder+"/runner")
	}
	var models [2][]byte
	for i, parts := range []string{"1 2 3", "1 2 2 3"} {
		code, text := fit("m.npz", parts)
		if code != 0 {
			t.Fatalf("parts %s: exit code %d: %s", parts, code, text)
		}
		var err error
		if models[i], err = os.ReadFile(folder + "/m.npz"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("a part that comes twice makes another model")
	}
	if code, text := fit("none.npz", "1 3"); code == 0 || !strings.Contains(text, "no state has seen blocks") {
		t.Errorf("parts 1 3: exit code %d: %s", code, text)
	}
}

// A bundle that is repeated after its states were combined adds nothing: the CombineFn ignores states of rows that it
// has seen. Prism itself never repeats a bundle, but fails.
func TestBundleDoneAgain(t *testing.T) {
	folder := t.TempDir()
	writeRows(t, folder+"/x.csv", 20000, 3, 1, false)
	t.Chdir(folder)
	*nystream = filepath.Join(bin, "nystream")
	mustRun(t, folder, "nystream", "fit", "landmark", "x.csv", "--columns", "x*", "--kernel", "rbf", "--rank", "4", "--shard", "1/2", "--states", "other")
	fit, err := os.ReadFile("other/" + savedFit)
	if err == nil {
		err = blockstore.States("st").Write(savedFit, fit)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReplay(append([]string{*nystream}, strings.Fields("fit --quiet --format=json --states=st --shard={}/2")...))
	if err != nil {
		t.Fatal(err)
	}
	fold, join := &foldPart{r}, &joinStates{r}
	part := func(number string) states {
		s, err := fold.ProcessElement(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	combined := func(parts ...states) (states, error) {
		all := join.CreateAccumulator()
		for _, s := range parts {
			if all, err = join.AddInput(all, s); err != nil {
				t.Fatal(err)
			}
		}
		return join.ExtractOutput(all)
	}
	one, again, two := part("1"), part("1"), part("2")
	if !bytes.Equal(one.Data[0], again.Data[0]) {
		t.Error("a part that is done again has another state")
	}
	both, err := combined(two, one)
	if err != nil || len(both.Data) != 1 {
		t.Fatalf("two parts are %d states, error %v", len(both.Data), err)
	}
	if twice, err := combined(one, two, again); err != nil || len(twice.Data) != 1 || !bytes.Equal(twice.Data[0], both.Data[0]) {
		t.Errorf("with a part twice: %d states, error %v", len(twice.Data), err)
	}
}

// A fit that cannot be sharded is refused with the reason before any pipeline starts.
func TestRefusesUnshardableFits(t *testing.T) {
	folder := t.TempDir()
	writeRows(t, folder+"/x.csv", 500, 3, 1, false)
	for line, want := range map[string]string{
		"fit subspace x.csv --columns x* --kernel rbf --rank 3 -o m.npz":                                  "its exact passes are over pairs of rows",
		"fit landmark x.csv --columns x* --kernel rbf --rank 3 -o m.npz --runner=flink --endpoint=none:1": "--states is missing",
		"transform m.npz x.csv -o out.csv":                                                                "-o wants a name with a *",
		"fit s3spsd x.csv --kernel rbf --rank 3 -o m.npz --shards":                                        "--shards wants a value",
		"fold": "a command is missing",
	} {
		code, text := exits(t, folder, "nystream-beam", strings.Fields(line)...)
		if code == 0 || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d, and %q is not in: %s", line, code, want, text)
		}
	}
}
