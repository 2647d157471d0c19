package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// changedKinds are the sources whose files change: a file of each format, and a folder of three
// CSV files.
var changedKinds = []string{"csv", "csv.gz", "libsvm", "npy", "parquet", "arrow", "arrows", "nys", "folder"}

// changedFits take several passes. One reads X again for the factors, one opens it twice; in others
// X is the second source, beside the rows of Y, which stay.
var changedFits = []string{
	"fit landmark X --kernel rbf(gamma=median) --rank 20 --scale standard --factors u.npy -o m.npz --quiet",
	"fit ksvd X --right X --kernel rbf(gamma=0.5) --rank 10 --method nystrom -o m.npz --quiet",
	"fit operator Y --with X --kernel rbf(gamma=0.5) --kind cca --rank 5 --landmarks 50 --engine landmark -o m.npz --quiet",
	"fit landmark Y --right X --kernel rbf(gamma=0.5) --rank 20 --right-factors u.npy -o m.npz --quiet",
}

// fileChanges are ways in which $FILE becomes another one: scripts of a shell, in which $NEW is
// another file of the same size, $HALF is half of it, and $OLD has the modification time of the
// old file.
var fileChanges = [][2]string{
	{"append", `tail -c $HALF "$NEW" >>"$FILE"`},
	{"truncate", `truncate -s $HALF "$FILE"`},
	{"overwrite", `cat "$NEW" 1<>"$FILE"`},
	{"overwrite at the old time", `cat "$NEW" 1<>"$FILE"; touch -r "$OLD" "$FILE"`},
	{"write anew", `cat "$NEW" >"$FILE"`},
	{"rename", `cp "$NEW" other; mv other "$FILE"`},
	{"rename at the old time", `cp "$NEW" other; touch -r "$OLD" other; mv other "$FILE"`},
	{"remove", `rm "$FILE"`},
}

// changing is a source that changes while a fit reads it.
type changing struct {
	*lab
	line        string
	source      string            // the file or the folder
	files       map[string]string // its files, and those that they are copied from
	target, new string            // the file that changes, and what it becomes
	old         string            // the results of an undisturbed fit
	alone       time.Duration
}

// changes changes a source at a random moment of a fit, at least n times in all. The fit must end
// with the bytes of a fit of the old source or of the new one, or with an error that names the file.
func changes(ctx context.Context, l *lab) {
	cells := len(changedKinds) * len(changedFits) * len(fileChanges)
	for _, kind := range changedKinds {
		for _, line := range changedFits {
			name := strings.Join(append(strings.Fields(line)[1:4], kind), " ")
			if !l.wantsSome(name) {
				continue
			}
			c := &changing{lab: l, line: line, source: l.in("data", "rows."+kind), files: make(map[string]string)}
			c.prepare(ctx, kind)
			for _, way := range fileChanges {
				for range (l.n + cells - 1) / cells {
					l.try(ctx, name+" "+way[0], func() string { return c.once(ctx, way[1]) })
				}
			}
		}
	}
}

// prepare writes the content of the source, old and new, and fits it undisturbed.
func (c *changing) prepare(ctx context.Context, kind string) {
	rows, format, parts := c.rows/3*3, kind, []string{c.source}
	c.line = strings.Replace(c.line, " Y ", " "+c.data(ctx, uniform(rows, 10, 3, "npy"))+" ", 1)
	if kind == "folder" {
		rows, format, parts = rows/3, "csv", nil
		for part := range 3 {
			parts = append(parts, filepath.Join(c.source, fmt.Sprintf("part=%d", part), "rows.csv"))
		}
	}
	for i, path := range parts {
		name := uniform(rows, 10, 7+i, format)
		c.files[path] = c.file(ctx, name)
		c.target, c.new = path, c.file(ctx, strings.Replace(name, "uniform", "reversed", 1)) // in the end of the last
	}
	for range 2 { // the second fit reads from the page cache
		c.restore()
		c.alone = c.succeed(ctx, c.fields(c.line, c.source)).took
		c.old = c.results()
	}
}

// file returns the path of a file of data. Those that blockstore does not write are made of others.
func (c *changing) file(ctx context.Context, name string) string {
	var path string
	var e ended
	switch format := filepath.Ext(name); format {
	case ".arrows":
		path = c.data(ctx, strings.TrimSuffix(name, "s"))
		e = c.succeed(ctx, c.fields("convert X - --output-format arrow-stream --quiet", path))
	case ".gz":
		path = c.data(ctx, strings.TrimSuffix(name, format))
		e = c.succeed(ctx, process{args: []string{"gzip", "-nc", path}})
	default:
		return c.data(ctx, name)
	}
	path = filepath.Join(c.folder, name)
	check(os.WriteFile(path, e.out, 0o666))
	return path
}

// restore writes the old source, as of an hour ago, and removes results.
func (c *changing) restore() {
	c.reset(map[string][]byte{"old": nil})
	written := time.Now().Add(-time.Hour).Truncate(time.Second)
	check(os.Chtimes(c.in("old"), written, written))
	for path, from := range c.files {
		content, err := os.ReadFile(from)
		check(err)
		check(os.MkdirAll(filepath.Dir(path), 0o777))
		check(os.WriteFile(path, content, 0o666))
		check(os.Chtimes(path, written, written))
	}
}

// results returns the model and the factors, "" if there are none.
func (c *changing) results() (all string) {
	for _, name := range []string{"m.npz", "u.npy"} {
		if content, err := os.ReadFile(c.in(name)); err == nil {
			all += name + string(content)
			check(os.Remove(c.in(name)))
		}
	}
	return all
}

// once starts a fit, changes the source at a random moment, and judges what comes of it.
func (c *changing) once(ctx context.Context, script string) (outcome string) {
	c.restore()
	info, err := os.Stat(c.new)
	check(err)
	env := []string{"FILE=" + c.target, "NEW=" + c.new, "OLD=" + c.in("old"), fmt.Sprintf("HALF=%d", info.Size()/2)}
	change := process{args: []string{"sh", "-e", "-c", script}, env: env}
	p := c.fields(c.line, c.source)
	p.after = time.Duration(c.random.Float64() * float64(c.alone))
	p.disturb = func(*os.Process) error { return caught(func() { c.succeed(ctx, change) }) }
	e := c.run(ctx, p)
	if !e.disturbed { // it ended before
		c.succeed(ctx, change)
	}
	results := c.results()
	switch {
	case e.code != 0 && (e.code != 3 || !strings.Contains(e.text, c.target) && !strings.Contains(e.text, "pairs take one row of each")):
		failf("it ends with %d: %s", e.code, e.text)
	case e.code != 0 && results != "":
		failf("it is refused, and its results are there: %s", e.text)
	case e.code != 0:
		return "refused"
	case results == c.old:
		return "of the old source"
	}
	if e := c.run(ctx, c.fields(c.line, c.source)); e.code != 0 || results != c.results() {
		failf("a silent mixture: its results are neither those of the old source nor those of the new one")
	}
	return "of the new source"
}
