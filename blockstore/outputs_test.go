package blockstore

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// folderOfChild says, in a process that TestKilledRunLeavesWholeFiles has started, where it works, and
// killedBefore which file it does not come to put under its name.
const (
	folderOfChild = "NYSTREAM_TEST_FOLDER"
	killedBefore  = "NYSTREAM_TEST_KILLED"
)

// outputsOf are the output files of a run, the model last.
var outputsOf = []string{"u.npy", "v.npy", "plot.svg", "m.npz"}

// prepareOutputs writes the files of a run completely, without renaming them.
func prepareOutputs(t *testing.T, folder, text string) (files []Output) {
	t.Helper()
	for _, name := range outputsOf {
		f, err := new(Session).PrepareFile(filepath.Join(folder, name), []byte(name+" "+text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// contents returns the visible files of a folder, and the number of hidden ones, which are temporary.
func contents(t *testing.T, folder string) (visible map[string]string, hidden int) {
	t.Helper()
	visible = make(map[string]string)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name()[0] == '.' {
			hidden++
			continue
		}
		visible[e.Name()] = string(contentOf(t, filepath.Join(folder, e.Name())))
	}
	return visible, hidden
}

// A process is killed between any two of the renames of a run. Each file is then the old or the new one, files are
// replaced in order, and the next run removes the temporary files.
func TestKilledRunLeavesWholeFiles(t *testing.T) {
	if folder := os.Getenv(folderOfChild); folder != "" {
		killAt, err := strconv.Atoi(os.Getenv(killedBefore))
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range prepareOutputs(t, folder, "new") {
			if k == killAt {
				self, err := os.FindProcess(os.Getpid())
				if err != nil {
					t.Fatal(err)
				}
				self.Kill()
				select {}
			}
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	for k := range outputsOf {
		folder := t.TempDir()
		want := make(map[string]string)
		for i, name := range outputsOf {
			write(t, filepath.Join(folder, name), []byte(name+" old"))
			want[name] = name + " old"
			if i < k {
				want[name] = name + " new"
			}
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRunLeavesWholeFiles$")
		cmd.Env = append(os.Environ(), folderOfChild+"="+folder, fmt.Sprintf("%s=%d", killedBefore, k))
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Fatalf("it was not killed: %s", out)
		}
		got, hidden := contents(t, folder)
		if !maps.Equal(got, want) {
			t.Errorf("killed before file %d: %q, want %q", k, got, want)
		}
		if hidden == 0 {
			t.Errorf("killed before file %d: nothing is left, so that nothing is tested", k)
		}
		if err := WriteFile(filepath.Join(folder, "other"), nil); err != nil {
			t.Fatal(err)
		}
		if _, hidden := contents(t, folder); hidden > 0 {
			t.Errorf("killed before file %d: %d temporary files are left after the next run", k, hidden)
		}
	}
}

// A file that cannot be finished does not get its name. Finish and Commit return the same error.
func TestFinishFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	w, err := Create(path, Schema{Columns: []string{"a"}, Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	first, second := w.Finish(), w.Commit()
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("Finish: %v, Commit: %v", first, second)
	}
	if got, hidden := contents(t, filepath.Dir(path)); len(got)+hidden > 0 {
		t.Errorf("left: %q and %d temporary files", got, hidden)
	}
}

// The digest of an output is that of its bytes, in every format, including those whose beginning is written last.
func TestDigests(t *testing.T) {
	for _, format := range OutputFormats() {
		for _, s := range []Schema{{Digest: true, Rows: 100}, {Rows: 100}, {Digest: true, Rows: -1}} {
			path := filepath.Join(t.TempDir(), "x")
			s.Format, s.Columns = format, []string{"x0", "x1"}
			w, err := Create(path, s)
			if err != nil {
				t.Fatal(err)
			}
			x := matrix.New(100, 2)
			for i := range x.Data {
				x.Data[i] = float64(i)
			}
			if err := w.Write(&stream.Batch{X: x}, 100); err != nil {
				t.Fatal(err)
			}
			d, err := w.Digest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			data := contentOf(t, path)
			if want := fmt.Sprintf("%x", sha256.Sum256(data)); d.SHA256 != want || d.Bytes != int64(len(data)) {
				t.Errorf("%s of %d rows: %v, want %d bytes and %s", format, s.Rows, *d, len(data), want)
			}
			if again, err := DigestOf(t.Context(), path); err != nil || again != *d {
				t.Errorf("%s: read again %v, %v", format, again, err)
			}
		}
	}
}
