package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// TestThirdColumnLikeTimes: weights that nothing names are described, and those that look like times cause a doubt.
func TestThirdColumnLikeTimes(t *testing.T) {
	const seconds = "Unix times in seconds"
	tests := []struct {
		name, first string
		weights     string // of the edges
		o           Options
		want        string // nil, or the range and what it looks like
	}{
		{"seconds", "", "1082040961 1082155839 1082414391", Options{}, "1082040961 to 1082414391 " + seconds},
		{"seconds with parts", "", "1353303380.5 1353303400", Options{}, "1353303380.5 to 1353303400 " + seconds},
		{"milliseconds", "", "1082040961000 1582155839123", Options{}, "1082040961000 to 1582155839123 Unix times in milliseconds"},
		{"microseconds", "", "1082040961000000 1582155839123000", Options{}, "1082040961000000 to 1582155839123000 Unix times in microseconds"},
		{"nanoseconds", "", "1082040961000000000 1582155839000000000", Options{}, "1082040961000000000 to 1582155839000000000 Unix times in nanoseconds"},
		{"years", "", "1995 2001 1999", Options{}, "1995 to 2001 years"},
		{"dates", "", "19950131 20041224", Options{}, "19950131 to 20041224 dates YYYYMMDD"},
		{"a time in ten is unknown", "", "0 1082040961 1082040962 1082040963 1082040964 1082040965 1082040966 1082040967 1082040968 1082040969", Options{}, "0 to 1082040969 " + seconds},
		{"undirected", "", "1082040961 1082155839", Options{Undirected: true}, "1082040961 to 1082155839 " + seconds},
		{"weights", "", "0.5 3 1", Options{}, "0.5 to 3 "},
		{"negative weights", "", "-1082040961 -2", Options{}, "-1082040961 to -2 "},
		{"tiny and huge", "", "1e-200 1e200", Options{}, "1e-200 to 1e+200 "},
		{"a large weight among small ones", "", "1 2 3 1082040961", Options{}, "1 to 1082040961 "},
		{"confirmed", "", "1082040961 1082155839", Options{Weight: "2"}, "nil"},
		{"left out", "", "1082040961 1082155839", Options{Weight: "-"}, "nil"},
		{"named", "src dst weight", "1082040961 1082155839", Options{}, "nil"},
		{"names skipped", "src dst time", "1082040961 1082155839", Options{Layout: text.Layout{Skip: 1, Delimiter: "space"}}, "1082040961 to 1082155839 " + seconds},
		{"no weights", "", "", Options{}, "nil"},
	}
	for _, test := range tests {
		lines := test.first + "\n1 2\n"
		for i, w := range strings.Fields(test.weights) {
			lines = strings.TrimSuffix(lines, "1 2\n") + fmt.Sprintf("%d %d %s\n", i, i+1, w)
		}
		g := mustReadGraph(t, filetest.TempFile(t, "a.txt", lines), test.o)
		got := "nil"
		if w := g.GuessedWeights; w != nil {
			got = fmt.Sprintf("%.20g to %.20g %s", w.Min, w.Max, w.TimeUnit)
			if abs := max(w.Max, -w.Min); abs < 1e-3 || abs > 1e20 {
				got = fmt.Sprintf("%g to %g %s", w.Min, w.Max, w.TimeUnit)
			}
		}
		if doubt := g.GuessedWeights.Warning(); got != test.want || (doubt != "") != (g.GuessedWeights != nil && g.GuessedWeights.TimeUnit != "") {
			t.Errorf("%s: %s, not %s; doubt %q", test.name, got, test.want, doubt)
		}
	}
}
