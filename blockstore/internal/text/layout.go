package text

import (
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/charset"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Layout describes the layout of text files. The zero value means detection. It has no effect on
// other formats.
type Layout struct {
	// Header declares that a file begins with the names of its columns, even if these look like
	// numbers: 2019,2020,2021.
	Header bool
	// NoHeader declares that a file begins with a row, even if that looks like names.
	NoHeader bool
	// Delimiter separates cells: one ASCII character, "tab", "space" for runs of blanks and tabs,
	// or "none" for one cell per line. "" means a tab in .tsv files, and detection in others.
	Delimiter string
	// Comment is the character that begins comment lines of CSV files, or "". In graph files # and
	// % begin them, too.
	Comment string
	// Skip is the number of lines to skip at the beginning of CSV and graph files.
	Skip int
	// Encoding is the name of the encoding, such as latin1 or shift_jis. "" means UTF-8, or UTF-16
	// if there is a byte order mark.
	Encoding string
}

// ParseLayout returns the options of CSV files and the encoding. It fails if settings contradict
// each other or are invalid.
func ParseLayout(l Layout) (o CSVOptions, e charset.Encoding, err error) {
	if l.Header && l.NoHeader {
		return o, e, fault.New("a text file cannot begin both with names and with a row").WithRemedy("leave `Layout.Header` or `Layout.NoHeader` out")
	}
	if l.Skip < 0 {
		return o, e, fault.New("`Layout.Skip` %d is below 0", l.Skip).WithRemedy("pass over 0 lines or more")
	}
	o = CSVOptions{NoHeader: l.NoHeader, Header: l.Header, Skip: l.Skip}
	if o.Comment, err = ParseComment(l.Comment); err != nil {
		return o, e, err
	}
	if o.Delimiter, err = ParseDelimiter(l.Delimiter); err != nil {
		return o, e, err
	}
	e, err = charset.Find(l.Encoding)
	return o, e, err
}

// DelimiterIn returns the delimiter of the file with the given path, 0 for detection.
func (o CSVOptions) DelimiterIn(path string) rune {
	if o.Delimiter == 0 && strings.EqualFold(filepath.Ext(path), ".tsv") {
		return '\t'
	}
	return o.Delimiter
}

// Comments returns the characters that begin comment lines, for [NewCommented].
func (o CSVOptions) Comments() string {
	if o.Comment == 0 {
		return ""
	}
	return string(rune(o.Comment))
}
