// Command corpus reads valid but unusual files with nystream, and compares them with the values that their writers
// recorded: NumPy and pandas (python.py), DuckDB and apache-arrow from npm (node.mjs), parquet-go and arrow v16 (here).
// It prints the number of files read for each writer and format, and every file that is refused or read differently.
//
//	npm install --prefix FOLDER @duckdb/node-api apache-arrow
//	go run ./bench/corpus -npm FOLDER
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// sidecar holds the values that a writer recorded for a file.
type sidecar struct {
	Writer  string    `json:"writer"`
	Columns []columns `json:"columns"`
}

// columns holds the recorded values of a column: number, text, or left for columns that are not part of the rows and
// must be reported as omitted.
type columns struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`
	Values []*string `json:"values"`
}

// options are the command-line options.
type options struct {
	npm, python, out string
}

func main() { program.Main("corpus", parse, run) }

func parse(args []string) (o options, err error) {
	f := program.FileFlags("corpus")
	f.StringVar(&o.npm, "npm", "", "folder in which npm has installed @duckdb/node-api and apache-arrow; none: without their files")
	f.StringVar(&o.python, "python", "/usr/bin/python3", "Python with NumPy and pandas; none: without their files")
	f.StringVar(&o.out, "o", "", "folder to write the files to, instead of one that is removed")
	return o, program.Parse(f, args)
}

func run(ctx context.Context, o options) error {
	folder := o.out
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "nystream-corpus-*"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := writeAll(ctx, folder, o); err != nil {
		return err
	}
	return compare(ctx, folder)
}

// writeAll runs all installed writers, which write their files to a folder.
func writeAll(ctx context.Context, folder string, o options) error {
	if err := writeGo(folder); err != nil {
		return err
	}
	if o.python != "" {
		runWriter(ctx, o.python, "bench/corpus/python.py", folder)
	}
	if o.npm == "" {
		return nil
	}
	script, err := os.ReadFile("bench/corpus/node.mjs")
	if err != nil {
		return err
	}
	path := filepath.Join(o.npm, "corpus.mjs") // Node resolves packages relative to the script
	if err := os.WriteFile(path, script, 0o600); err != nil {
		return err
	}
	runWriter(ctx, "node", path, folder)
	return nil
}

// runWriter runs a writer, with a message if it is not installed.
func runWriter(ctx context.Context, name string, args ...string) {
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		fmt.Printf("without the files of %s: %v\n", strings.Join(c.Args, " "), err)
	}
}

// compare reads all files of a folder and prints a table of the results. It returns an error if a file is refused or
// read differently.
func compare(ctx context.Context, folder string) error {
	type key struct{ writer, format string }
	type count struct{ files, equal, left int }
	counts := make(map[key]count)
	sidecars, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	var all count
	for _, path := range sidecars {
		data := strings.TrimSuffix(path, ".json")
		if _, err := os.Stat(path + ".json"); err == nil || data == path {
			continue // a file of JSON lines, which has its own sidecar
		}
		said, err := readSidecar(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		left, err := check(ctx, data, said)
		equal := 1
		if err != nil {
			equal = 0
			fmt.Printf("%s: %v\n", filepath.Base(data), err)
		}
		c := counts[key{said.Writer, formatOf(data)}]
		counts[key{said.Writer, formatOf(data)}] = count{c.files + 1, c.equal + equal, c.left + left}
		all = count{all.files + 1, all.equal + equal, all.left + left}
	}
	t := report.Table{Title: "Files of other writers",
		Head: []string{"writer", "format", "files", "read, values equal", "columns left out and named"}}
	byName := func(a, b key) int { return strings.Compare(a.writer+a.format, b.writer+b.format) }
	for _, k := range slices.SortedFunc(maps.Keys(counts), byName) {
		t.Add(k.writer, k.format, counts[k].files, counts[k].equal, counts[k].left)
	}
	t.Add("all", "", all.files, all.equal, all.left)
	fmt.Print(t.Markdown())
	if bad := all.files - all.equal; bad > 0 {
		return fmt.Errorf("%d files are refused or read otherwise", bad)
	}
	return nil
}

func formatOf(path string) string {
	_, extension, _ := strings.Cut(filepath.Base(path), ".")
	return extension
}

func readSidecar(path string) (s sidecar, err error) {
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	return s, err
}

// check compares a file with its sidecar, and counts the columns reported as omitted.
func check(ctx context.Context, path string, said sidecar) (left int, err error) {
	o := blockstore.Options{Threads: 1}
	if encoding, err := os.ReadFile(path + ".options"); err == nil {
		o.Encoding = string(encoding)
	}
	files, err := blockstore.OpenFiles(ctx, []string{path}, o)
	if err != nil {
		return 0, err
	}
	for _, c := range said.Columns {
		if c.Kind == "text" {
			o.Keep = append(o.Keep, c.Name)
		}
	}
	src, err := files.Source(o)
	if err != nil {
		return 0, err
	}
	named := map[string]bool{}
	for _, c := range src.LeftOut() {
		named[c.Name] = true
	}
	b, err := readRows(ctx, src)
	if err != nil {
		return 0, err
	}
	for _, c := range said.Columns {
		if c.Kind == "left" && named[c.Name] {
			left++
		} else if err := c.compare(src.Info(), b); err != nil {
			return left, fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return left, nil
}

// compare compares the column with the rows read.
func (c columns) compare(info stream.Info, b *stream.Batch) error {
	at := slices.Index(info.Columns, c.Name)
	kept := slices.IndexFunc(info.Kept, func(f stream.Field) bool { return f.Name == c.Name })
	switch {
	case at < 0 && kept < 0:
		return errors.New("not read")
	case c.Kind == "left":
		return errors.New("read as numbers")
	case b.X.Rows != len(c.Values):
		return fmt.Errorf("%d rows, of %d", b.X.Rows, len(c.Values))
	}
	for i, want := range c.Values {
		if at >= 0 && !sameNumber(b.X.Data[i*b.X.Stride+at], want) {
			return fmt.Errorf("row %d: %v, want %s", i, b.X.Data[i*b.X.Stride+at], quoted(want))
		}
		if kept >= 0 && !sameText(&b.Kept[kept], i, want) {
			return fmt.Errorf("row %d: %v, want %s", i, b.Kept[kept], quoted(want))
		}
	}
	return nil
}

func quoted(v *string) string {
	if v == nil {
		return "null"
	}
	return strconv.Quote(*v)
}

// readRows reads all rows with their kept columns.
func readRows(ctx context.Context, src stream.Source) (*stream.Batch, error) {
	info := src.Info()
	r, err := src.Open(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := &stream.Batch{X: matrix.New(int(max(info.Rows, 0))+1, len(info.Columns))}
	for _, k := range info.Kept {
		b.Kept = append(b.Kept, stream.Column{Kind: k.Kind})
	}
	n, err := stream.ReadFull(r, b)
	if err != nil && err != io.EOF {
		return nil, err
	}
	b.X.Rows = n
	return b, nil
}

// sameNumber compares a number with the recorded one; a null is NaN.
func sameNumber(got float64, want *string) bool {
	if want == nil || *want == "NaN" {
		return math.IsNaN(got)
	}
	w, err := strconv.ParseFloat(*want, 64)
	return err == nil && got == w
}

func sameText(c *stream.Column, i int, want *string) bool {
	if want == nil {
		return c.Null(i)
	}
	return !c.Null(i) && c.Kind == stream.String && c.Strings[i] == *want || c.Null(i) && *want == ""
}
