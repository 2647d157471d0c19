package column

import "math"

// InOrder reports whether slots, or columns, are consecutive: 3, 4, 5.
func InOrder(slots []int) bool {
	for k, slot := range slots {
		if slot < 0 || slot != slots[0]+k {
			return false
		}
	}
	return true
}

// PutList stores the numbers of a vector in the slots of a row.
func PutList(row []float64, slots []int, list []float64) {
	for k, slot := range slots {
		if slot >= 0 {
			row[slot] = list[k]
		}
	}
}

// PutNull stores NaN in the slots of a row.
func PutNull(row []float64, slots []int) {
	for _, slot := range slots {
		if slot >= 0 {
			row[slot] = math.NaN()
		}
	}
}
