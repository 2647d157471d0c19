package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
)

// layoutLines read rows X and other files, which are words of one capital letter, and write o.npz or o.csv.
var layoutLines = []string{
	"fit ridge X --target T --weights W --fold-by G --kernel rbf(gamma=0.5) --landmarks 6 -o o.npz",
	"fit ridge X --label L --kernel rbf(gamma=0.5) --landmarks 6 -o m.npz & predict m.npz X --label L -o o.csv",
	"fit askls X --label L --kernel rbf(gamma=0.5) -o o.npz",
	"fit askls --graph E --labels K -o o.npz & predict o.npz E --labels K -o o.csv",
	"fit ksvd --graph E --nodes N --kernel rbf(gamma=0.5) --rank 2 -o o.npz & transform o.npz E --nodes N -o o.csv",
	"fit ism X --target W --dim 1 --kernel gaussian(sigma=1) -o o.npz",
	"fit ism X --paradigm semisupervised --label L --scores W --dim 1 --kernel gaussian(sigma=1) -o o.npz",
	"fit ism X --paradigm alternative --given-label L --clusters 2 --dim 1 --kernel gaussian(sigma=1) -o o.npz",
	"fit transport X --right Y --weights W --right-weights W --kernel rbf(gamma=0.5) -o o.npz",
	"fit operator X --with Y --kind explicit --matrix B --kernel rbf(gamma=0.5) --rank 2 -o o.npz",
	"fit ssrsvd X --right Y --kernel rbf(gamma=0.5) --rank 2 --nnz 1 -o o.npz & verify o.npz X --right Y --columns 0,1",
}

// layoutFile is a table as text.
type layoutFile struct {
	names []string
	rows  [][]string
}

// layoutFiles returns the files of layoutLines, whose words have commas, blanks and non-ASCII letters.
func layoutFiles() map[string]layoutFile {
	const n = 12
	words := []string{"café, noir", "thé", "thé vert"}
	f := make(map[string]layoutFile)
	table := func(letter, names string, row func(i int) []string) {
		t := layoutFile{names: strings.Fields(names)}
		for i := range n {
			t.rows = append(t.rows, row(i))
		}
		f[letter] = t
	}
	number := func(i, k int) string { return fmt.Sprint(float64((i*(k+5)+k)%13) / 8) }
	node := func(i int) string { return fmt.Sprintf("é%d", i%n) }
	table("X", "a b", func(i int) []string { return []string{number(i, 0), number(i, 1)} })
	table("Y", "a b", func(i int) []string { return []string{number(i, 2), number(i, 3)} })
	table("T", "t u", func(i int) []string { return []string{number(i, 4), number(i, 5)} })
	table("W", "w", func(i int) []string { return []string{fmt.Sprint(1 + i%3)} })
	table("L", "l", func(i int) []string { return []string{words[i%3]} })
	table("G", "g", func(i int) []string { return []string{words[i/4]} })
	table("N", "node", func(i int) []string { return []string{node(n - 1 - i)} })
	table("K", "node label", func(i int) []string { return []string{node(i), words[i%3]} })
	table("E", "source target", func(i int) []string { return []string{node(i), node(i*i + 1)} })
	table("B", "p q r s t u v w x y z A", func(i int) (row []string) {
		for k := range n {
			row = append(row, number(i, k))
		}
		return row
	})
	return f
}

