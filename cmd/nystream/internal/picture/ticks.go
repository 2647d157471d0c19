package picture

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundNumbers are ticks at multiples of 1, 2 or 5 times a power of ten.
type roundNumbers struct{ whole bool }

// Ticks returns the ticks from low to high.
func (r roundNumbers) Ticks(low, high float64) (ticks []plot.Tick) {
	const most = 7
	step := stepOf((high - low) / most)
	if r.whole {
		step = max(1, step)
	}
	if !(step > 0) || step-step != 0 {
		return nil
	}
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: tickLabel(k, step)})
		if len(ticks) > 2*most { // steps that rounding has swallowed
			break
		}
	}
	return ticks
}

// stepOf returns the least of 1, 2 and 5 times a power of ten that is at least a number.
func stepOf(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= least*(1-1e-9) {
			return digit * power
		}
	}
	return 10 * power
}

// tickLabel returns k steps in digits.
func tickLabel(k, step float64) string {
	power := int(math.Floor(math.Log10(step) + 1e-9))
	if power > 4 || power < -5 {
		return strconv.FormatFloat(k*step+0, 'g', 4, 64)
	}
	return strconv.FormatFloat(k*step+0, 'f', max(0, -power), 64)
}

// quarterTurns are the ticks of a cyclic quantity.
func quarterTurns(period float64) (ticks plot.ConstantTicks) {
	for k := range 5 {
		v := period * float64(k) / 4
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 4, 64)})
	}
	return ticks
}

// powersOfTen are the ticks of a logarithmic axis, the powers themselves with a label
// unless there are many.
type powersOfTen struct{}

// Ticks returns the ticks from low to high.
func (powersOfTen) Ticks(low, high float64) (ticks []plot.Tick) {
	first, last := int(math.Floor(math.Log10(low))), int(math.Floor(math.Log10(high)))
	every := 1 + (last-first)/8
	for power := first; power <= last; power++ {
		for digit := 1.0; digit < 10; digit++ {
			tick := plot.Tick{Value: digit * math.Pow10(power)}
			switch {
			case digit == 1 && power%every == 0, digit != 1 && last-first < 2 && (digit == 2 || digit == 5):
				tick.Label = powerLabel(tick.Value)
			case digit != 1 && every > 1:
				continue
			}
			if tick.Value >= low && tick.Value <= high {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

func powerLabel(v float64) string {
	if v >= 1e-3 && v < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
