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

// fileChanges are ways in which $FILE becomes another one: scripts of a shell, in which $NEW is
// another file of the same size, $HALF is half of it, and $OLD has the modification time of the
// old file.
var fileChanges = [][2]string{
	{"append", `tail -c $HALF "$NEW" >>"$FILE"`},
	{"truncate", `truncate -s $HALF "$FILE"`},
	{"overwrite", `cat "$NEW" 1<>"$FILE"`},
	{"overwrite, time put back", `cat "$NEW" 1<>"$FILE"; touch -r "$OLD" "$FILE"`},
	{"write anew", `cat "$NEW" >"$FILE"`},
	{"rename", `cp "$NEW" other; mv other "$FILE"`},
	{"rename, time put back", `cp "$NEW" other; touch -r "$OLD" other; mv other "$FILE"`},
	{"remove", `rm "$FILE"`},
}

// changing is a source that changes while a fit reads it.
type changing struct {
	*lab
	line        string
	source      string            // the file or the folder
	files       map[string]string // its files, and those that they are copied from
	target, new string            // the file that changes, and what it becomes
	old         string            // the digest of the results of an undisturbed fit
	alone       time.Duration
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
			c := &changing{lab: l, line: line, source: l.in("data", "rows."+kind), files: make(map[string]string)}
			if err := c.prepare(ctx, kind); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, way := range fileChanges {
				for range (l.n + cells - 1) / cells {
					if err := l.try(ctx, name+", "+way[0], func() (string, error) { return c.once(ctx, way[1]) }); err != nil {
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
		if c.files[path], err = c.file(ctx, name); err != nil {
			return err
		}
		if c.new, err = c.file(ctx, strings.Replace(name, "uniform", "reversed", 1)); err != nil {
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

// file returns the path of a file of data. Streams of Arrow are made from files.
func (c *changing) file(ctx context.Context, name string) (string, error) {
	file, stream := strings.CutSuffix(name, ".arrows")
	if !stream {
		return c.data(ctx, name)
	}
	path, err := c.data(ctx, file+".arrow")
	if err != nil {
		return "", err
	}
	e, err := c.succeed(ctx, c.fields("convert X - --output-format arrow-stream --quiet", path))
	return path + "s", errors.Join(err, os.WriteFile(path+"s", e.out, 0o666))
}

// restore writes the old source, as of an hour ago, and removes results.
func (c *changing) restore() error {
	err := c.reset(map[string][]byte{"old": nil})
	written := time.Now().Add(-time.Hour).Truncate(time.Second)
	for path, from := range c.files {
		content, missing := os.ReadFile(from)
		err = errors.Join(err, missing, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666), os.Chtimes(path, written, written))
	}
	return errors.Join(err, os.Chtimes(c.in("old"), written, written))
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
func (c *changing) once(ctx context.Context, script string) (outcome string, err error) {
	if err := c.restore(); err != nil {
		return "", err
	}
	info, err := os.Stat(c.new)
	if err != nil {
		return "", err
	}
	change := process{args: []string{"sh", "-e", "-c", script}, env: []string{"FILE=" + c.target, "NEW=" + c.new, "OLD=" + c.in("old"),
		fmt.Sprintf("HALF=%d", info.Size()/2)}}
	p := c.fields(c.line, c.source)
	p.after = time.Duration(c.random.Float64() * float64(c.alone))
	p.disturb = func(*os.Process) error { _, err := c.succeed(ctx, change); return err }
	e, err := c.run(ctx, p)
	if err == nil && !e.disturbed { // it ended before
		_, err = c.succeed(ctx, change)
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
