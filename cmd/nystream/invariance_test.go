package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// asked is a fit of files and the application of its model to new rows: everything that a change of the table may
// alter.
type asked struct {
	fit, apply  []string // words of the command, without files
	rows, fresh *cells   // of the fit, and new ones
	parts       int      // files of the rows
	format      string   // of all files; "": of each another one
}

// cells is a table as text.
type cells struct {
	names []string
	rows  [][]string
}

// askedFit is a fit in the table of invariances.
type askedFit struct{ name, fit, apply string }

const (
	few      = " --columns a,b,c --scale standard --kernel rbf(gamma=median)"
	category = " --columns a,b,c,kind --categories onehot --landmarks 500"
)

var askedFits = []askedFit{
	{"ridge", "ridge --target y --columns a,b,c --landmarks 500", "predict --label y --interval 0.8"},
	{"ridge with std", "ridge --target y --std --landmarks 500" + few, "predict --label y --std"},
	{"ridge of categories", "ridge --target y" + category, "predict --label y"},
	{"ridge of labels", "ridge --label class" + category, "predict --label class --decisions --probabilities"},
	{"ridge balanced", "ridge --label class --class-weight balanced" + category, "predict --label class --probabilities"},
	{"landmark", "landmark --rank 5" + few, "transform"},
	{"clusters", "landmark --rank 5 --clusters 3" + few, "predict"},
	{"pca", "pca --rank 3" + few, "transform"},
	{"novelty", "pca --rank 3 --novelty" + few, "predict --novelty 0.05"},
	{"askls", "askls --label class" + few, "predict --label class --decisions"},
	{"ism", "ism --label class" + few, "predict --label class --decisions"},
	{"operator", "operator --kind covariance --rank 3" + few, "transform"},
	{"transport", "transport --right RIGHT --columns a,b,c --kernel rbf(gamma=median)", "transform"},
}

// ask returns the unchanged question of a fit. The table has numbers a, b, c and a word kind, which determine y and
// class, a group g and a weight w. Numbers are multiples of 2⁻²⁰, so that sums are exact.
func (f askedFit) ask() *asked {
	const fine = 1 << 20
	table := func(n int, seed uint64) *cells {
		r := rand.New(rand.NewPCG(seed, 53))
		c := &cells{names: []string{"a", "b", "c", "y", "w", "g", "kind", "class"}}
		for i := range n {
			x := make([]float64, 4)
			for j := range x {
				x[j] = math.Round(fine*r.NormFloat64()) / fine
			}
			kind := r.IntN(3)
			y := math.Round(fine*(2*math.Sin(2*x[0])+x[1]*x[2]+float64(kind)+0.3*x[3])) / fine
			class := int(math.Abs(x[0]+x[1]*x[1]+float64(kind))) % 3
			c.rows = append(c.rows, []string{cellOf(x[0]), cellOf(x[1]), cellOf(x[2]), cellOf(y), "1", strconv.Itoa(i),
				[]string{"blue", "green", "red"}[kind], []string{"p", "q", "r"}[class]})
		}
		return c
	}
	return &asked{fit: strings.Fields("fit " + f.fit), apply: strings.Fields(f.apply), rows: table(120, 1), fresh: table(25, 2), parts: 1, format: "csv"}
}

