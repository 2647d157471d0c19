package kernelgen

import (
	"fmt"
	"strings"
)

// suggestion returns ` (did you mean "…"?)` for the closest known name, or "" if none is close.
func suggestion(given string, known []string) string {
	best, least := "", 1+max(1, len(given)/3)
	for _, k := range known {
		d := editDistance(strings.ToLower(given), k)
		if isAbbreviation(given, k) {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// isAbbreviation reports whether one word of at least three letters begins the
// other.
func isAbbreviation(a, b string) bool {
	return min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// editDistance returns the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (Damerau 1964).
func editDistance(a, b string) int {
	var before, last []int // the two previous rows of the table
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
