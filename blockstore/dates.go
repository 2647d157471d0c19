package blockstore

import (
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream/logical"
)

// Dates selects the treatment of dates, timestamps, times and durations among the features: of
// columns of these types, and of text columns that hold ISO 8601 dates in all rows.
type Dates uint8

const (
	// DatesNone excludes them. Columns selected by name are treated as under DatesNumber.
	DatesNone Dates = iota
	// DatesNumber converts dates and timestamps to days since 1970, in UTC if they have a zone, and
	// times and durations to seconds.
	DatesNumber
	// DatesCalendar makes four columns of a date or a timestamp: day.year, day.dayofyear (from 1),
	// day.weekday (0 is Monday) and day.hour. Times and durations become seconds.
	DatesCalendar
)

// String returns none, number or calendar.
func (d Dates) String() string { return [...]string{"none", "number", "calendar"}[d] }

// calendar lists the parts of a date under DatesCalendar.
var calendar = []column.Part{column.Year, column.DayOfYear, column.Weekday, column.Hour}

// moment is a column of dates or times.
type moment struct {
	holds logical.Type
	// first is the component of the first part of a date; the other parts follow it. It is 0 if
	// there are none.
	first int
	empty bool // a text column without any value, which may be one of dates
}

// isText reports whether the file stores m as text. of is the meaning that the file declares.
func (m moment) isText(of column.Meaning) bool {
	return m.holds.IsTemporal() && !m.empty && !of.IsTemporal()
}

// setMoments finds the columns of dates and times in all files.
func (s *fileSet) setMoments() {
	found := make(map[string]logical.Type) // by column name, over all files
	for _, m := range s.members {
		for i, c := range m.Columns {
			if of, ok := foundMoment(&m.Columns[i]); ok {
				found[c.Name] = of
			}
		}
	}
	for _, m := range s.members {
		m.setMoments(found, text.IsTextTable(m.table))
	}
}

// foundMoment returns the type of a column of dates or times.
func foundMoment(c *column.Info) (logical.Type, bool) {
	switch {
	case c.Kind == column.Vector:
	case c.Type.IsTemporal():
		return c.Type, true
	case c.Kind == column.Text && c.Type.Class == logical.None && c.Found != nil && c.Found.IsTemporal():
		return *c.Found, true
	}
	return logical.Type{}, false
}

// setMoments finds the columns of dates and times of one file. Each file has its own types. A text
// column without any value takes the type that another file has.
func (s *selector) setMoments(found map[string]logical.Type, isText bool) {
	s.moments = make(map[int]moment)
	for i := range s.Columns {
		c := &s.Columns[i]
		if of, ok := foundMoment(c); ok {
			s.moments[i] = moment{holds: of}
			continue
		}
		if !isText || !c.Empty {
			continue
		}
		of, ok := found[c.Name]
		if !ok {
			of = logical.Type{Class: logical.Timestamp, Unit: logical.Microsecond}
		}
		s.moments[i] = moment{holds: of, empty: !ok}
	}
}

// setDates appends the parts of dates to the components, and makes components of dates and times
// numeric. It may be called again.
func (s *selector) setDates(dates Dates) {
	s.dates, s.index, s.byWhole, s.onlyByName, s.components = dates, nil, nil, nil,
		slices.Clip(s.components[:s.ownComponents])
	for i := range s.ownComponents {
		c := &s.components[i]
		of := &s.Columns[c.column]
		when, ok := s.moments[c.column]
		if c.kind = of.Kind; ok && !when.empty {
			c.kind = column.Integer
		}
		if temporal := of.Meaning.IsTemporal() || ok && !when.empty; s.isKey(i) || temporal && (!ok || dates == DatesNone) {
			s.onlyByName = append(s.onlyByName, i)
		}
		if !ok || dates != DatesCalendar || when.holds.Class != logical.Date && when.holds.Class != logical.Timestamp {
			continue
		}
		when.first = len(s.components)
		s.moments[c.column] = when
		for _, part := range calendar {
			s.components = append(s.components, component{of.Name + "." + part.String(), c.column, 0, column.Integer, part})
		}
	}
}

// momentType returns the type of component i if it is a date or a time, else false.
func (s *selector) momentType(i int) (logical.Type, bool) {
	c := s.components[i]
	m, ok := s.moments[c.column]
	return m.holds, ok && (!m.empty || c.as != column.Whole)
}

// isDatePart reports whether component i is a part of a date.
func (s *selector) isDatePart(i int) bool { return i >= s.ownComponents }

// columnComponent returns the component of the column that component i is or belongs to.
func (s *selector) columnComponent(i int) int {
	if !s.isDatePart(i) {
		return i
	}
	of := s.components[i].column
	return slices.IndexFunc(s.components[:s.ownComponents], func(c component) bool { return c.column == of })
}

// columnComponents returns the components of the columns that the listed components are or belong to.
func (s *selector) columnComponents(list []int) []int {
	list = slices.Clone(list)
	for k := range list {
		list[k] = s.columnComponent(list[k])
	}
	return list
}

// expandDates returns the chosen components with dates replaced by their parts, without the excluded
// ones.
func (s *selector) expandDates(chosen []int, excluded componentSet, wrong *complaints) (list []int) {
	if s.dates != DatesCalendar || len(s.components) == s.ownComponents {
		return chosen
	}
	for _, i := range chosen {
		_, ok := s.momentType(i)
		first := s.moments[s.components[i].column].first
		if s.isDatePart(i) || !ok || first == 0 {
			list = append(list, i)
			continue
		}
		for k := range calendar {
			if name := s.components[first+k].name; !excluded.has(first + k) {
				list = append(list, first+k)
				if len(s.runsNamed(name)) > 1 {
					wrong.add(columnError(name, "the file has a column of this name, and %s would have a part that is called so", quote.Name(s.components[i].name)).
						WithRemedy("rename one, or choose `Options.Dates number`"))
				}
			}
		}
	}
	return difference(list, nil)
}

// DateColumn is a feature computed from dates or times.
type DateColumn struct {
	Column string // name in the files
	As     Dates  // DatesCalendar for a part of a date
	// Empty reports that the column, a text, has no value in the first file. It might hold dates or
	// numbers.
	Empty bool
}

// Dates returns the features that are computed from dates and times, by index in Info().Columns,
// with their columns in the first file.
func (s *Source) Dates() map[int]DateColumn { return s.dates }

// dateColumns returns [Source.Dates] for chosen components.
func (s *selector) dateColumns(chosen []int) map[int]DateColumn {
	list := make(map[int]DateColumn)
	for at, i := range chosen {
		if m, ok := s.moments[s.components[i].column]; ok {
			of := DateColumn{s.Columns[s.components[i].column].Name, DatesNumber, m.empty}
			if s.isDatePart(i) {
				of.As = DatesCalendar
			}
			list[at] = of
		}
	}
	return list
}
