// Command corpus compares what nystream reads of valid, odd files with what their writers say
// that they hold: NumPy and pandas (python.py), DuckDB and apache-arrow from npm (node.mjs),
// parquet-go and arrow v16 (here). It prints for each writer and format how many files are
// read, and every file that is refused or read otherwise.
//
//	npm install --prefix FOLDER @duckdb/node-api apache-arrow
//	go run ./bench/corpus -npm FOLDER
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// sidecar is what a writer says of a file.
type sidecar struct {
	Writer  string    `json:"writer"`
	Columns []columns `json:"columns"`
}

// columns is what a writer says of a column: number, text, or left for what is no part of the
// rows and must be named as left out.
type columns struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"`
	Values []*string `json:"values"`
}

// options are what the command line says.
type options struct{ npm, python, out string }

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

// writeAll lets all writers that are here write their files to a folder.
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
	path := filepath.Join(o.npm, "corpus.mjs") // finds its packages beside it
	if err := os.WriteFile(path, script, 0o600); err != nil {
		return err
	}
	runWriter(ctx, "node", path, folder)
	return nil
}

// runWriter runs a writer, and says so if there is none.
func runWriter(ctx context.Context, name string, args ...string) {
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		fmt.Printf("without the files of %s: %v\n", strings.Join(c.Args, " "), err)
	}
}

// compare reads all files of a folder and prints what became of them. The error is that not
// all went well.
func compare(ctx context.Context, folder string) error {
	type key struct{ writer, format string }
	type count struct{ files, equal, unmentioned, left int }
	counts := make(map[key]*count)
	var keys []key
	sidecars, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	bad := 0
	for _, path := range sidecars {
		data := strings.TrimSuffix(path, ".json")
		if _, err := os.Stat(path + ".json"); err == nil || data == path {
			continue // a file of JSON lines, which has a sidecar itself
		}
		said, err := readSidecar(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		k := key{said.Writer, formatOf(data)}
		if counts[k] == nil {
			counts[k], keys = &count{}, append(keys, k)
		}
		c := counts[k]
		c.files++
		left, unmentioned, err := check(ctx, data, said)
		c.left += left
		c.unmentioned += unmentioned
		if err != nil {
			bad++
			fmt.Printf("%s: %v\n", filepath.Base(data), err)
			continue
		}
		c.equal++
	}
	slices.SortFunc(keys, func(a, b key) int { return strings.Compare(a.writer+a.format, b.writer+b.format) })
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "writer\tformat\tfiles\tread, values equal\tcolumns left out and named\tcolumns unmentioned")
	var all count
	for _, k := range keys {
		c := counts[k]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", k.writer, k.format, c.files, c.equal, c.left, c.unmentioned)
		all.files, all.equal, all.left, all.unmentioned = all.files+c.files, all.equal+c.equal, all.left+c.left, all.unmentioned+c.unmentioned
	}
	fmt.Fprintf(w, "all\t\t%d\t%d\t%d\t%d\n", all.files, all.equal, all.left, all.unmentioned)
	if err := w.Flush(); err != nil {
		return err
	}
	if bad > 0 || all.unmentioned > 0 {
		return fmt.Errorf("%d files are refused or read otherwise, %d columns unmentioned", bad, all.unmentioned)
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

// check compares a file with what its writer says.
func check(ctx context.Context, path string, said sidecar) (left, unmentioned int, err error) {
	o := blockstore.Options{Threads: 1}
	if encoding, err := os.ReadFile(path + ".options"); err == nil {
		o.Encoding = string(encoding)
	}
	files, err := blockstore.OpenFiles(ctx, []string{path}, o)
	if err != nil {
		return 0, 0, err
	}
	for _, c := range said.Columns {
		if c.Kind == "text" {
			o.Keep = append(o.Keep, c.Name)
		}
	}
	src, err := files.Source(o)
	if err != nil {
		return 0, 0, err
	}
	named := map[string]bool{}
	for _, c := range blockstore.LeftOut(src) {
		named[c.Name] = true
	}
	info := src.Info()
	b, err := readRows(ctx, src)
	if err != nil {
		return 0, 0, err
	}
	for _, c := range said.Columns {
		at := slices.Index(info.Columns, c.Name)
		kept := slices.IndexFunc(info.Kept, func(f stream.Field) bool { return f.Name == c.Name })
		switch {
		case c.Kind == "left" && named[c.Name]:
			left++
			continue
		case at < 0 && kept < 0:
			unmentioned++
			if named[c.Name] {
				unmentioned--
			}
			return left, unmentioned, fmt.Errorf("column %q is not read", c.Name)
		case c.Kind == "left":
			return left, unmentioned, fmt.Errorf("column %q is read as numbers", c.Name)
		}
		if n := b.X.Rows; n != len(c.Values) {
			return left, unmentioned, fmt.Errorf("%d rows, of %d", n, len(c.Values))
		}
		for i, want := range c.Values {
			if at >= 0 && !sameNumber(b.X.Data[i*b.X.Stride+at], want) {
				return left, unmentioned, fmt.Errorf("column %q, row %d: %v, want %s", c.Name, i, b.X.Data[i*b.X.Stride+at], shown(want))
			}
			if kept >= 0 && !sameText(&b.Kept[kept], i, want) {
				return left, unmentioned, fmt.Errorf("column %q, row %d: %v, want %s", c.Name, i, b.Kept[kept], shown(want))
			}
		}
	}
	return left, unmentioned, nil
}

func shown(v *string) string {
	if v == nil {
		return "null"
	}
	return strconv.Quote(*v)
}

// readRows reads all rows with what is kept.
func readRows(ctx context.Context, src stream.Source) (*stream.Batch, error) {
	info := src.Info()
	r, err := src.Open(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := &stream.Batch{X: stream.NewMatrix(int(max(info.Rows, 0))+1, len(info.Columns))}
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

// sameNumber compares a number with what the writer says: a null is NaN here.
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
