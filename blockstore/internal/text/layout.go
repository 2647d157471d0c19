package text

import (
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/charset"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Layout says how text files are laid out. The zero value leaves that to be found out. Files of other
// formats say so themselves; Layout changes nothing about them.
type Layout struct {
	// Header says that a file begins with the names of its columns, even where these look
	// like numbers: 2019,2020,2021.
	Header bool
	// NoHeader says that a file begins with a row, even where that looks like names.
	NoHeader bool
	// Delimiter separates cells: one ASCII character, "tab", "space" for runs of blanks and tabs, or
	// "none" where each line is one cell. "" means a tab in .tsv files; it is found out in others.
	Delimiter string
	// Comment is the character that begins comment lines of CSV files, or "". In the
	// files of a graph # and % begin them, too.
	Comment string
	// Skip is the number of lines to skip at the beginning of CSV files and of the files of a graph.
	Skip int
	// Encoding names the encoding, such as latin1 or shift_jis. "" means UTF-8, or UTF-16 where
	// a byte order mark says so.
	Encoding string
}

// ParseLayout returns the options of CSV files and the encoding. It fails if settings contradict each other, or have
// no meaning.
func ParseLayout(l Layout) (o CSVOptions, e charset.Encoding, err error) {
	if l.Header && l.NoHeader {
		return o, e, fault.New("a text file cannot begin both with names and with a row").Do("leave `Layout.Header` or `Layout.NoHeader` out")
	}
	if l.Skip < 0 {
		return o, e, fault.New("`Layout.Skip` %d is below 0", l.Skip).Do("pass over 0 lines or more")
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

// DelimiterIn returns the delimiter of the file with a path, 0 if it is to be found out.
func (o CSVOptions) DelimiterIn(path string) rune {
	if o.Delimiter == 0 && strings.EqualFold(filepath.Ext(path), ".tsv") {
		return '\t'
	}
	return o.Delimiter
}

// Comments returns the characters that comment lines begin with, as [NewCommented] takes them.
func (o CSVOptions) Comments() string {
	if o.Comment == 0 {
		return ""
	}
	return string(rune(o.Comment))
}
