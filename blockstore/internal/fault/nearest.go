package fault

import (
	"strings"
)

// Nearest returns the candidate closest to name, or "" if none is close: at most a third of the
// letters may differ, ignoring case. Long names have no close candidates, since comparing costs the
// product of the lengths.
func Nearest(name string, candidates []string) string {
	const longest = 256
	best, distance := "", len(name)/3+1
	for _, c := range candidates {
		if len(name) > longest || len(c) > longest {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance returns the number of bytes to insert, delete or replace to turn a
// into b (Levenshtein 1966).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
