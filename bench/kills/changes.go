package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
)

// changedKinds are the sources whose files are changed: a file of each format by its
// extension, and a folder of CSV files.
var changedKinds = []string{"csv", "csv.gz", "libsvm", "npy", "parquet", "arrow", "arrows", "nys", "folder"}

// changedFits are the command lines of fits of several passes, X standing for the source:
// one reads it again for the factors, one opens it twice.
var changedFits = []string{
	"fit landmark X --kernel rbf(gamma=median) --rank 20 --scale standard --factors u.npy -o m.npz --quiet",
	"fit ksvd X --right X --kernel rbf(gamma=0.5) --rank 10 --method nystrom -o m.npz --quiet",
}

// change is a way in which a file becomes another one.
type change struct {
	name string
	do   func(path string, was os.FileInfo, now []byte) error // now is the content of another fit of the same size
	time bool                                                 // the old time of writing is put back
}

var fileChanges = []change{
	{name: "append", do: func(path string, _ os.FileInfo, now []byte) error {
		return reopened(path, os.O_APPEND, func(f *os.File) error { _, err := f.Write(now[len(now)/2:]); return err })
	}},
	{name: "truncate", do: func(path string, was os.FileInfo, _ []byte) error { return os.Truncate(path, was.Size()/2) }},
	{name: "overwrite", do: overwrite},
	{name: "overwrite, time put back", do: overwrite, time: true},
	{name: "write anew", do: func(path string, _ os.FileInfo, now []byte) error { return os.WriteFile(path, now, 0o666) }},
	{name: "rename", do: replace},
	{name: "rename, time put back", do: replace, time: true},
	{name: "remove", do: func(path string, _ os.FileInfo, _ []byte) error { return os.Remove(path) }},
}

// overwrite writes the new content over the old one in place.
func overwrite(path string, _ os.FileInfo, now []byte) error {
	return reopened(path, 0, func(f *os.File) error {
		_, err := f.WriteAt(now, 0)
		return errors.Join(err, f.Truncate(int64(len(now))))
	})
}

// replace renames another file to the path.
func replace(path string, _ os.FileInfo, now []byte) error {
	other := filepath.Join(filepath.Dir(filepath.Dir(path)), "other")
	return errors.Join(os.WriteFile(other, now, 0o666), os.Rename(other, path))
}

func reopened(path string, flags int, do func(f *os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flags, 0)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// changing is a source that is changed while fits read it.
type changing struct {
	*options
	kind     string
	line     string
	folder   string            // of all that follows
	source   string            // the file or the folder
	files    map[string][]byte // what is in it, by path
	now      []byte            // what the file that is changed becomes
	target   string            // the file that is changed
	results  map[[32]byte]string
	alone    time.Duration
	random   *rand.Rand
	unharmed int // fits that ended well: of the old source, or the new one, as a whole
	refused  int
}

// runChanges changes files of all kinds during fits, so many times in all at least.
func runChanges(ctx context.Context, o *options) error {
	cells, changes := 0, 0
	random := rand.New(rand.NewPCG(o.seed, 2))
	var done, refused int
	fmt.Printf("%-8s %-8s %8s %8s %8s %8s\n", "source", "fit", "seconds", "changes", "refused", "whole")
	cells = len(o.formats) * len(changedFits) * len(fileChanges)
	for _, kind := range o.formats {
		for _, line := range changedFits {
			c := &changing{options: o, kind: kind, line: line, random: random, results: make(map[[32]byte]string)}
			if err := c.prepare(ctx); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			for _, way := range fileChanges {
				for range (o.total + cells - 1) / cells {
					if err := c.once(ctx, way); err != nil {
						return fmt.Errorf("%s, %s, %s: %w", kind, line, way.name, err)
					}
				}
			}
			n := c.refused + c.unharmed
			fmt.Printf("%-8s %-8s %8.2f %8d %8d %8d\n", kind, strings.Fields(line)[1], c.alone.Seconds(), n, c.refused, c.unharmed)
			changes, done, refused = changes+n, done+c.unharmed, refused+c.refused
		}
	}
	fmt.Printf("%-8s %-8s %8s %8d %8d %8d\n", "all", "", "", changes, refused, done)
	return nil
}

// prepare writes the files, and fits them undisturbed.
func (c *changing) prepare(ctx context.Context) error {
	c.folder = filepath.Join(c.options.folder, "changes")
	data := filepath.Join(c.folder, "data")
	if err := errors.Join(os.RemoveAll(c.folder), os.MkdirAll(data, 0o777)); err != nil {
		return err
	}
	x := datasets.Uniform(c.rows, dimension, 7)
	reversed := blas64.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, len(x.Data))}
	for i := range x.Rows {
		copy(reversed.Data[i*x.Cols:], x.Data[(x.Rows-1-i)*x.Stride:][:x.Cols])
	}
	c.source = filepath.Join(data, "rows."+c.kind)
	c.target = c.source
	var err error
	c.files = make(map[string][]byte)
	if c.kind != "folder" {
		if c.files[c.source], err = c.encoded(ctx, x, c.kind); err != nil {
			return err
		}
		c.now, err = c.encoded(ctx, reversed, c.kind)
	} else {
		for part := range 3 {
			path := filepath.Join(c.source, fmt.Sprintf("part=%d", part), "rows.csv")
			rows := x
			rows.Rows, rows.Data = x.Rows/3, x.Data[part*(x.Rows/3)*x.Stride:]
			if c.files[path], err = c.encoded(ctx, rows, "csv"); err != nil {
				return err
			}
			c.target = path // the last
		}
		reversed.Rows = x.Rows / 3
		c.now, err = c.encoded(ctx, reversed, "csv")
	}
	if err != nil {
		return err
	}
	if err := c.reset(); err != nil {
		return err
	}
	for range 2 { // the second time all is in the page cache
		clear(c.results)
		began := time.Now()
		result, err := c.fitted(ctx)
		if err != nil {
			return err
		}
		if strings.HasPrefix(result, "fails: ") {
			return errors.New(result)
		}
		c.alone = time.Since(began)
	}
	return nil
}