func cellOf(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// column returns the index of a column.
func (c *cells) column(name string) int { return slices.Index(c.names, name) }

// edit changes the cells of a column.
func (c *cells) edit(name string, change func(i int, cell string) string) {
	j := c.column(name)
	for i, row := range c.rows {
		row[j] = change(i, row[j])
	}
}

// order puts columns in another order.
func (c *cells) order(names ...string) {
	old := *c
	c.names, c.rows = names, nil
	for _, row := range old.rows {
		var cells []string
		for _, name := range names {
			cells = append(cells, row[old.column(name)])
		}
		c.rows = append(c.rows, cells)
	}
}

// add appends a column.
func (c *cells) add(name string, cell func(i int) string) {
	c.names = append(slices.Clone(c.names), name)
	for i := range c.rows {
		c.rows[i] = append(slices.Clone(c.rows[i]), cell(i))
	}
}

// write writes the table as the given number of files.
func (c *cells) write(t *testing.T, stem string, parts int, format string) (paths []string) {
	for p := range parts {
		var text strings.Builder
		fmt.Fprintln(&text, strings.Join(c.names, ","))
		for _, row := range c.rows[len(c.rows)*p/parts : len(c.rows)*(p+1)/parts] {
			fmt.Fprintln(&text, strings.Join(row, ","))
		}
		path := fmt.Sprint(stem, p, ".csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if other := fmt.Sprint(stem, p, ".", cmp.Or(format, []string{"csv", "parquet", "jsonl"}[p%3])); other != path {
			succeeds(t, "convert", path, other)
			path = other
		}
		paths = append(paths, path)
	}
	return paths
}

// succeeds runs a command line that must succeed and returns its output.
func succeeds(t *testing.T, words ...string) string {
	t.Helper()
	var out, messages bytes.Buffer
	if code := run(t.Context(), append(words, "--quiet", "--provenance=false"), nil, &out, &messages); code != app.ExitOK {
		t.Fatalf("nystream %s: exit code %d: %s", strings.Join(words, " "), code, messages.String())
	}
	return out.String()
}

// said is the answer to a question: the model, the reports, and the columns of new rows.
type said struct {
	model   []byte
	report  []any // of both commands
	columns map[string][]string
}

// answer fits the rows and applies the model to new ones.
func (q *asked) answer(t *testing.T) said {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	right := askedFit{}.ask().fresh
	words := slices.Clone(q.fit)
	if i := slices.Index(words, "RIGHT"); i >= 0 {
		words[i] = right.write(t, at("right"), 1, q.format)[0]
	}
	words = append(words, q.rows.write(t, at("rows"), q.parts, q.format)...)
	report := succeeds(t, append(words, "-o", at("m.npz"), "--format", "json")...)
	words = append(slices.Clone(q.apply), at("m.npz"))
	words = append(words, q.fresh.write(t, at("fresh"), 1, q.format)...)
	measured := succeeds(t, append(words, "-o", at("new.csv"), "--format", "json")...)
	s := said{columns: make(map[string][]string), report: make([]any, 2)}
	for i, text := range []string{report, measured} {
		if err := json.Unmarshal([]byte(text), &s.report[i]); err != nil {
			t.Fatal(err)
		}
	}
	table, err := os.ReadFile(at("new.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	for j, name := range strings.Split(lines[0], ",") {
		for _, line := range lines[1:] {
			s.columns[name] = append(s.columns[name], strings.Split(line, ",")[j])
		}
	}
	if s.model, err = os.ReadFile(at("m.npz")); err != nil {
		t.Fatal(err)
	}
	return s
}

// fileChange is a change of a table that must not change the answer.
type fileChange struct {
	name   string
	of     func(q *asked) bool // the fits that it applies to; nil for all
	before func(q *asked)      // a change of the unchanged question, too
	do     func(q *asked)
	undo   func(s said) // maps the answer to that of the unchanged question
	same   sameness
}

// sameness is the part of an answer that must be the same.
type sameness int

const (
	inNumbers sameness = iota // all numbers to within tolerance, all words
	inOutputs                 // bits of what is made of new rows: the model has other names of columns
	inModel                   // bits of the model too
)

// rounding is the tolerance for changes that affect rounding only, relative to the largest number of a column. Factors
// of nearly singular kernel matrices amplify it.
const rounding = 1e-6

// asksFor returns a predicate for fits whose command has one of the words.
func asksFor(words ...string) func(q *asked) bool {
	return func(q *asked) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(q.fit, w) })
	}
}

