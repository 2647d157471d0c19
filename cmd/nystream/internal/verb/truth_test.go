package verb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/stream"
)

// TestTruth: numbers are the words of the fit whatever their kind in the file, and labels
// that the model does not know come behind its classes.
func TestTruth(t *testing.T) {
	said := rows.NewAnnotation("--label", "y")
	tr := newTruth(said, []string{"1", "2.5", "x"})
	for want, c := range map[int]stream.Column{
		0: {Kind: stream.Int64, Ints: []int64{1}},
		1: {Kind: stream.Float64, Floats: []float64{2.5}},
		2: {Kind: stream.String, Strings: []string{"x"}},
	} {
		got, err := tr.classesOf(&rows.AnnotationValues{Annotation: said, Values: []stream.Column{c}})
		if err != nil || got[0] != want {
			t.Errorf("%v is class %v, not %d, %v", c, got, want, err)
		}
	}
	b := &stream.Block{Start: 40, Kept: []stream.Column{{Kind: stream.String, Strings: []string{"x", "new", "1"}}}}
	if err := tr.compare(b, []int{2, 2, 0}); err != nil {
		t.Fatal(err)
	}
	var r report.Report
	err := tr.report(&r)
	text, _ := r.MarshalJSON()
	for _, want := range []string{`"labelled":3`, `"accuracy":0.6666666666666666`, `"unknown_labels":{"rows":1,"labels":["new"]}`} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s without %s, %v", text, want, err)
		}
	}
	b.Kept[0].Strings[1] = ""
	for want, refused := range map[string]func() error{
		"row 41": func() error { return tr.compare(b, []int{2, 2, 0}) }, // a label is missing
		"is this the column of the labels?": func() (err error) {
			for i := 0; i <= rows.MaxClasses && err == nil; i++ {
				_, err = tr.class(strings.Repeat("z", i+1))
			}
			return err
		},
	} {
		if err := refused(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %q", err, want)
		}
	}
}

// TestClassValues: a file without words has the numbers that labels are, or their places.
func TestClassValues(t *testing.T) {
	for _, c := range []struct {
		classes  []string
		want     []float64
		numbered bool
	}{{[]string{"-1", "1"}, []float64{-1, 1}, false}, {[]string{"1", "spam"}, []float64{0, 1}, true}} {
		if values, numbers := classValues(c.classes); !cmp.Equal(values, c.want) || numbers == c.numbered {
			t.Errorf("%v: %v, %v", c.classes, values, numbers)
		}
	}
}
