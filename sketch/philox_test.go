package sketch_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/sketch"
)

// Models record their seeds, so the numbers of a seed must never change. The expected numbers were
// printed by this package.
func TestStreamNeverChanges(t *testing.T) {
	d := sketch.NewRandom(1, "landmarks").At(3)
	got := fmt.Sprintf("%016x %d %v %v", d.Uint64(), d.Uint64n(1000), d.Float64(), d.Sign())
	if want := "7ef547ac52856349 208 0.811280068157523 1"; got != want {
		t.Errorf("draws are %s, were %s", got, want)
	}
	if got, want := sketch.NewRandom(1, "landmarks").Choose(1e12, 3), []int64{725278590952, 514331807935, 860218239446}; !slices.Equal(got, want) {
		t.Errorf("Choose gives %v, gave %v", got, want)
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(50) {
		for _, purpose := range []string{"", "a", "b", "ab", "a b"} {
			for item := range uint64(20) {
				d := sketch.NewRandom(seed, purpose).At(item)
				name := fmt.Sprintf("seed %d, purpose %q, item %d", seed, purpose, item)
				v := d.Uint64()
				if other, ok := seen[v]; ok {
					t.Errorf("%s draws the same as %s", name, other)
				}
				seen[v] = name
			}
		}
	}
}

func TestUint64nUniform(t *testing.T) {
	const draws = 20000
	for _, n := range []uint64{1, 2, 3, 10, 97} {
		counts := make([]int, n)
		d := sketch.NewRandom(n, "uniform").At(0)
		for range draws {
			counts[d.Uint64n(n)]++
		}
		if n > 1 {
			checkChiSquare(t, fmt.Sprintf("n = %d", n), counts, uniform(int(n), draws))
		}
	}
}

// With n = 3·2⁶² and no rejection, multiples of 3 would be twice as frequent as other numbers.
func TestUint64nUnbiased(t *testing.T) {
	const draws = 20000
	counts := make([]int, 3)
	d := sketch.NewRandom(1, "unbiased").At(0)
	for range draws {
		v := d.Uint64n(3 << 62)
		if v >= 3<<62 {
			t.Fatalf("%d is out of range", v)
		}
		counts[v%3]++
	}
	checkChiSquare(t, "n = 3·2⁶²", counts, uniform(3, draws))
}

func TestUint64nPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for n = 0")
		}
	}()
	d := sketch.NewRandom(1, "").At(0)
	d.Uint64n(0)
}

func TestFloat64Uniform(t *testing.T) {
	const draws, cells = 50000, 64
	counts := make([]int, cells)
	pairs := make([]int, 16*16)
	last := 0.0
	for i := range draws { // first draws of successive items
		d := sketch.NewRandom(2, "floats").At(uint64(i))
		u := d.Float64()
		if u < 0 || u >= 1 {
			t.Fatalf("%v is not in [0, 1)", u)
		}
		counts[int(u*cells)]++
		pairs[int(u*16)*16+int(last*16)]++
		last = u
	}
	checkChiSquare(t, "single numbers", counts, uniform(cells, draws))
	checkChiSquare(t, "neighbouring items", pairs, uniform(16*16, draws))
}

func TestNormalDistribution(t *testing.T) {
	const draws = 50000
	edges := []float64{-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3}
	counts := make([]int, len(edges)+1)
	products := 0.0
	d := sketch.NewRandom(3, "normals").At(0)
	for range draws / 2 {
		x, y := d.Normal(), d.Normal()
		for _, v := range []float64{x, y} {
			cell, _ := slices.BinarySearch(edges, v)
			counts[cell]++
		}
		products += x * y
	}
	expected := make([]float64, len(counts))
	below := 0.0
	for i := range counts {
		up := 1.0
		if i < len(edges) {
			up = 0.5 * math.Erfc(-edges[i]/math.Sqrt2)
		}
		expected[i], below = draws*(up-below), up
	}
	checkChiSquare(t, "normals", counts, expected)
	if r := products / math.Sqrt(draws/2); math.Abs(r) > 5 {
		t.Errorf("the two of a pair are correlated: %.1f standard deviations", r)
	}
}

func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<62).Draw(t, "n")
		if rapid.Bool().Draw(t, "small") {
			n %= 40
		}
		k := rapid.IntRange(0, int(min(n, 200))).Draw(t, "k")
		s := sketch.NewRandom(rapid.Uint64().Draw(t, "seed"), rapid.String().Draw(t, "purpose"))
		got := s.Choose(n, k)
		seen := map[int64]bool{}
		for _, v := range got {
			if v < 0 || v >= n || seen[v] {
				t.Fatalf("%v are not distinct numbers below %d", got, n)
			}
			seen[v] = true
		}
		if len(got) != k {
			t.Fatalf("%d numbers, want %d", len(got), k)
		}
		if fewer := s.Choose(n, k/2); !slices.Equal(fewer, got[:k/2]) {
			t.Fatalf("%v is not a prefix of %v", fewer, got)
		}
	})
}

// All 7·6·5 ordered choices of 3 out of 7 are equally frequent.
func TestChooseUniform(t *testing.T) {
	const draws = 42000
	place := map[[3]int64]int{}
	counts := make([]int, 7*6*5)
	for seed := range uint64(draws) {
		c := [3]int64(sketch.NewRandom(seed, "choose").Choose(7, 3))
		if _, ok := place[c]; !ok {
			place[c] = len(place)
		}
		counts[place[c]]++
	}
	checkChiSquare(t, "choices", counts, uniform(len(counts), draws))
}

// Choose equals the textbook shuffle that holds all n numbers in memory.
func TestChooseIsFisherYates(t *testing.T) {
	for seed := range uint64(50) {
		const n = 30
		s := sketch.NewRandom(seed, "shuffle")
		d := s.At(0)
		want := make([]int64, n)
		for i := range want {
			want[i] = int64(i)
		}
		for i := range want {
			j := i + int(d.Uint64n(uint64(n-i)))
			want[i], want[j] = want[j], want[i]
		}
		if diff := cmp.Diff(want, s.Choose(n, n)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func TestChoosePanics(t *testing.T) {
	for _, c := range []struct {
		n int64
		k int
	}{{3, 4}, {3, -1}, {-1, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %d of %d", c.k, c.n)
				}
			}()
			sketch.NewRandom(1, "").Choose(c.n, c.k)
		}()
	}
}

func ExampleRandom_Choose() {
	fmt.Println(sketch.NewRandom(1, "a fair sample").Choose(1_000_000_000, 3))
	// Output: [315847650 157265929 12399590]
}