func changesOfFiles() []fileChange {
	labels, weights := asksFor("--label"), asksFor("ridge", "transport")
	list := []fileChange{
		{name: "three files", do: func(q *asked) { q.parts = 3 }, same: inModel},
		{name: "three files of three formats", do: func(q *asked) { q.parts, q.format = 3, "" }, same: inModel},
		{name: "as npy without names", of: func(q *asked) bool { return !asksFor("class", "a,b,c,kind")(q) }, do: asNameless, same: inOutputs, undo: namesOfPlaces},
		{name: "new rows have their columns in another order", do: func(q *asked) {
			q.fresh.order("class", "c", "kind", "g", "a", "y", "w", "b")
		}, same: inModel},
		{name: "columns permuted", do: func(q *asked) {
			q.rows.order("g", "c", "class", "b", "kind", "a", "w", "y")
		}},
		{name: "levels renamed", of: asksFor("onehot"), do: func(q *asked) {
			q.edit("kind", replacing("blue", "z", "green", "y y", "red", "X"))
		}},
		{name: "labels renamed", of: labels, do: func(q *asked) {
			q.edit("class", replacing("p", "zebra", "q", "m n", "r", "A"))
		}, undo: labelsBack("zebra", "p", "m n", "q", "A", "r")},
		{name: "labels are numbers", of: labels, do: func(q *asked) {
			q.edit("class", replacing("p", "7", "q", "-1", "r", "0"))
		}, undo: labelsBack("7", "p", "-1", "q", "0", "r")},
		{name: "labels 0 and -0", of: labels, before: func(q *asked) { q.edit("class", replacing("p", "0", "q", "1.5", "r", "2")) },
			do: func(q *asked) {
				q.edit("class", func(i int, cell string) string {
					if cell == "0" && i%2 == 0 {
						return "-0"
					}
					return cell
				})
			}},
		{name: "columns × units", of: asksFor("standard", "ridge"), do: func(q *asked) {
			q.everywhere("a", func(v float64) float64 { return v * 1e-30 })
			q.everywhere("b", func(v float64) float64 { return 32 + 1.8*v })
			q.everywhere("c", func(v float64) float64 { return v * 1e30 })
		}},
		{name: "columns + 1e7", do: func(q *asked) {
			for _, name := range []string{"a", "b", "c"} {
				q.everywhere(name, func(v float64) float64 { return v + 1e7 })
			}
		}, of: func(q *asked) bool { return !asksFor("transport")(q) }},
		{name: "a constant column", of: scalesNumbers, do: withColumn(func(int) string { return "0.1" })},
		{name: "a column of a constant and its rounding", of: scalesNumbers, do: withColumn(func(i int) string {
			return []string{"0.1", "0.10000000000000002"}[i*i%7%2]
		})},
		{name: "a column without values", of: scalesNumbers, before: withoutChoice, do: func(q *asked) {
			q.rows.add("d", func(int) string { return "" })
		}},
		{name: "weight 0 = absent", of: weights, before: withWeights(1), do: withAbsent("red", "p")},
		{name: "weight 0 = absent, with a level and a label", of: asksFor("onehot"), before: withWeights(1), do: withAbsent("violet", "s")},
		{name: "weight 0 = absent, one kernel", of: func(q *asked) bool { return asksFor("ridge")(q) && !asksFor("--kernel")(q) }, before: oneKernel, do: withAbsent("red", "p")},
		{name: "a row twice = weight 2", of: weights, before: withWeights(2), do: asCopies},
	}
	for _, format := range []string{"parquet", "arrow", "jsonl", "nys"} {
		list = append(list, fileChange{name: "as " + format, do: func(q *asked) { q.format = format }, same: inModel})
	}
	for _, c := range []float64{1e7, 1.7e9} {
		list = append(list, fileChange{name: fmt.Sprintf("target + %.2g", c), of: asksFor("--target"), do: func(q *asked) {
			q.edit("y", func(_ int, cell string) string { return cellOf(numberOf(cell) + c) })
		}, undo: func(s said) {
			for name, column := range s.columns {
				for i := range column {
					if name != "predicted_std" {
						column[i] = cellOf(numberOf(column[i]) - c)
					}
				}
			}
		}})
	}
	return list
}

