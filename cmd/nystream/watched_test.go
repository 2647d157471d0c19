package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nystream/nystream/stream"
)

// watchedLines are fits of one source, of two sides, and of pairs. Words of one capital letter are sources.
var watchedLines = []string{
	"fit landmark X --kernel rbf(gamma=median) --rank 4 --scale standard --factors u.npy -o m.npz",
	"fit landmark X --right Y --kernel rbf(gamma=0.5) --rank 4 --left-factors u.npy --right-factors v.npy -o m.npz",
	"fit operator X --with Y --kind cca --kernel rbf(gamma=0.5) --rank 2 --landmarks 12 --engine landmark -o m.npz",
}

// touched is a context that counts how often it is asked for a value, as readers do at each step,
// and that changes something at one of these moments.
type touched struct {
	context.Context
	asked, at *atomic.Int64
	change    func()
}

func (c touched) Value(key any) any {
	if c.asked.Add(1) == c.at.Load() {
		c.change()
	}
	return c.Context.Value(key)
}

// watched is a command line whose sources change while it runs.
type watched struct {
	*testing.T
	folder, line string
	files        map[string][2][]byte // old and new content of each source
}

// TestEverySourceIsWatched changes each source of a fit at several moments: the results are those
// of the old file or of the new one, or the command names the file and ends with exit 3.
func TestEverySourceIsWatched(t *testing.T) {
	formats := []string{"csv", "npy", "parquet"}
	if testing.Short() {
		formats = formats[:1]
	}
	for _, format := range formats {
		for _, line := range watchedLines {
			t.Run(format+"/"+line, func(t *testing.T) {
				t.Parallel()
				w := &watched{T: t, folder: t.TempDir(), line: line, files: make(map[string][2][]byte)}
				for i, letter := range []string{"X", "Y", "B"} {
					if strings.Contains(line, " "+letter) {
						w.addFile(letter, format, i)
					}
				}
				for letter := range w.files {
					w.watch(letter, format)
				}
			})
		}
	}
}

func (w *watched) addFile(letter, format string, seed int) {
	x := stream.NewMatrix(1500, 4)
	for i := range x.Data {
		x.Data[i] = float64((i*7919+seed*31)%1009) / 1009
	}
	path := w.path(letter, format)
	old := rowsFile(w.T, path, x)
	for i, j := 0, len(x.Data)-1; i < j; i, j = i+1, j-1 {
		x.Data[i], x.Data[j] = x.Data[j], x.Data[i]
	}
	w.files[letter] = [2][]byte{old, rowsFile(w.T, path, x)}
	w.put(path, old)
}

func (w *watched) path(letter, format string) string {
	return filepath.Join(w.folder, letter+"."+format)
}

var hourAgo = time.Now().Add(-time.Hour)

func (w *watched) put(path string, content []byte) {
	if err := os.WriteFile(path, content, 0o666); err != nil {
		w.Fatal(err)
	}
	if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
		w.Fatal(err)
	}
}

func (w *watched) watch(letter, format string) {
	path := w.path(letter, format)
	versions := w.files[letter]
	whole := make(map[string]bool)
	var moments int64
	for _, content := range [][]byte{versions[1], versions[0]} {
		w.put(path, content)
		var got string
		got, moments = w.run(format, path, 0, nil)
		whole[got] = true
	}
	if whole[""] || len(whole) != 2 {
		w.Fatal("fits of the two files fail, or are the same")
	}
	mixed, refused, n := 0, 0, 0
	for at := int64(1); at <= moments; at += max(1, moments/5) {
		w.put(path, versions[0])
		got, _ := w.run(format, path, at, func() { w.put(path, versions[1]) })
		n++
		if got == "" {
			refused++
		} else if !whole[got] {
			mixed++
			w.Errorf("%s changed at moment %d of %d: a mixture", letter, at, moments)
		}
	}
	w.Logf("%s: %d moments, %d tried, %d refused, %d mixed", letter, moments, n, refused, mixed)
}

// run runs the command and returns its outputs, "" if it was refused.
func (w *watched) run(format, path string, at int64, change func()) (string, int64) {
	ctx := touched{context.Background(), new(atomic.Int64), new(atomic.Int64), change}
	ctx.at.Store(at)
	var args []string
	for _, word := range strings.Fields(w.line) {
		switch {
		case len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z':
			word = w.path(word, format)
		case filepath.Ext(word) == ".npz" || filepath.Ext(word) == ".npy" || filepath.Ext(word) == ".csv":
			word = filepath.Join(w.folder, word)
		}
		args = append(args, word)
	}
	var says bytes.Buffer
	switch code := run(ctx, append(args, "--quiet", "--threads", "1"), nil, &says, &says); {
	case code == exitData && strings.Contains(says.String(), path):
		return "", 0
	case code != exitOK:
		w.Fatalf("ends with %d: %s", code, &says)
	}
	all := ""
	for _, word := range args {
		if filepath.Dir(word) == w.folder && word != path && w.files[strings.TrimSuffix(filepath.Base(word), filepath.Ext(word))][0] == nil {
			content, err := os.ReadFile(word)
			if err != nil {
				w.Fatal(err)
			}
			all += string(content)
		}
	}
	return all, ctx.asked.Load()
}
