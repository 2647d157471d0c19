package survey

import (
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/stream"
)

func TestSuspects(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(i int) float64
		want string // "" for a quantity
	}{
		{"height", func(i int) float64 { return 1.5 + float64(i%7)/10 }, ""},
		{"count", func(i int) float64 { return float64(i * i % 11) }, ""},
		{"year", func(i int) float64 { return float64(1990 + i%30) }, ""},
		{"population", func(i int) float64 { return float64(400000000 + i*7919%100000) }, ""},
		{"t", func(i int) float64 { return float64(1700000000 + 60*i) }, "timestamps"},
		{"created", func(i int) float64 { return float64(1700000000000 - 977*(i*31%97)) }, "timestamps"},
		{"day", func(i int) float64 { return float64(20240101 + i%28) }, ""},
		{"date", func(i int) float64 { return float64(20240101 + i*5%28) }, "YYYYMMDD"},
		{"n", func(i int) float64 { return float64(i) }, "row numbers"},
		{"user_id", func(i int) float64 { return float64(i * 7919 % 100003) }, "identifiers"},
		{"userId", func(i int) float64 { return float64(i * 7919 % 100003) }, "identifiers"},
		{"width", func(i int) float64 { return float64(i * 7919 % 100003) }, ""},
		{"group_id", func(i int) float64 { return float64(i % 3) }, ""},
		{"holes", func(i int) float64 { return math.NaN() }, ""},
	} {
		x := stream.NewMatrix(200, 1)
		for i := range x.Data {
			x.Data[i] = c.of(i)
		}
		got := strings.Join(Suspects([]string{c.name}, x), " ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := Suspects([]string{c.name}, stream.RowSlice(x, 0, 3)); got != nil {
			t.Errorf("%s: three rows say %q", c.name, got)
		}
	}
}

func TestHeavy(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		scales [3]float64
		offset float64 // of b
		want   string
	}{
		{[3]float64{1, 3, 1}, 0, ""},
		{[3]float64{1, 5, 1}, 0, "column b makes up 92."},
		{[3]float64{1, 1e8, 2}, 0, "column b makes up 99.9 % of the squared distance between rows, of the first 50, so"},
		{[3]float64{1, 1e200, 2}, 0, "column b makes up 99.9 %"},
		{[3]float64{1e9, 1, 2}, 0, "column a"},
		{[3]float64{1, 1, 1e9}, 0, "column c"},
		{[3]float64{1, 1, 1}, 1e9, "column b outweighs all others: its size"},
		{[3]float64{1e9, 1e9, 1}, 0, ""},
		{[3]float64{0, 1, 0}, 0, ""}, // the others are constant: nobody is outweighed
	} {
		x := stream.NewMatrix(50, 3)
		for i := range 50 {
			for j := range 3 {
				x.Data[i*3+j] = c.scales[j] * math.Sin(float64(i*(j+2)))
			}
			x.Data[i*3+1] += c.offset
		}
		if got := Heavy(names, x); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q", c.scales, got)
		}
	}
	if got := Heavy([]string{"a"}, stream.NewMatrix(9, 1)); got != "" {
		t.Error(got)
	}
}
