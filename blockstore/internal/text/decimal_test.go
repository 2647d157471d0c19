package text

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// checkDecimal fails if parseDecimal accepts a cell and returns other bits than strconv.
func checkDecimal(t *testing.T, cell string) (taken bool) {
	t.Helper()
	d, ok := parseDecimal([]byte(cell))
	v := 0.0
	if ok {
		v, ok = d.float()
	}
	want, err := strconv.ParseFloat(cell, 64)
	if ok && (err != nil || math.Float64bits(v) != math.Float64bits(want)) {
		t.Errorf("%q is %v, not %v (%v)", cell, v, want, err)
	}
	got, number := ParseNumber([]byte(cell))
	plain := !strings.ContainsAny(cell, "_xX") && (err == nil || errors.Is(err, strconv.ErrRange))
	if number != plain || number && math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%q as a cell is %v, %v, not %v, %v", cell, got, number, want, plain)
	}
	return ok
}

// randomDecimal returns a number in the notation of programs, people and adversaries.
func randomDecimal(r *rand.Rand) string {
	bits := math.Float64frombits(r.Uint64())
	switch r.IntN(9) {
	case 0:
		return strconv.FormatFloat(bits, 'g', -1, 64)
	case 1:
		return strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64)
	case 2:
		return strconv.FormatFloat(r.NormFloat64()*1e6, 'f', r.IntN(20), 64)
	case 3:
		return fmt.Sprintf("%.*e", r.IntN(25), bits)
	case 4:
		return strconv.FormatInt(int64(r.Uint64()>>r.IntN(64)), 10)
	case 5: // near the middle of two float64
		v := math.Float64frombits(r.Uint64()>>2 | 1<<61)
		return fmt.Sprintf("%.18e", v+(math.Nextafter(v, 2*v)-v)/2)
	case 6: // exactly the middle
		return fmt.Sprintf("%d.%s", 1<<53+r.Uint64()>>11, []string{"5", "0", "50", "500000000000"}[r.IntN(4)])
	case 7:
		return fmt.Sprintf("%s%d.%de%d", []string{"", "+", "-", "00", "-0.000"}[r.IntN(5)], r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64), r.IntN(700)-350)
	}
	return fmt.Sprintf("%de%d", r.Uint64()>>r.IntN(64), r.IntN(160)-80)
}

// Numbers have the same bits as those of strconv. $NUMBERS, such as 12000000, sets how many are tried.
func TestDecimalsAreExact(t *testing.T) {
	for _, cell := range []string{"", "-", "+", ".", "-.", "0", "-0", "+0", "00", "007", "1.", ".5", "-.5", "1e5", "1E+05", "1e", "1e+", "e5", "1.e3", ".e3", "1e1000", "1e-400", "0e999",
		"12345678", "123456789", "1234567a", "12345678.", "1234567.8", "12345678.12345678", "9007199254740993", "9007199254740992.5", "18446744073709551615", "18446744073709551616",
		"9999999999999999999", "99999999999999999999", "0.00000000000000000000000123456789", "1e22", "1e23", "8.5e22", "1797693134862315708e290", "4.9406564584124654e-324", "2.2250738585072011e-308",
		"1_000", "0x1p3", "1e0x", "inf", "nan", "１２３４５６７８", "1234567\xb8", "\xff2345678", "1 ", " 1", "1,5", "1e5 ", "--1", "1-1", "1e--1", "1.2.3", "12345678:", "12345678/"} {
		checkDecimal(t, cell)
	}
	numbers, _ := strconv.Atoi(os.Getenv("NUMBERS"))
	numbers = max(numbers, 200_000)
	r, taken := rand.New(rand.NewPCG(3, 5)), 0
	for range numbers {
		if checkDecimal(t, randomDecimal(r)) {
			taken++
		}
	}
	if taken < numbers/2 {
		t.Errorf("only %d of %d numbers are read without strconv", taken, numbers)
	}
}

func FuzzDecimal(f *testing.F) {
	for _, cell := range []string{"-12345678.87654321e-12", "9007199254740993", "+.5", "1e23", "00000000000000000000.1"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) { checkDecimal(t, cell) })
}
