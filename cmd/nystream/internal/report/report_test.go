package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// Each field is in JSON under its key and in text under its label, in order. HTML is escaped.
func TestFieldsOfAReport(t *testing.T) {
	g := &Group{}
	r := &Report{Title: "title", Head: json.RawMessage(`{"format":"x"`)}
	r.Show(g.Key("both", ""), 1.5, "label", "%d & %s", 2, "<b>")
	r.Put(g.Key("infinite", ""), []float64{1, math.Inf(1)})
	r.Put(g.Key("nan", ""), math.NaN())
	r.Add("text", "alone")
	r.Add("", "continued")
	for _, nothing := range []any{math.NaN(), "", nil, []int{}, false, 0, (*Number)(nil)} {
		r.PutSome(g.Key("nothing", ""), nothing)
	}
	r.PutSome(g.Key("zero", ""), 0.0)
	var text strings.Builder
	if err := r.WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	if want := "title\n  label   2 & <b>\n  text    alone\n          continued\n"; text.String() != want {
		t.Errorf("text %q, want %q", text.String(), want)
	}
	for range 2 {
		object, err := r.MarshalJSON()
		if want := `{"format":"x","both":1.5,"infinite":[1,null],"nan":null,"zero":0}`; string(object) != want || err != nil {
			t.Errorf("JSON %s, %v, want %s", object, err, want)
		}
	}
	var m Markup
	m.AddTable(r)
	page := string(m.Bytes())
	if want := `<th scope="row">label</th><td>2 &amp; &lt;b&gt;</td>`; strings.Count(page, "<tr>") != 3 || !strings.Contains(page, want) {
		t.Errorf("HTML %s without %s", page, want)
	}
	if object, err := new(Report).MarshalJSON(); string(object) != "{}" || err != nil {
		t.Errorf("an empty report is %s, %v", object, err)
	}
}

func TestNumberIsNullIfInfinite(t *testing.T) {
	for v, want := range map[float64]string{1.5: "1.5", math.Inf(1): "null", math.Inf(-1): "null"} {
		if got, err := Number(v).MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", v, got, err)
		}
	}
	if Optional(math.NaN()) != nil || *Optional(2) != 2 {
		t.Error("optional")
	}
}

// Every key has documentation, and is declared once in its group. Help is at most 96 columns wide.
func TestKeysAreDocumented(t *testing.T) {
	for _, g := range groups {
		seen := make(map[string]bool)
		for _, k := range g.keys {
			if seen[k.name] || len(k.doc) < 3 {
				t.Errorf("key %s of %s: declared twice, or its doc is %q", k.name, g.title, k.doc)
			}
			seen[k.name] = true
		}
	}
	for line := range strings.SplitSeq(Help(), "\n") {
		if n := len([]rune(line)); n > 96 {
			t.Errorf("%d letters: %s", n, line)
		}
	}
}

// Warnings come after all other lines, and are yellow only on a terminal.
func TestWarningsAreLast(t *testing.T) {
	r := &Report{Title: "title"}
	r.AddWarnings([]string{"doubt"})
	r.Add("label", "text")
	for colour, want := range map[bool]string{
		false: "title\n  label   text\nwarning: doubt\n",
		true:  "title\n  label   text\n\x1b[33mwarning: doubt\x1b[0m\n",
	} {
		var text strings.Builder
		if err := r.WriteText(&text, colour); err != nil || text.String() != want {
			t.Errorf("colour %t: %q, %v; want %q", colour, text.String(), err, want)
		}
	}
}

// The name of an error has its norm and, unless it is of the matrix, its quantity.
func TestErrorName(t *testing.T) {
	for of, want := range map[string]string{
		"matrix in the spectral norm":          "spectral error",
		"matrix in the Frobenius norm":         "Frobenius error",
		"kernel, matrix in the Frobenius norm": "Frobenius error of the kernel",
		"plan in the Frobenius norm":           "Frobenius error of the plan",
		"decision values":                      "decision value error",
	} {
		if got := ErrorName(of); got != want {
			t.Errorf("%s: %q, want %q", of, got, want)
		}
	}
}

// Lines are folded at spaces to 80 columns. Longer words move to the left, and tables are kept.
func TestReportsAreFolded(t *testing.T) {
	digest, table := strings.Repeat("a", 64), strings.Repeat("cell ", 20)
	r := &Report{Title: strings.Repeat("title ", 14) + "end"}
	r.Add("a label of 20 letter", "%sU.csv, SHA-256 %s", strings.Repeat("1  ", 20), digest)
	r.AddWide(table)
	r.AddWarnings([]string{strings.Repeat("doubt ", 12) + "end"})
	var text strings.Builder
	if err := r.WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		strings.TrimSpace(strings.Repeat("title ", 13)), "title end",
		"  a label of 20 letter   " + strings.TrimSpace(strings.Repeat("1  ", 19)),
		strings.Repeat(" ", 25) + "1  U.csv, SHA-256",
		strings.Repeat(" ", 16) + digest,
		"  " + table,
		"warning: " + strings.TrimSpace(strings.Repeat("doubt ", 12)), "         end\n"}, "\n")
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
}