// numberOf returns the number in a cell.
func numberOf(cell string) float64 {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// edit changes the cells of a column of the fit and of new rows.
func (q *asked) edit(name string, change func(i int, cell string) string) {
	q.rows.edit(name, change)
	q.fresh.edit(name, change)
}

// everywhere changes a column of numbers of the fit and of new rows.
func (q *asked) everywhere(name string, change func(v float64) float64) {
	q.edit(name, func(_ int, cell string) string { return cellOf(change(numberOf(cell))) })
}

// replacing returns an edit that replaces the first word of each pair by the second.
func replacing(pairs ...string) func(i int, cell string) string {
	return func(_ int, cell string) string { return pairs[slices.Index(pairs, cell)+1] }
}

// labelsBack undoes a renaming of labels in predictions. Columns of classes may be in another order.
func labelsBack(pairs ...string) func(s said) {
	return func(s said) {
		rename := replacing(pairs...)
		for _, name := range []string{"predicted", "class"} {
			for i, cell := range s.columns[name] {
				s.columns[name][i] = rename(i, cell)
			}
		}
		old := maps.Clone(s.columns)
		clear(s.columns)
		for name, column := range old {
			for i := 0; i < len(pairs); i += 2 {
				if head, is := strings.CutSuffix(name, "_"+pairs[i]); is {
					name = head + "_" + pairs[i+1]
					break
				}
			}
			s.columns[name] = column
		}
	}
}

// asNameless removes the column names: commands refer to columns by number.
func asNameless(q *asked) {
	q.rows.order("a", "b", "c", "y")
	q.fresh.order("a", "b", "c", "y")
	q.format, q.apply = "npy", append(q.apply, "--columns", "0:3")
	for _, words := range [][]string{q.fit, q.apply} {
		for i, word := range words {
			switch word {
			case "a,b,c":
				words[i] = "0:3"
			case "y":
				words[i] = "3"
			}
		}
	}
}

// namesOfPlaces restores the names of columns that were nameless.
func namesOfPlaces(s said) {
	for i, name := range []string{"a", "b", "c", "y"} {
		if column, is := s.columns[fmt.Sprint("x", i)]; is {
			delete(s.columns, fmt.Sprint("x", i))
			s.columns[name] = column
		}
	}
}

// scalesNumbers reports whether columns are scaled, so that constant ones have no effect.
func scalesNumbers(q *asked) bool { return asksFor("ridge", "standard")(q) && !asksFor("onehot")(q) }

// withColumn adds a feature.
func withColumn(cell func(i int) string) func(q *asked) {
	return func(q *asked) {
		q.rows.add("d", cell)
		q.fresh.add("d", cell)
		q.fit[slices.Index(q.fit, "a,b,c")] = "a,b,c,d"
	}
}

// withoutChoice removes all columns but those of the fit, which are then its default.
func withoutChoice(q *asked) {
	names := []string{"a", "b", "c"}
	for i, word := range q.fit {
		if word == "--target" || word == "--label" {
			names = append(names, q.fit[i+1])
		}
	}
	q.rows.order(names...)
	i := slices.Index(q.fit, "--columns")
	q.fit = slices.Delete(q.fit, i, i+2)
}

// withWeights gives every third row a weight, and keeps rows with the same g in one fold.
func withWeights(weight int) func(q *asked) {
	return func(q *asked) {
		if q.fit = append(q.fit, "--weights", "w"); q.fit[1] == "ridge" {
			q.fit = append(q.fit, "--fold-by", "g")
		}
		q.rows.edit("w", func(i int, _ string) string {
			if i%3 == 0 {
				return strconv.Itoa(weight)
			}
			return "1"
		})
	}
}

func oneKernel(q *asked) {
	withWeights(1)(q)
	q.fit = append(q.fit, "--kernel", "rbf(gamma=median)")
}

// withAbsent inserts a row of weight 0, far from all others, after every eighth row.
func withAbsent(kind, class string) func(q *asked) {
	return func(q *asked) {
		var rows [][]string
		for i, row := range q.rows.rows {
			if rows = append(rows, row); i%8 == 7 {
				rows = append(rows, []string{"1e5", cellOf(float64(-1000 * i)), "77", "1e9", "0", strconv.Itoa(1000 + i), kind, class})
			}
		}
		q.rows.rows = rows
	}
}

// asCopies repeats rows instead of weighting them.
func asCopies(q *asked) {
	var rows [][]string
	for _, row := range q.rows.rows {
		w := q.rows.column("w")
		n := int(numberOf(row[w]))
		row[w] = "1"
		rows = append(rows, slices.Repeat([][]string{row}, n)...)
	}
	q.rows.rows = rows
}

// TestFileInvariance checks that the result of a fit does not depend on how files represent the same rows. With -short
// each fit meets every fourth change.
func TestFileInvariance(t *testing.T) {
	pairs, fell := 0, 0
	bases := make(map[string]said)
	for i, c := range changesOfFiles() {
		t.Run(c.name, func(t *testing.T) {
			for j, f := range askedFits {
				if c.of != nil && !c.of(f.ask()) || testing.Short() && (i+j)%4 > 0 {
					continue
				}
				pairs++
				if !t.Run(f.name, func(t *testing.T) { c.check(t, f, bases) }) {
					fell++
				}
			}
		})
	}
	t.Logf("%d pairs of a fit and a change, of which %d fell", pairs, fell)
}

// check compares the answers to a question and to a changed one. bases caches the answers to unchanged questions.
func (c fileChange) check(t *testing.T, f askedFit, bases map[string]said) {
	q, changed := f.ask(), f.ask()
	for _, q := range []*asked{q, changed} {
		if c.before != nil {
			c.before(q)
		}
	}
	key := fmt.Sprint(q.fit, q.apply, q.rows)
	if bases[key].model == nil {
		bases[key] = q.answer(t)
	}
	c.do(changed)
	want, got := bases[key], changed.answer(t)
	if c.same == inModel && !bytes.Equal(got.model, want.model) {
		t.Error("the model has other bytes")
	}
	if c.undo != nil {
		c.undo(got)
	}
	tolerance := 0.0
	if c.same == inNumbers {
		if tolerance = rounding; q.apply[0] == "transform" && q.fit[1] != "transport" {
			got.columns, want.columns = innerProducts(got.columns), innerProducts(want.columns)
		}
	}
	if problem := columnsDiffer(got.columns, want.columns, tolerance); problem != "" {
		t.Errorf("new rows: %s", problem)
	}
	if problem := columnsDiffer(reportedFigures(got.report), reportedFigures(want.report), tolerance); problem != "" {
		t.Errorf("report: %s", problem)
	}
}

// innerProducts returns the inner products of rows, since coordinates are determined up to signs.
func innerProducts(columns map[string][]string) map[string][]string {
	first := columns[slices.Sorted(maps.Keys(columns))[0]]
	all := map[string][]string{}
	for i := range first {
		for j := range first {
			sum := 0.0
			for _, column := range columns {
				sum += numberOf(column[i]) * numberOf(column[j])
			}
			all["products"] = append(all["products"], cellOf(sum))
		}
	}
	return all
}

// reportedFigures returns the errors and choices of a report as columns. Numbers in lists are sorted, since classes may
// be in another order.
func reportedFigures(report []any) map[string][]string {
	columns := make(map[string][]string)
	var walk func(of, key string, v any)
	walk = func(of, key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(of, k, v[k])
			}
		case []any:
			for _, e := range v {
				walk(of, key, e)
			}
		case float64:
			if slices.Contains([]string{"rmse", "r2", "misclassified", "accuracy", "accuracy_error", "macro_f1", "log_loss", "penalty", "values",
				"clusters", "cost", "value", "explained", "objective", "rows_dropped"}, key) {
				columns[of+key] = append(columns[of+key], cellOf(v))
			}
		}
	}
	for i, r := range report {
		walk([]string{"fit ", "new "}[i], "", r)
	}
	for _, column := range columns {
		slices.SortFunc(column, func(a, b string) int { return cmp.Compare(numberOf(a), numberOf(b)) })
	}
	return columns
}

