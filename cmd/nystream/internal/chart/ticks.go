package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks are the default ticks with enough digits to distinguish them: gonum labels 2.05 and 2.1 alike.
type ticks struct{}

// Ticks returns the ticks of a range.
func (ticks) Ticks(low, high float64) []plot.Tick {
	list := plot.DefaultTicks{}.Ticks(low, high)
	var major []int
	for i, t := range list {
		if !t.IsMinor() {
			major = append(major, i)
		}
	}
	if len(major) < 2 {
		return list
	}
	step := math.Abs(list[major[1]].Value - list[major[0]].Value)
	for digits := 1; digits <= 17; digits++ {
		exact := true
		for _, i := range major {
			v := list[i].Value
			if math.Abs(v) < step/1000 { // 0 up to rounding
				v = 0
			}
			list[i].Label = strconv.FormatFloat(v, 'g', digits, 64)
			shown, _ := strconv.ParseFloat(list[i].Label, 64)
			exact = exact && math.Abs(shown-v) <= step/1000
		}
		if exact {
			break
		}
	}
	for _, i := range major { // 2000 rather than 2e+03
		v, _ := strconv.ParseFloat(list[i].Label, 64)
		if m := math.Abs(v); m == 0 || m >= 1e-4 && m < 1e6 {
			list[i].Label = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return list
}