// encoded returns the bytes of a file of rows.
func (c *changing) encoded(ctx context.Context, x blas64.General, kind string) ([]byte, error) {
	path := filepath.Join(c.folder, "encoded."+strings.TrimSuffix(kind, ".gz"))
	if kind == "arrows" {
		path = strings.TrimSuffix(path, "s")
	}
	if err := write(path, x); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	if kind == "arrows" {
		return exec.CommandContext(ctx, c.command, "convert", path, "-", "--output-format", "arrow-stream", "--quiet").Output()
	}
	content, err := os.ReadFile(path)
	if err != nil || kind != "csv.gz" {
		return content, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(content)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// longAgo is when the files were written, as far as their times tell.
var longAgo = time.Now().Add(-time.Hour).Truncate(time.Second)

// reset makes the source what it was, and removes results.
func (c *changing) reset() error {
	err := os.RemoveAll(filepath.Join(c.folder, "data"))
	for path, content := range c.files {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666), os.Chtimes(path, longAgo, longAgo))
	}
	for _, name := range []string{"m.npz", "u.npy"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(c.folder, name)))
	}
	return err
}

// fit returns the command.
func (c *changing) fit(ctx context.Context) *exec.Cmd {
	args := strings.Fields(c.line)
	for i, a := range args {
		if a == "X" {
			args[i] = c.source
		}
	}
	cmd := exec.CommandContext(ctx, c.command, args...)
	cmd.Dir = c.folder
	return cmd
}

// written returns a digest of the results, "" if there are none.
func (c *changing) written() (string, error) {
	all := sha256.New()
	found := 0
	for _, name := range []string{"m.npz", "u.npy"} {
		f, err := os.Open(filepath.Join(c.folder, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return "", err
		}
		found++
		io.WriteString(all, name)
		_, err = io.Copy(all, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	if found == 0 {
		return "", nil
	}
	return fmt.Sprintf("%x", all.Sum(nil)), nil
}

// fitted returns a digest of the results of an undisturbed fit of the source as it is, or
// how it fails.
func (c *changing) fitted(ctx context.Context) (string, error) {
	key, err := c.digest()
	if err != nil || c.results[key] != "" {
		return c.results[key], err
	}
	out, err := c.fit(ctx).CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); exited && ctx.Err() == nil {
		c.results[key] = "fails: " + string(out)
		return c.results[key], nil
	}
	if err != nil {
		return "", err
	}
	c.results[key], err = c.written()
	return c.results[key], err
}

// digest returns that of the source.
func (c *changing) digest() (key [32]byte, err error) {
	all := sha256.New()
	err = filepath.WalkDir(c.source, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(all, "%s %d\n", path, len(content))
		all.Write(content)
		return err
	})
	return [32]byte(all.Sum(nil)), err
}

// once starts a fit, changes the source at a random moment, and looks at what comes of it.
func (c *changing) once(ctx context.Context, way change) error {
	if err := c.reset(); err != nil {
		return err
	}
	old, err := c.fitted(ctx)
	if err != nil {
		return err
	}
	var says bytes.Buffer
	cmd := c.fit(ctx)
	cmd.Stdout, cmd.Stderr = &says, &says
	if err := cmd.Start(); err != nil {
		return err
	}
	time.Sleep(time.Duration(c.random.Float64() * float64(c.alone)))
	was, err := os.Stat(c.target)
	if err == nil {
		err = way.do(c.target, was, c.now)
	}
	if err == nil && way.time {
		err = os.Chtimes(c.target, longAgo, longAgo)
	}
	ended := cmd.Wait()
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	got, err := c.written()
	if err != nil {
		return err
	}
	exit, exited := errors.AsType[*exec.ExitError](ended)
	switch {
	case ended == nil:
		return c.whole(ctx, old, got)
	case !exited:
		return ended
	case exit.ExitCode() != 3 || !strings.Contains(says.String(), c.target):
		return fmt.Errorf("it ends with %d: %s", exit.ExitCode(), &says)
	case got != "":
		return fmt.Errorf("it is refused, and its results are there: %s", &says)
	}
	c.refused++
	return nil
}

// whole wants the results of a fit that ended well to be those of the old source or of the
// new one.
func (c *changing) whole(ctx context.Context, old, got string) error {
	if got != old {
		for _, name := range []string{"m.npz", "u.npy"} {
			os.Remove(filepath.Join(c.folder, name))
		}
		now, err := c.fitted(ctx)
		if err != nil {
			return err
		}
		if got != now {
			return errors.New("a silent mixture: its results are neither those of the old source nor those of the new one")
		}
	}
	c.unharmed++
	return nil
}