// columnsDiffer describes a difference above the tolerance, relative to the largest number of the column; "" for none.
func columnsDiffer(got, want map[string][]string, tolerance float64) string {
	names := slices.Sorted(maps.Keys(want))
	if found := slices.Sorted(maps.Keys(got)); !slices.Equal(found, names) {
		return fmt.Sprintf("columns %v for %v", found, names)
	}
	for _, name := range names {
		a, b := got[name], want[name]
		if len(a) != len(b) {
			return fmt.Sprintf("%s: %d numbers for %d", name, len(a), len(b))
		}
		largest, most, at := 0.0, 0.0, 0
		for i := range a {
			v, err := strconv.ParseFloat(a[i], 64)
			w, other := strconv.ParseFloat(b[i], 64)
			if err != nil || other != nil || tolerance == 0 {
				if a[i] != b[i] {
					return fmt.Sprintf("%s: row %d is %s for %s", name, i, a[i], b[i])
				}
				continue
			}
			largest = math.Max(largest, math.Abs(w))
			if d := math.Abs(v - w); d > most {
				most, at = d, i
			}
		}
		if most > tolerance*largest {
			return fmt.Sprintf("%s: row %d is %s for %s, off by %.2g of the largest, allowed %.2g", name, at, a[at], b[at], most/largest, tolerance)
		}
	}
	return ""
}
