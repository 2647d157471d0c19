package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// changedKinds are the sources whose files change: a file of each format, and a folder of three
// CSV files.
var changedKinds = []string{"csv", "csv.gz", "libsvm", "npy", "parquet", "arrow", "arrows", "nys", "folder"}

// changedFits take several passes. One reads X again for the factors, one opens it twice.
var changedFits = []string{
	"fit landmark X --kernel rbf(gamma=median) --rank 20 --scale standard --factors u.npy -o m.npz --quiet",
	"fit ksvd X --right X --kernel rbf(gamma=0.5) --rank 10 --method nystrom -o m.npz --quiet",
}

// change is a way in which a file becomes another one of the same size.
type change struct {
	name string
	do   func(path string, content []byte) error
	time bool // the old modification time is put back
}

var fileChanges = []change{
	{name: "append", do: func(path string, content []byte) error {
		return reopened(path, os.O_APPEND, func(f *os.File) error { _, err := f.Write(content[len(content)/2:]); return err })
	}},
	{name: "truncate", do: func(path string, content []byte) error { return os.Truncate(path, int64(len(content)/2)) }},
	{name: "overwrite", do: overwrite},
	{name: "overwrite, time put back", do: overwrite, time: true},
	{name: "write anew", do: func(path string, content []byte) error { return os.WriteFile(path, content, 0o666) }},
	{name: "rename", do: replace},
	{name: "rename, time put back", do: replace, time: true},
	{name: "remove", do: func(path string, _ []byte) error { return os.Remove(path) }},
}

// overwrite writes the new content over the old one in place.
func overwrite(path string, content []byte) error {
	return reopened(path, 0, func(f *os.File) error {
		_, err := f.WriteAt(content, 0)
		return errors.Join(err, f.Truncate(int64(len(content))))
	})
}

// replace renames another file to the path.
func replace(path string, content []byte) error {
	other := filepath.Join(filepath.Dir(filepath.Dir(path)), "other")
	return errors.Join(os.WriteFile(other, content, 0o666), os.Rename(other, path))
}

func reopened(path string, flags int, do func(f *os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flags, 0)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// changing is a source that changes while a fit reads it.
type changing struct {
	*lab
	line    string
	source  string            // the file or the folder
	files   map[string][]byte // its content, by path
	target  string            // the file that changes
	becomes []byte
	old     string // the digest of the results of an undisturbed fit
	alone   time.Duration
}

// changes changes a source at a random moment of a fit, at least n times in all. The fit must end
// with the bytes of a fit of the old source or of the new one, or with an error that names the file.
func changes(ctx context.Context, l *lab) error {
	cells := len(changedKinds) * len(changedFits) * len(fileChanges)
	for _, kind := range changedKinds {
		for _, line := range changedFits {
			name := strings.Fields(line)[1] + ", " + kind
			if !l.wanted(name) {
				continue
			}
			c := &changing{lab: l, line: line, source: l.in("data", "rows."+kind), files: make(map[string][]byte)}
			if err := c.prepare(ctx, kind); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, way := range fileChanges {
				for range (l.n + cells - 1) / cells {
					if err := l.try(ctx, name+", "+way.name, func() (string, error) { return c.once(ctx, way) }); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// prepare reads the content of the source, old and new, and fits it undisturbed.
func (c *changing) prepare(ctx context.Context, kind string) (err error) {
	rows, format, parts := c.rows, kind, []string{c.source}
	if kind == "folder" {
		rows, format, parts = c.rows/3, "csv", nil
		for part := range 3 {
			parts = append(parts, filepath.Join(c.source, fmt.Sprintf("part=%d", part), "rows.csv"))
		}
	}
	for i, path := range parts {
		name := uniform(rows, 10, 7+i, format)
		if c.files[path], err = c.content(ctx, name); err != nil {
			return err
		}
		if c.becomes, err = c.content(ctx, strings.Replace(name, "uniform", "reversed", 1)); err != nil {
			return err
		}
		c.target = path // in the end the last
	}
	for range 2 { // the second fit reads from the page cache
		if err := c.restore(); err != nil {
			return err
		}
		e, err := c.succeed(ctx, c.fields(c.line, c.source))
		if err != nil {
			return err
		}
		c.old, c.alone = c.written(), e.took
	}
	return nil
}

// content returns the bytes of a file of data. Streams of Arrow are made from files.
func (c *changing) content(ctx context.Context, name string) ([]byte, error) {
	file, stream := strings.CutSuffix(name, ".arrows")
	if stream {
		name = file + ".arrow"
	}
	path, err := c.data(ctx, name)
	if err != nil || !stream {
		return os.ReadFile(path)
	}
	e, err := c.succeed(ctx, c.nystream("convert", path, "-", "--output-format", "arrow-stream", "--quiet"))
	return e.out, err
}

// longAgo is the modification time of the old files.
var longAgo = time.Now().Add(-time.Hour).Truncate(time.Second)

// restore writes the old source and removes results.
func (c *changing) restore() error {
	err := c.reset(nil)
	for path, content := range c.files {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666), os.Chtimes(path, longAgo, longAgo))
	}
	return err
}

// written returns a digest of the results, "" if there are none.
func (c *changing) written() string {
	all, found := sha256.New(), false
	for _, name := range []string{"m.npz", "u.npy"} {
		if content, err := os.ReadFile(c.in(name)); err == nil {
			found = true
			fmt.Fprintf(all, "%s %d\n%s", name, len(content), content)
		}
	}
	if !found {
		return ""
	}
	return fmt.Sprintf("%x", all.Sum(nil))
}

// once starts a fit, changes the source at a random moment, and judges what comes of it.
func (c *changing) once(ctx context.Context, way change) (outcome string, err error) {
	if err := c.restore(); err != nil {
		return "", err
	}
	p := c.fields(c.line, c.source)
	p.after = time.Duration(c.random.Float64() * float64(c.alone))
	p.disturb = func(*os.Process) error { return way.change(c.target, c.becomes) }
	e, err := c.run(ctx, p)
	if err == nil && !e.disturbed { // it ended before
		err = way.change(c.target, c.becomes)
	}
	got := c.written()
	switch {
	case err != nil:
		return "", err
	case e.code == 0 && got == c.old:
		return "of the old source", nil
	case e.code == 0:
		return c.ofNew(ctx, got)
	case e.code != 3 || !strings.Contains(e.text, c.target):
		return "", fmt.Errorf("it ends with %d: %s", e.code, e.text)
	case got != "":
		return "", fmt.Errorf("it is refused, and its results are there: %s", e.text)
	}
	return "refused", nil
}

// change changes a file.
func (w change) change(path string, content []byte) error {
	if err := w.do(path, content); err != nil || !w.time {
		return err
	}
	return os.Chtimes(path, longAgo, longAgo)
}

// ofNew wants the results to be those of the new source.
func (c *changing) ofNew(ctx context.Context, got string) (string, error) {
	for _, name := range []string{"m.npz", "u.npy"} {
		os.Remove(c.in(name))
	}
	e, err := c.run(ctx, c.fields(c.line, c.source))
	if err == nil && (e.code != 0 || got != c.written()) {
		err = errors.New("a silent mixture: its results are neither those of the old source nor those of the new one")
	}
	return "of the new source", err
}
