package solvers_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// otherFit is a fit that differs from another in a single thing that affects its result.
type otherFit struct {
	what   string
	method any
	kernel kernelgen.Kernel
	data   func() (model.Data, error)
}

// saved makes the fit with the states in a store, and returns the saved model.
func (o *otherFit) saved(store stream.StateStore) ([]byte, error) {
	e := stream.Engine{Threads: 1, BlockRows: 64}
	if store != nil {
		run, err := stream.NewRun(store, "", stream.RunOptions{})
		if err != nil {
			return nil, err
		}
		e.Run = run
	}
	d, err := o.data()
	if err != nil {
		return nil, err
	}
	fit, err := fitOf(context.Background(), e, o.method, d, o.kernel)
	if err != nil {
		return nil, err
	}
	return savedBytes(fit)
}

// TestStatesOfOtherFits: a fit never uses states of a fit with another kernel, seed, setting, data or column, even if
// the caller names neither. It refuses them by name, or does not need them.
func TestStatesOfOtherFits(t *testing.T) {
	eachRow(t, func(t *testing.T, f family, r row) {
		if r.data != nil {
			t.Skip("no states are kept of what is in memory")
		}
		x, y := unloadedRows("x", 1, "a", "b"), unloadedRows("y", 2, "a", "b")
		from := func(x, y stream.Source) func() (model.Data, error) {
			return func() (model.Data, error) { return f.dataOf(t, r, x, y) }
		}
		base := otherFit{"", r.method, r.kernelOr(t, kernelgen.RBF(0.5)), from(x, y)}
		store := newShelf()
		if _, err := base.saved(store); err != nil {
			t.Fatal(err)
		}
		if len(store) == 0 {
			t.Skip("no passes of which states are kept")
		}
		if _, err := base.saved(store); err != nil {
			t.Fatalf("the same fit again: %v", err)
		}
		others := append(otherMethods(base), otherFacts(t, base)...)
		if k := otherKernel(base.kernel); k != nil {
			others = append(others, otherFit{"kernel", base.method, *k, base.data})
		}
		renamed := unloadedRows("x", 1, "a", "c")
		others = append(others, otherFit{"column", base.method, base.kernel, from(renamed, y)})
		for _, o := range others {
			got, err := o.saved(shelf(maps.Clone(store)))
			var refused *stream.StateError
			if errors.As(err, &refused) {
				continue
			}
			want, failed := o.saved(nil)
			if failed == nil && (err != nil || !bytes.Equal(got, want)) {
				t.Errorf("another %s: error %v, and another model than without states", o.what, err)
			}
		}
	})
}

// unloadedRows returns rows with column names whose passes keep states.
func unloadedRows(name string, seed uint64, columns ...string) stream.Source {
	src := stream.FromMatrix(name, normalRows(seed, 38+seed))
	return named{unloaded{src}, columns}
}

// named is a source with column names.
type named struct {
	unloaded
	columns []string
}

// Info returns the description with the names.
func (n named) Info() stream.Info {
	info := n.unloaded.Info()
	info.Columns = n.columns
	return info
}

// otherKernel returns the kernel with other parameters, nil if it has none.
func otherKernel(k kernelgen.Kernel) *kernelgen.Kernel {
	text := k.String()
	for _, v := range [][2]string{{"0.5", "0.5000000000000001"}, {"1.5", "1.500000000000001"}, {"=3", "=3.000000000000001"}, {"=1", "=1.000000000000001"}} {
		if strings.Contains(text, v[0]) {
			if other, err := kernelgen.Parse(strings.Replace(text, v[0], v[1], 1)); err == nil {
				return &other
			}
		}
	}
	return nil
}

// otherMethods returns a fit for each setting, with that setting changed.
func otherMethods(base otherFit) (others []otherFit) {
	var walk func(v reflect.Value, path string, set func(func(reflect.Value)) any)
	add := func(what string, method any) { others = append(others, otherFit{what, method, base.kernel, base.data}) }
	walk = func(v reflect.Value, path string, set func(func(reflect.Value)) any) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() || field.Tag.Get("states") == "ignored" {
				continue
			}
			within := func(change func(reflect.Value)) any {
				return set(func(v reflect.Value) { change(v.Field(i)) })
			}
			name := path + field.Name
			switch w := v.Field(i); {
			case w.Kind() == reflect.Struct:
				walk(w, name+".", within)
			case w.Kind() == reflect.Bool:
				add(name, within(func(f reflect.Value) { f.SetBool(!f.Bool()) }))
			case w.CanInt():
				add(name, within(func(f reflect.Value) { f.SetInt(f.Int() + 1) }))
			case w.CanUint():
				add(name, within(func(f reflect.Value) { f.SetUint(f.Uint() + 1) }))
			case w.CanFloat():
				add(name, within(func(f reflect.Value) { f.SetFloat(f.Float()*0.75 + 1e-4) }))
			}
		}
	}
	walk(reflect.ValueOf(base.method), "", func(change func(reflect.Value)) any {
		v := reflect.New(reflect.TypeOf(base.method)).Elem()
		v.Set(reflect.ValueOf(base.method))
		change(v)
		return v.Interface()
	})
	return others
}

// otherFacts returns fits of the same rows with other labels, targets or weights.
func otherFacts(t *testing.T, base otherFit) (others []otherFit) {
	d := must(base.data())(t)
	add := func(what string, other model.Data, err error) {
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, otherFit{what, base.method, base.kernel, func() (model.Data, error) { return other, nil }})
	}
	weights := func(n int64) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = 1 + rand.New(rand.NewPCG(1, uint64(i))).Float64()
		}
		return w
	}
	switch d := d.(type) {
	case *ridge.Data:
		swapped := *d
		if swapped.Targets = slices.Clone(d.Targets); len(d.Targets) > 1 {
			slices.Reverse(swapped.Targets)
			add("order of targets", &swapped, nil)
			one := *d
			one.Targets = d.Targets[1:]
			add("target", &one, nil)
		}
		weighted := *d
		weighted.Weights = "target0"
		if d.Weights == "" {
			weighted.Weights = "weight"
		}
		add("weight", &weighted, nil)
		grouped := *d
		if grouped.FoldBy = "group"; d.FoldBy == "" {
			add("group", &grouped, nil)
		}
	case *ism.Data:
		if d.Response != nil {
			labels := alternating(int(d.Size().Rows))
			labels[100], labels[101] = labels[101], labels[100]
			known, err := ism.Classes(labels, 2)
			add("label", &ism.Data{Rows: d.Rows, Response: known}, err)
		}
	case *askls.Data:
		labels := alternating(d.Samples())
		labels[100], labels[101] = labels[101], labels[100]
		x := unloadedRows("x", 1, "a", "b")
		other, err := askls.Samples(x, labels, 2)
		add("label", other, err)
	case *rkhs.Data:
		weighted, err := d.Weighted(weights(d.Count()))
		add("weight", weighted, err)
	case *transport.Data:
		weighted := *d
		weighted.LeftWeights = weights(d.Size().Rows)
		add("mass", &weighted, nil)
	}
	return others
}
