package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks marks multiples of 1, 2 or 5 times a power of ten, three to eight of them, each with a label. gonum's default
// labels three, and 2.05 like 2.1.
type ticks struct{}

// Ticks returns the ticks of a range.
func (ticks) Ticks(low, high float64) (list []plot.Tick) {
	step := tickStep(high - low)
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	if !(step > 0) || math.IsInf(step, 0) || math.Abs(first) > 1e15 || math.Abs(last) > 1e15 { // steps below the rounding of the range
		return plot.DefaultTicks{}.Ticks(low, high)
	}
	for k := first; k <= last; k++ {
		v := k*step + 0 // never -0
		list = append(list, plot.Tick{Value: v, Label: tickLabel(v, step)})
	}
	return list
}

// tickStep returns the largest step of which at least three fit in a width.
func tickStep(width float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(width/3)))
	for _, times := range []float64{5, 2} {
		if times*unit <= width/3 {
			return times * unit
		}
	}
	return unit
}

// tickLabel returns v to a thousandth of a step: 2000 rather than 2e+03.
func tickLabel(v, step float64) string {
	for digits := 1; ; digits++ {
		label := strconv.FormatFloat(v, 'g', digits, 64)
		shown, _ := strconv.ParseFloat(label, 64)
		if math.Abs(shown-v) > step/1000 && digits < 17 {
			continue
		}
		if m := math.Abs(shown); m == 0 || m >= 1e-4 && m < 1e6 {
			return strconv.FormatFloat(shown, 'f', -1, 64)
		}
		return label
	}
}
