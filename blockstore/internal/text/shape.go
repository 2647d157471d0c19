package text

import (
	"encoding/hex"
	"math"
	"time"

	"github.com/nystream/nystream/stream/logical"
)

// shapes is the set of types that not all texts of a column have. The zero value excludes none.
type shapes uint8

const (
	noDate  shapes = 1 << iota // not all ISO 8601 dates: 2024-02-29
	noLocal                    // not all dates with an optional time of day: 2024-02-29 12:34:56.789, with a T or a blank
	noZoned                    // not all with a Z or an offset
	noUUID                     // not all 8-4-4-4-12 hexadecimal digits
	noClock                    // not all times of day: 12:34:56.789
	noSpan                     // not all ISO 8601 durations in days or shorter units: PT1.5S
	noShape = noDate | noLocal | noZoned | noUUID | noClock | noSpan
)

// shape excludes the types that a text does not have.
func (k *cellKinds) shape(cell []byte) {
	if k.excluded == noShape {
		return
	}
	not := noShape
	if m, ok := parseMoment(cell); ok {
		not = m.excludes()
		_, fits := m.in(logical.Nanosecond)
		k.hasNanos, k.outOfNanos = k.hasNanos || m.digits > 6, k.outOfNanos || !fits
	} else if _, ok := parseUUID(cell); ok {
		not = noShape &^ noUUID
	} else if s, ok := parseClock(cell); ok {
		not = noShape &^ noClock
		k.hasNanos = k.hasNanos || s.digits > 6
	} else if s, ok := parseSpan(cell); ok {
		not = noShape &^ noSpan
		_, fits := s.in(logical.Nanosecond)
		k.hasNanos, k.outOfNanos = k.hasNanos || s.digits > 6, k.outOfNanos || !fits
	}
	k.excluded |= not
}

// excludes returns the types that the text of a moment does not have.
func (m moment) excludes() shapes {
	switch {
	case m.zoned:
		return noShape &^ noZoned
	case m.isDate:
		return noShape &^ (noDate | noLocal)
	}
	return noShape &^ noLocal
}

// found returns the type that all texts of the column have, nil if there is none but text.
func (k *cellKinds) found() *logical.Type {
	unit := logical.Microsecond
	if k.hasNanos {
		unit = logical.Nanosecond
	}
	switch {
	case k.numeric > 0 || k.other == 0 || k.booleans > 0 || k.hasNanos && k.outOfNanos:
		return nil
	case k.excluded&noDate == 0:
		return &logical.Type{Class: logical.Date}
	case k.excluded&noLocal == 0:
		return &logical.Type{Class: logical.Timestamp, Unit: unit}
	case k.excluded&noZoned == 0:
		return &logical.Type{Class: logical.Timestamp, Unit: unit, Zone: "UTC"}
	case k.excluded&noUUID == 0:
		return &logical.Type{Class: logical.UUID}
	case k.excluded&noClock == 0:
		return &logical.Type{Class: logical.Time, Unit: unit}
	case k.excluded&noSpan == 0:
		return &logical.Type{Class: logical.Duration, Unit: unit}
	}
	return nil
}

// moment is a date, or a date and a time of day.
type moment struct {
	time.Time
	isDate bool
	zoned  bool
	digits int // decimals of the seconds
}

// parseMoment parses the usual forms of ISO 8601 dates and times.
func parseMoment(cell []byte) (m moment, ok bool) {
	if len(cell) < len(time.DateOnly) || cell[4] != '-' || cell[0] < '0' || cell[0] > '9' {
		return m, false
	}
	text := string(cell)
	if len(text) == len(time.DateOnly) {
		t, err := time.Parse(time.DateOnly, text)
		return moment{Time: t, isDate: true}, err == nil
	}
	if text[10] != 'T' && text[10] != ' ' {
		return m, false
	}
	text = text[:10] + "T" + text[11:]
	clock := len(text)
	for i := 11; i < len(text); i++ {
		if c := text[i]; c == 'Z' || c == '+' || c == '-' {
			m.zoned, clock = true, i
			break
		}
		if text[i] == '.' || m.digits > 0 {
			m.digits++
		}
	}
	m.digits = max(0, m.digits-1)
	layout := "2006-01-02T15:04:05"
	if clock == len("2006-01-02T15:04") {
		layout = "2006-01-02T15:04"
	}
	if m.zoned {
		layout += map[int]string{1: "Z07:00", 3: "Z07", 5: "Z0700", 6: "Z07:00"}[len(text)-clock]
	}
	t, err := time.Parse(layout, text)
	m.Time = t.UTC()
	return m, err == nil && m.digits <= 9
}

// in returns the time in units since 1970, and false if it exceeds 64 bits.
func (m moment) in(unit logical.Unit) (int64, bool) {
	per := unit.PerSecond()
	seconds := m.Unix()
	if seconds > math.MaxInt64/per-1 || seconds < math.MinInt64/per+1 {
		return 0, false
	}
	return seconds*per + int64(m.Nanosecond())/(1e9/per), true
}

// parseUUID parses 8-4-4-4-12 hexadecimal digits.
func parseUUID(cell []byte) (string, bool) {
	if len(cell) != 36 || cell[8] != '-' || cell[13] != '-' || cell[18] != '-' || cell[23] != '-' {
		return "", false
	}
	digits := make([]byte, 0, 32)
	for _, part := range [][]byte{cell[:8], cell[9:13], cell[14:18], cell[19:23], cell[24:]} {
		digits = append(digits, part...)
	}
	b, err := hex.DecodeString(string(digits))
	return string(b), err == nil
}
