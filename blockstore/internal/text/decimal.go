package text

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// digitRun returns the number of leading decimal digits of b.
func digitRun(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		if others := notDigits(binary.LittleEndian.Uint64(b[n:])); others != 0 {
			return n + bits.TrailingZeros64(others)/8
		}
	}
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}

// notDigits is 0 if the eight bytes of w are decimal digits. Otherwise its lowest set bit is in the
// lowest byte that is not a digit.
func notDigits(w uint64) uint64 {
	w ^= 0x3030303030303030
	return (w + 0x7676767676767676 | w) & 0x8080808080808080
}

// eightDigits returns the value of eight decimal digits, the first one in the lowest byte.
func eightDigits(w uint64) uint64 {
	w -= 0x3030303030303030
	w = w*10 + w>>8 // pairs of digits
	const pairs = 0x000000ff000000ff
	return (w&pairs*(100+1_000_000<<32) + w>>16&pairs*(1+10_000<<32)) >> 32
}

// maxDigits is the number of significant digits that always fit in a 64-bit mantissa.
const maxDigits = 19

// decimal is a decimal number: mantissa·10^exponent.
type decimal struct {
	mantissa uint64
	exponent int
	digits   int // significant digits of the mantissa
	negative bool
}

// take appends the leading digits of b to the mantissa, and returns the rest of b and the number of
// digits. After more than maxDigits the mantissa is meaningless.
func (d *decimal) take(b []byte) (rest []byte, n int) {
	if d.mantissa == 0 {
		for n < len(b) && b[n] == '0' {
			n++
		}
	}
	first := n
	for ; len(b)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		if notDigits(w) != 0 {
			break
		}
		d.mantissa = d.mantissa*1e8 + eightDigits(w)
	}
	for ; n < len(b) && b[n]-'0' <= 9; n++ {
		d.mantissa = d.mantissa*10 + uint64(b[n]-'0')
	}
	d.digits += n - first
	return b[n:], n
}

// parseDecimal parses a decimal number. ok is false for anything else, and for numbers with too
// many digits or too long an exponent.
func parseDecimal(b []byte) (d decimal, ok bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		d.negative = b[0] == '-'
		b = b[1:]
	}
	b, whole := d.take(b)
	part := 0
	if len(b) > 0 && b[0] == '.' {
		b, part = d.take(b[1:])
	}
	if whole+part == 0 || d.digits > maxDigits {
		return d, false
	}
	d.exponent = -part
	if len(b) == 0 {
		return d, true
	}
	if b[0]|0x20 != 'e' {
		return d, false
	}
	return d, d.power(b[1:])
}

// power adds an exponent of at most three digits.
func (d *decimal) power(b []byte) (ok bool) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 3 {
		return false
	}
	power := 0
	for _, c := range b {
		if c -= '0'; c > 9 {
			return false
		}
		power = 10*power + int(c)
	}
	if negative {
		power = -power
	}
	d.exponent += power
	return true
}

// exactTens lists the powers of ten that are exactly float64.
var exactTens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// float returns the nearest float64, ties to even, like strconv.ParseFloat. ok is false if it
// cannot decide the rounding.
func (d *decimal) float() (v float64, ok bool) {
	const most = len(exactTens) - 1
	switch e := d.exponent; {
	case d.mantissa == 0:
	case d.mantissa < 1<<53 && e >= -most && e <= most: // one exact operation
		if v = float64(d.mantissa); e < 0 {
			v /= exactTens[-e]
		} else {
			v *= exactTens[e]
		}
	case e < -mostTens || e > mostTens:
		return 0, false
	default:
		if v, ok = roundProduct(d.mantissa, e); !ok {
			return 0, false
		}
	}
	if d.negative {
		v = -v
	}
	return v, true
}

// mostTens is the exponent range of tens: powers from 10^-mostTens to 10^mostTens.
const mostTens = 64

// powerOfTen holds the leading 128 bits of a power of ten, rounded down, with the highest bit set.
type powerOfTen struct{ high, low uint64 }

// powersOfTen returns the powers of ten from -mostTens on.
var powersOfTen = sync.OnceValue(func() *[2*mostTens + 1]powerOfTen {
	var list [2*mostTens + 1]powerOfTen
	for i := range list {
		e := int64(i - mostTens)
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(e, -e)), nil)
		if e < 0 {
			p.Quo(new(big.Int).Lsh(big.NewInt(1), uint(127+p.BitLen())), p)
		}
		if more := p.BitLen() - 128; more > 0 {
			p.Rsh(p, uint(more))
		} else {
			p.Lsh(p, uint(-more))
		}
		list[i] = powerOfTen{new(big.Int).Rsh(p, 64).Uint64(), new(big.Int).And(p, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
	}
	return &list
})

// roundProduct returns the float64 nearest to mantissa·10^exponent, by the algorithm of Eisel and
// Lemire (Lemire 2021, Number parsing at a gigabyte per second). ok is false if 128 bits of the
// product do not determine the rounding, and for subnormal numbers.
func roundProduct(mantissa uint64, exponent int) (v float64, ok bool) {
	power := powersOfTen()[exponent+mostTens]
	shift := bits.LeadingZeros64(mantissa)
	mantissa <<= uint(shift)
	biased := uint64(217706*exponent>>16+64+1023) - uint64(shift) // ⌊log2(10)·exponent⌋, adjusted for the shifts
	high, low := bits.Mul64(mantissa, power.high)
	if high&0x1ff == 0x1ff && low+mantissa < mantissa { // a carry from the lower bits of the power may affect rounding
		more, last := bits.Mul64(mantissa, power.low)
		sum, carry := bits.Add64(low, more, 0)
		if high, low = high+carry, sum; high&0x1ff == 0x1ff && low+1 == 0 && last+mantissa < mantissa {
			return 0, false
		}
	}
	top := high >> 63
	m := high >> (top + 9) // 54 bits
	biased -= 1 ^ top
	if low == 0 && high&0x1ff == 0 && m&3 == 1 { // possibly half way
		return 0, false
	}
	if m = (m + m&1) >> 1; m>>53 > 0 {
		m >>= 1
		biased++
	}
	if biased-1 >= 0x7ff-1 {
		return 0, false
	}
	return math.Float64frombits(biased<<52 | m&(1<<52-1)), true
}
