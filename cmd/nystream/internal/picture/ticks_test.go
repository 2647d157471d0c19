package picture

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		marker    plot.Ticker
		low, high float64
		want      string
	}{
		{roundNumbers{}, -0.04, 1.04, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{roundNumbers{}, -3, 78, "0 20 40 60"},
		{roundNumbers{}, 0.0188, 0.01922, "0.0188 0.0189 0.0190 0.0191 0.0192"},
		{roundNumbers{}, -3e-9, 3e-9, "-3e-09 -2e-09 -1e-09 0 1e-09 2e-09 3e-09"},
		{roundNumbers{}, 0, 3e7, "0 5e+06 1e+07 1.5e+07 2e+07 2.5e+07 3e+07"},
		{roundNumbers{whole: true}, -0.1, 1.1, "0 1"},
		{roundNumbers{}, 1, 1, ""},
		{powersOfTen{}, 0.5, 2000, "1 10 100 1000"},
		{powersOfTen{}, 1e-12, 1, "1e-12 1e-10 1e-08 1e-06 0.0001 0.01 1"},
		{powersOfTen{}, 30, 80, "50"},
	} {
		var labels []string
		for _, tick := range c.marker.Ticks(c.low, c.high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%T from %v to %v: %s, want %s", c.marker, c.low, c.high, got, c.want)
		}
	}
}
