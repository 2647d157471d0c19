package column

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// maxExact bounds the integers up to which float64 represents every integer.
const maxExact = 1 << 53

// IsExact reports whether v is exactly a float64.
func IsExact(v int64) bool {
	f := float64(v)
	return f != 1<<63 && int64(f) == v
}

// ShortInteger is the maximal length of decimal integers that are all exact in float64.
const ShortInteger = 15

// IsExactText reports whether a decimal integer is exactly a float64. In a column of floats it may
// also be the shortest text that a float writer produces: 1152921504606847000 for 2^60.
func IsExactText(integer string, amongFloats bool) bool {
	if len(integer) <= ShortInteger {
		return true
	}
	f, err := strconv.ParseFloat(integer, 64)
	if err != nil {
		return false
	}
	digits := strings.TrimLeft(strings.TrimLeft(integer, "+-"), "0")
	f = math.Abs(f)
	return strconv.FormatFloat(f, 'f', 0, 64) == digits || amongFloats && strconv.FormatFloat(f, 'f', -1, 64) == digits
}

// ErrInexact reports an integer that is not exactly a float64.
func ErrInexact(integer string) error {
	return fault.New("the integer %s lies between two float64 numbers, which hold all integers only up to 2^53", integer).
		WithRemedy("leave the column out, or take the nearest with `Options.Inexact round`")
}

// NumberFormat is the interpretation of a word as a number, in Parquet, Arrow, NPY and .nys files.
// A word holds the bits of a value, zero-extended to 64. An integer that is not exactly a float64
// is an error ([ErrInexact]) unless Round is set.
type NumberFormat struct {
	Form  Form
	Bits  int  // width of signed integers and decimals
	Scale int  // a decimal is its integer · 10^-scale
	Round bool // round integers to the nearest float64
}

// Form is the encoding of a number.
type Form uint8

const (
	Float64Form Form = iota
	Float32Form
	Float16Form
	SignedForm
	UnsignedForm
	DecimalForm     // an integer of Bits bits
	LongDecimalForm // an integer in bytes, most significant first
)

// MaxScale is the largest scale of a 256-bit decimal.
const MaxScale = 76

// MaxDecimal is the maximal size of a decimal in bytes. No format has larger decimals.
const MaxDecimal = 32

// Rounded describes the rounding of decimals with the given number of digits, "" if float64
// represents all of them.
func Rounded(digits int) string {
	if digits <= ShortInteger {
		return ""
	}
	return fmt.Sprintf("decimals of %d digits, rounded to about 16", digits)
}

// floats converts words to float64. It returns the index of the first integer that float64 cannot
// represent, or -1.
func (f NumberFormat) floats(dst []float64, words []uint64) int {
	switch f.Form {
	case Float64Form:
		for i, w := range words {
			dst[i] = math.Float64frombits(w)
		}
	case Float32Form:
		for i, w := range words {
			dst[i] = float64(math.Float32frombits(uint32(w)))
		}
	case Float16Form:
		for i, w := range words {
			dst[i] = HalfFloat(uint16(w))
		}
	case SignedForm:
		return f.signedFloats(dst, words)
	case UnsignedForm:
		return f.unsignedFloats(dst, words)
	case DecimalForm:
		if f.Scale == 0 {
			return f.signedFloats(dst, words)
		}
		for i, w := range words {
			dst[i] = decimal(f.signed(w), f.Scale)
		}
	}
	return -1
}

// signed sign-extends a word.
func (f NumberFormat) signed(w uint64) int64 {
	shift := 64 - f.Bits
	return int64(w<<shift) >> shift
}

// Float converts one word; ok is false for an integer that float64 cannot represent.
func (f NumberFormat) Float(w uint64) (v float64, ok bool) {
	var dst [1]float64
	i := f.floats(dst[:], []uint64{w})
	return dst[0], i < 0
}

func (f NumberFormat) signedFloats(dst []float64, words []uint64) int {
	for i, w := range words {
		v := f.signed(w)
		if !f.Round && !IsExact(v) {
			return i
		}
		dst[i] = float64(v)
	}
	return -1
}

func (f NumberFormat) unsignedFloats(dst []float64, words []uint64) int {
	for i, w := range words {
		dst[i] = float64(w)
		if !f.Round && (dst[i] == 1<<64 || uint64(dst[i]) != w) {
			return i
		}
	}
	return -1
}

// Integer returns the integer that a word represents, and false if it exceeds int64.
func (f NumberFormat) Integer(w uint64) (int64, bool) {
	if f.Form == SignedForm {
		return f.signed(w), true
	}
	return int64(w), w <= math.MaxInt64
}

// Text formats the integer that a word represents.
func (f NumberFormat) Text(w uint64) string {
	if f.Form == SignedForm || f.Form == DecimalForm {
		return strconv.FormatInt(f.signed(w), 10)
	}
	return strconv.FormatUint(w, 10)
}

// decimal returns v·10^-scale, rounded once.
func decimal(v int64, scale int) float64 {
	if v >= -maxExact && v <= maxExact && scale >= 0 && scale <= 22 {
		return float64(v) / pow10[scale]
	}
	return textDecimal(strconv.FormatInt(v, 10), scale)
}

// pow10 lists the powers of ten that are exactly float64.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// textDecimal returns an integer times 10^-scale, rounded once.
func textDecimal(integer string, scale int) float64 {
	f, _ := strconv.ParseFloat(integer+"e"+strconv.Itoa(-scale), 64) // at most MaxDecimal bytes, so never out of range
	return f
}

// BigEndianInt decodes a two's complement integer, most significant byte first.
func BigEndianInt(b string) *big.Int {
	v := new(big.Int).SetBytes([]byte(b))
	if len(b) > 0 && b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// HalfFloat converts an IEEE 754 binary16 number: its exponent bias is 112 below that of a float32.
func HalfFloat(h uint16) float64 {
	bits := uint32(h&0x7fff) << 13
	v := float64(math.Float32frombits(bits)) * (1 << 112)
	if h&0x7c00 == 0x7c00 { // Inf and NaN
		v = float64(math.Float32frombits(bits | 0x7f800000))
	}
	return math.Copysign(v, float64(int16(h)))
}

// ReadWords fills dst with values of 1, 2, 4 or 8 bytes, least significant first.
func ReadWords(dst []uint64, data []byte, size int) {
	switch b := data[:len(dst)*size]; size {
	case 8:
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(b[i*8:])
		}
	case 4:
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint32(b[i*4:]))
		}
	case 2:
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint16(b[i*2:]))
		}
	case 1:
		for i, v := range b {
			dst[i] = uint64(v)
		}
	}
}

// ReadBits fills dst with consecutive bits, starting at bit at, eight to a byte.
func ReadBits(dst []uint64, data []byte, at int) {
	for i := range dst {
		dst[i] = uint64(data[at>>3] >> (at & 7) & 1)
		at++
	}
}
