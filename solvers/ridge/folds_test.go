package ridge

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestFewGroups: with as many groups as folds each group is a fold, whatever the names, and the errors are those of
// refits without each group. A single group is refused by name, and so is a single one with a weight.
func TestFewGroups(t *testing.T) {
	t.Parallel()
	const n, lambda = 120, 0.1
	x, y := wavy(n)
	k := kernelgen.RBF(0.3)
	for _, names := range [][]string{{"c", "m"}, {"b", "2"}, {"2019", "2020"}, {"a", "b", "c"}, {"1", "2", "3", "4", "5"}} {
		d := targets(t, x, y)
		column := stream.Column{Kind: stream.String}
		for i := range n {
			column.Strings = append(column.Strings, names[i%11%7%len(names)])
		}
		beside(t, d, "group", column)
		d.FoldBy = "group"
		f, err := Solver{Landmarks: 30, Penalties: []float64{lambda}}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Errorf("%q: %v", names, err)
			continue
		}
		folds := folding{tested: len(names), parts: len(names), deal: make(map[uint64]int)}
		for part := range names {
			folds.deal[uint64(part)] = part
		}
		group := func(i int) uint64 { return uint64(i % 11 % 7 % len(names)) }
		want := outOfFoldRMSE(t, features(k, f.Landmarks, x), y, lambda, folds, group)
		if f.Folds != len(names) || !near(f.Path[0].RMSE[0], want[0], 1e-8) || f.Scored != n {
			t.Errorf("%q: %d folds, RMSE %v of %d rows; by refits %v", names, f.Folds, f.Path[0].RMSE[0], f.Scored, want[0])
		}
		if noted := strings.Contains(fmt.Sprint(f.Notes), "has few values"); noted != (len(names) < 5) {
			t.Errorf("%q: notes %q", names, f.Notes)
		}
		held, err := Solver{Landmarks: 30, Folds: 1, Penalties: []float64{lambda}}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil || held.Folds != 1 || held.Scored == 0 || held.Scored > n/2 ||
			strings.Contains(fmt.Sprint(held.Notes), "not a tenth") != (held.Scored > n/5) {
			t.Errorf("%q: one group held out: %v, %+v", names, err, held)
		}
	}
	groups, weights := make([]int, n), make([]float64, n)
	for i := range n {
		groups[i] = i / 60
		weights[i] = float64(groups[i])
	}
	for name, d := range map[string]*Data{
		"0": grouped(t, targets(t, x, y), make([]int, n)),
		"1": grouped(t, weighted(t, targets(t, x, y), weights), groups),
	} {
		_, err := Solver{}.Fit(t.Context(), stream.Engine{}, d, k)
		var data *stream.DataError
		if want := `column "group" of ` + "`Data.FoldBy` is " + name + " in all rows"; !errors.As(err, &data) || !strings.Contains(err.Error(), want) {
			t.Errorf("one group: %v", err)
		}
	}
}

// TestDealt: groups are dealt by weight, so that parts are of similar weight; large numbers of groups are hashed.
func TestDealt(t *testing.T) {
	t.Parallel()
	for _, tested := range []int{5, 1} {
		f, err := Solver{Folds: tested, Seed: 1}.folding(10)
		if err != nil {
			t.Fatal(err)
		}
		for groups := 2; groups <= 50; groups++ {
			sizes, total, loads := make(map[uint64]float64), 0.0, make([]float64, f.parts)
			for g := range groups {
				sizes[uint64(g)] = float64(1 + g*g%11)
				total += sizes[uint64(g)]
			}
			dealt := f.dealt(sizes)
			for g, size := range sizes {
				loads[dealt.part(g)] += size
			}
			want, most := total/5, 11.0
			if tested == 1 {
				want = total / 10
			} else if dealt.tested != min(5, groups) {
				t.Errorf("%d groups: %d parts", groups, dealt.tested)
			}
			for part, load := range loads[:dealt.tested] {
				if load == 0 || groups > 10 && math.Abs(load-want) > most/2 {
					t.Errorf("%d groups of %v: part %d has %v", groups, total, part, load)
				}
			}
		}
		many := make(map[uint64]float64)
		for g := range uint64(200) {
			many[g] = 1
		}
		if f.dealt(many).deal != nil {
			t.Error("200 groups are dealt")
		}
	}
}

// TestFoldsFollowLandmarks: the number of folds follows the number of landmarks used, and few rows have fewer folds.
func TestFoldsFollowLandmarks(t *testing.T) {
	t.Parallel()
	x, y := wavy(300)
	f, err := Solver{Landmarks: 10_000}.Fit(t.Context(), stream.Engine{}, targets(t, x, y), kernelgen.RBF(0.01))
	if err != nil || f.Folds != 5 || f.Scored != 300 {
		t.Errorf("10,000 landmarks of 300 rows: %v, %d folds of %d rows", err, f.Folds, f.Scored)
	}
	for n := 2; n < 12; n++ {
		part, of := matrix.Rows(x, 0, n), matrix.Rows(y, 0, n)
		f, err := Solver{}.Fit(t.Context(), stream.Engine{}, targets(t, matrix.Clone(part), matrix.Clone(of)), kernelgen.RBF(0.1))
		if err != nil || f.Folds != min(5, n) || f.Scored != n {
			t.Errorf("%d rows: %v, %+v", n, err, f)
		}
	}
}
