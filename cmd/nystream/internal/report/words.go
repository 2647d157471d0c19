package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// Values returns the first few values and the last one, in words.
func Values(v []float64) string {
	return firstAndLast(len(v), func(i int) string { return fmt.Sprintf("%.4g", v[i]) })
}

// ComplexValues returns the first few values and the last one, in words, from their real and imaginary parts.
func ComplexValues(re, im []float64) string {
	return firstAndLast(len(re), func(i int) string {
		if im[i] == 0 {
			return fmt.Sprintf("%.4g", re[i])
		}
		return fmt.Sprintf("%.4g%+.4gi", re[i], im[i])
	})
}

// firstAndLast returns the words of the first few of n items and of the last one.
func firstAndLast(n int, word func(i int) string) string {
	const most = 6
	var words []string
	for i := range n {
		switch {
		case i < most-1 || i == n-1 || n <= most:
			words = append(words, word(i))
		case i == most-1:
			words = append(words, "…")
		}
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, "  ")
}

// Count returns an integer with thousands separators.
func Count(n int64) string { return humanize.Comma(n) }

// Bytes returns a size in binary units.
func Bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// Seconds returns a time in a suitable unit.
func Seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	case s < 7200:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

// Words returns the first few of some words, separated by commas.
func Words(words []string) string {
	const most = 12
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

// Columns returns the rows of a table as aligned lines. All columns are right-aligned except the last one, which is
// text.
func Columns(rows [][]string) []string {
	widths := make([]int, 0)
	for _, row := range rows {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			if j > 0 {
				b.WriteString("  ")
			}
			if j < len(widths)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)))
			}
			b.WriteString(cell)
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// Truncate returns at most so many letters of a text; the last is … if some are missing.
func Truncate(text string, most int) string {
	if utf8.RuneCountInString(text) > most {
		return string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// Counted returns a count in words.
func Counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(int64(n)) + " " + several
}

// PlusMinus returns a formatted standard error after " ± "; "" if it is unknown.
func PlusMinus(standardError *Number, format string) string {
	if standardError == nil {
		return ""
	}
	return " ± " + fmt.Sprintf(format, float64(*standardError))
}

// longNumber matches numbers with five or more decimals.
var longNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+\.\d{5,}(e[-+]?\d+)?`) })

// Rounded returns text, such as a kernel, with long numbers rounded to four digits.
func Rounded(text string) string {
	return longNumber().ReplaceAllStringFunc(text, func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}
