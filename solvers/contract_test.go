package solvers_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// TestEveryFamilyKeepsTheContract: each family has the names, types and order of arguments in the package comment of
// solvers/model.
func TestEveryFamilyKeepsTheContract(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			plan := reflect.TypeFor[func(stream.Engine, model.Size, kernelgen.Kernel) (*model.Plan, error)]()
			in := []reflect.Type{reflect.TypeFor[context.Context](), reflect.TypeFor[stream.Engine](), f.data, reflect.TypeFor[kernelgen.Kernel]()}
			out := []reflect.Type{reflect.PointerTo(f.fit), reflect.TypeFor[error]()}
			hasMethod(t, f.method, "Plan", plan)
			hasMethod(t, f.method, "Fit", reflect.FuncOf(in, out, false))
			for _, r := range f.rows {
				if !reflect.TypeOf(r.method).Implements(f.method) {
					t.Errorf("%T is no %v", r.method, f.method)
				}
			}
			if !f.data.Implements(reflect.TypeFor[model.Data]()) {
				t.Errorf("%v is no model.Data", f.data)
			}
			if _, ok := f.model.(model.Transformer); !ok {
				t.Errorf("%T is no model.Transformer", f.model)
			}
			holdsFit(t, f)
			load := reflect.FuncOf([]reflect.Type{reflect.TypeFor[*model.Archive](), reflect.TypeFor[[]kernelgen.Profile]()},
				[]reflect.Type{reflect.TypeOf(f.model), reflect.TypeFor[error]()}, true)
			if got := reflect.TypeOf(f.load); got != load {
				t.Errorf("Load is %v, not %v", got, load)
			}
		})
	}
}

// TestLoadRefusesUnpreparedRows: Load refuses a model of prepared rows unless the caller prepares rows.
func TestLoadRefusesUnpreparedRows(t *testing.T) {
	for _, f := range families {
		for data, arrays := range map[string][]string{
			`{"nulls":"error"}`:                 {"column_shift", "column_factor"},
			`{"nulls":"mean"}`:                  {"column_fill"},
			`{"nulls":"drop","input":"matrix"}`: nil,
			`{"nulls":"error","input":"pairs"}`: {"right_column_shift", "right_column_factor"},
		} {
			a := &model.Archive{Header: []byte("{}"), Data: []byte(data)}
			for _, name := range arrays {
				a.Arrays = append(a.Arrays, array.Array{Name: name, Shape: []int{2}, Floats: []float64{1, 2}})
			}
			load := func(a *model.Archive) string {
				_, err := f.loaded(a)
				return fmt.Sprint(err)
			}
			unprepared := *a
			if err := load(&unprepared); !strings.Contains(err, "set Archive.Prepared") {
				t.Errorf("%s of %s: %s", f.name, data, err)
			}
			a.TakesPrepared = true
			left, right := a.Preparation(model.Left, 2), a.Preparation(model.Right, 2)
			if a.Err() != nil || reflect.DeepEqual(left, prepare.Preparation{}) && reflect.DeepEqual(right, left) {
				t.Errorf("%s: %v, %v, %v", data, left, right, a.Err())
			}
			if err := load(a); strings.Contains(err, "Prepar") {
				t.Errorf("%s of %s: %s", f.name, data, err)
			}
		}
	}
}

// hasMethod fails the test unless an interface has a method of the given type.
func hasMethod(t *testing.T, in reflect.Type, name string, want reflect.Type) {
	t.Helper()
	m, ok := in.MethodByName(name)
	if !ok || m.Type != want {
		t.Errorf("%v: %s is %v, not %v", in, name, m.Type, want)
	}
}

// holdsFit fails the test unless a Fit embeds a model and a report, and declares no field of the report itself.
func holdsFit(t *testing.T, f family) {
	report := reflect.TypeFor[model.Report]()
	for name, typ := range map[string]reflect.Type{"Model": reflect.TypeOf(f.model), "Report": report} {
		if field, ok := f.fit.FieldByName(name); !ok || !field.Anonymous || field.Type != typ {
			t.Errorf("%v does not embed %v", f.fit, typ)
		}
	}
	for i := range f.fit.NumField() {
		field := f.fit.Field(i)
		if _, twice := report.FieldByName(field.Name); twice {
			t.Errorf("%v has a %s of its own beside that of the report", f.fit, field.Name)
		}
	}
}

// TestSettingsHaveOneType: settings of the same name have the same type in all methods.
func TestSettingsHaveOneType(t *testing.T) {
	everywhere := map[string]reflect.Type{"Rank": reflect.TypeFor[int](), "Seed": reflect.TypeFor[uint64](), "Memory": reflect.TypeFor[int64](),
		"Landmarks": reflect.TypeFor[int](), "Iterations": reflect.TypeFor[int](), "Passes": reflect.TypeFor[int]()}
	seen := map[string]int{}
	for _, f := range families {
		for _, r := range f.methods() {
			typ := reflect.TypeOf(r.method)
			for _, field := range reflect.VisibleFields(typ) {
				if want, known := everywhere[field.Name]; known && field.Type != want {
					t.Errorf("%v.%s is of type %v, not %v", typ, field.Name, field.Type, want)
				}
				seen[field.Name]++
			}
		}
	}
	for name := range everywhere {
		if seen[name] == 0 {
			t.Errorf("no method has a setting %s: the test looks at nothing", name)
		}
	}
}
