package column

import (
	"time"

	"github.com/nystream/nystream/stream/logical"
)

// Part is a number computed from a date or a time.
type Part uint8

const (
	Whole     Part = iota // days since 1970 of a date or a timestamp, seconds of a time or a duration
	Year                  // of dates and timestamps, like the following ones
	DayOfYear             // from 1
	Weekday               // from 0, Monday
	Hour                  // from 0, without minutes; 0 for a date
)

var partNames = [...]string{"", "year", "dayofyear", "weekday", "hour"}

// String returns the name of the part, "" for Whole.
func (p Part) String() string { return partNames[p] }

const (
	secondsPerDay = 86400
	perSecond     = 1_000_000_000 // nanoseconds
)

// Number returns the part of a date or time in the form of [stream.FieldOf]. It depends only on the
// moment, not on the unit. Timestamps with a zone are converted to UTC. Days and seconds are
// accurate to one unit in the last place.
func (p Part) Number(v int64, t logical.Type) float64 {
	if t.Class == logical.Time || t.Class == logical.Duration {
		return seconds(v, t.Unit)
	}
	days, rest := Days(v, t.Unit), int64(0) // nanoseconds
	if t.Class == logical.Timestamp {
		per := t.Unit.PerSecond()
		days = floor(v, secondsPerDay*per)
		rest = (v - days*secondsPerDay*per) * (perSecond / per)
	}
	switch p {
	case Whole:
		const most = 1 << 53 / (secondsPerDay * perSecond) // days for which float64 represents all nanoseconds
		if days >= -most && days < most {
			return float64(days*secondsPerDay*perSecond+rest) / (secondsPerDay * perSecond)
		}
		return float64(days) + float64(rest)/(secondsPerDay*perSecond)
	case Hour:
		return float64(rest / (3600 * perSecond))
	}
	day := time.Unix(days*secondsPerDay, 0).UTC()
	switch p {
	case Year:
		return float64(day.Year())
	case DayOfYear:
		return float64(day.YearDay())
	}
	return float64((day.Weekday() + 6) % 7)
}

// seconds returns v units in seconds.
func seconds(v int64, unit logical.Unit) float64 {
	const most = 1 << 53 / perSecond // seconds for which float64 represents all nanoseconds
	per := unit.PerSecond()
	whole := floor(v, per)
	rest := (v - whole*per) * (perSecond / per)
	if whole >= -most && whole < most {
		return float64(whole*perSecond+rest) / perSecond
	}
	return float64(whole) + float64(rest)/perSecond
}

// floor returns ⌊v/by⌋.
func floor(v, by int64) int64 {
	q := v / by
	if v%by < 0 {
		q--
	}
	return q
}
