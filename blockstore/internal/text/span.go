package text

import (
	"bytes"
	"math"
	"strconv"

	"github.com/nystream/nystream/stream/logical"
)

// span is a time since midnight, or a duration: seconds, and nanoseconds of the same sign.
type span struct {
	seconds, nanos int64
	digits         int // decimals of the seconds
}

// in returns the span in units, and false if it exceeds 64 bits.
func (s span) in(unit logical.Unit) (int64, bool) {
	per := unit.PerSecond()
	if s.seconds > math.MaxInt64/per-1 || s.seconds < math.MinInt64/per+1 {
		return 0, false
	}
	return s.seconds*per + s.nanos/(1e9/per), true
}

// parseClock parses a time of day with seconds: 12:34:56, 12:34:56.789.
func parseClock(cell []byte) (s span, ok bool) {
	if len(cell) < 8 || cell[2] != ':' || cell[5] != ':' || cell[7] == '.' {
		return s, false
	}
	hour, ok1 := digits(cell[:2])
	minute, ok2 := digits(cell[3:5])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return s, false
	}
	if s, ok = parseSeconds(cell[6:]); !ok || s.seconds > 59 {
		return s, false
	}
	s.seconds += 3600*hour + 60*minute
	return s, true
}

// parseSpan parses an ISO 8601 duration in weeks, days, hours, minutes and seconds: P1DT2H,
// -PT1.5S. It rejects months and years, whose lengths vary.
func parseSpan(cell []byte) (s span, ok bool) {
	rest, negative := bytes.CutPrefix(cell, []byte{'-'})
	if rest, ok = bytes.CutPrefix(rest, []byte{'P'}); !ok || len(rest) < 2 {
		return s, false
	}
	units := []struct {
		letter  byte
		seconds int64
	}{{'W', 7 * 86400}, {'D', 86400}, {'T', 0}, {'H', 3600}, {'M', 60}, {'S', 1}}
	for len(rest) > 0 {
		if len(units) > 3 && rest[0] == 'T' {
			if rest, units = rest[1:], units[len(units)-3:]; len(rest) == 0 {
				return s, false
			}
			continue
		}
		n := bytes.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if n < 1 {
			return s, false
		}
		for len(units) > 0 && units[0].letter != rest[n] {
			if units[0].letter == 'T' {
				return s, false
			}
			units = units[1:]
		}
		if len(units) == 0 {
			return s, false
		}
		part, good := parseSeconds(rest[:n])
		per := units[0].seconds
		if !good || per != 1 && part.digits > 0 || part.seconds > math.MaxInt64/8/per {
			return s, false
		}
		s.seconds += part.seconds * per
		s.nanos, s.digits = part.nanos, part.digits
		rest, units = rest[n+1:], units[1:]
	}
	if negative {
		s.seconds, s.nanos = -s.seconds, -s.nanos
	}
	return s, true
}

// parseSeconds parses digits with at most nine decimals.
func parseSeconds(cell []byte) (s span, ok bool) {
	whole, fraction, point := bytes.Cut(cell, []byte{'.'})
	if s.seconds, ok = digits(whole); !ok || point && len(fraction) == 0 || len(fraction) > 9 {
		return s, false
	}
	if s.digits = len(fraction); s.digits > 0 {
		nanos := append(append(make([]byte, 0, 9), fraction...), "000000000"[s.digits:]...)
		s.nanos, ok = digits(nanos)
	}
	return s, ok
}

// digits parses an integer of decimal digits.
func digits(cell []byte) (int64, bool) {
	if len(cell) == 0 || digitRun(cell) != len(cell) {
		return 0, false
	}
	v, err := strconv.ParseInt(string(cell), 10, 64)
	return v, err == nil
}