// layouts are layouts of text with their flags.
var layouts = []struct {
	name, flags string
	renames     bool // columns have other names
	write       func(f layoutFile) string
}{
	{"comments", "--comment ;", false, func(f layoutFile) string {
		head, rest, _ := strings.Cut(f.text(","), "\n")
		return "; made by x, y and z\n" + head + "\n;\n" + rest
	}},
	{"lines before", "--skip 2", false, func(f layoutFile) string { return "of x, y and z\n2020\n" + f.text(",") }},
	{"names that are numbers", "--header", true, func(f layoutFile) string { return f.numbered().text(",") }},
	{"no names", "--no-header", true, func(f layoutFile) string { return layoutFile{nil, f.rows}.text(",") }},
	{"a delimiter", "--delimiter |", false, func(f layoutFile) string { return f.text("|") }},
	{"an encoding", "--encoding latin1", false, func(f layoutFile) string { return latin1(f.text(",")) }},
	{"all", "--comment ; --skip 1 --header --delimiter | --encoding latin1", true, func(f layoutFile) string {
		return latin1("été\n; a|b|c\n" + f.numbered().text("|"))
	}},
}

// numbered returns the table with numbers as column names.
func (f layoutFile) numbered() layoutFile { return layoutFile{rows.Numbered("", len(f.names)), f.rows} }

// text returns the table with a delimiter. Words that contain it are quoted.
func (f layoutFile) text(delimiter string) string {
	var lines strings.Builder
	table := f.rows
	if f.names != nil {
		table = slices.Concat([][]string{f.names}, f.rows)
	}
	for _, row := range table {
		cells := slices.Clone(row)
		for k, cell := range cells {
			if strings.Contains(cell, delimiter) {
				cells[k] = `"` + cell + `"`
			}
		}
		lines.WriteString(strings.Join(cells, delimiter) + "\n")
	}
	return lines.String()
}

// latin1 returns text in Latin-1.
func latin1(text string) string {
	out, err := charmap.ISO8859_1.NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return out
}

// Flags about the layout of text apply to every file of a command line, even if the rows are not text. The result does
// not depend on the layout.
func TestLayoutOfFilesBesideRows(t *testing.T) {
	files := layoutFiles()
	put := func(t *testing.T, write func(f layoutFile) string) {
		for letter, f := range files {
			if err := os.WriteFile(strings.ToLower(letter)+".csv", []byte(write(f)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, line := range layoutLines {
		t.Run(line, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, func(f layoutFile) string { return f.text(",") })
			succeeds(t, "convert", "x.csv", "x.parquet")
			want, says := answerOfLine(t, line, "x.parquet", "")
			if says != "" {
				t.Fatal(says)
			}
			for _, l := range layouts {
				rows := "x.parquet"
				if l.name == "all" {
					rows = "x.csv"
				} else if testing.Short() {
					continue
				}
				put(t, l.write)
				got, says := answerOfLine(t, line, rows, l.flags)
				if l.renames && says == "" {
					delete(got, "meta.json")
				}
				for member := range got {
					if got[member] != want[member] {
						t.Errorf("%s: another %s", l.name, member)
					}
				}
				if says != "" {
					t.Errorf("%s: %s", l.name, says)
				}
			}
		})
	}
}

// answerOfLine runs a line of layoutLines with more flags. It returns the contents of the output files, or the error
// message.
func answerOfLine(t *testing.T, line, rows, flags string) (members map[string]string, says string) {
	for _, command := range strings.Split(line, " & ") {
		words := strings.Fields(command + " " + flags)
		for i, w := range words {
			switch {
			case w == "X":
				words[i] = rows
			case len(w) == 1 && w >= "A" && w <= "Z":
				words[i] = strings.ToLower(w) + ".csv"
			}
		}
		var messages bytes.Buffer
		if code := run(t.Context(), append(words, "--quiet", "--provenance=false", "--threads=1"), nil, io.Discard, &messages); code != app.ExitOK {
			return nil, messages.String()
		}
	}
	members = make(map[string]string)
	if table, err := os.ReadFile("o.csv"); err == nil {
		members["o.csv"] = string(table)
	}
	if model, err := zip.OpenReader("o.npz"); err == nil {
		defer model.Close()
		for _, f := range model.File {
			members[f.Name] = fmt.Sprint(f.CRC32)
		}
	}
	if len(members) == 0 {
		t.Fatal("no file was written")
	}
	return members, ""
}
