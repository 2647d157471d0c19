package kernelgen

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseError reports a syntax error in the text of a kernel or a map, with its position.
type ParseError struct {
	What    string // "kernel" or "map"
	Text    string // what was parsed
	Offset  int    // byte position of the problem in Text
	Problem string
}

// Error names the text, the position (in characters, from 1) and the problem.
func (e *ParseError) Error() string {
	at := utf8.RuneCountInString(e.Text[:e.Offset]) + 1
	return fmt.Sprintf("%s %q, character %d: %s", e.What, excerpt(e.Text), at, e.Problem)
}

// excerpt truncates text for messages.
func excerpt(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

// A scanner reads words and numbers from text.
type scanner struct {
	what, text string
	pos        int
}

func (s *scanner) errorAt(offset int, format string, a ...any) error {
	return &ParseError{What: s.what, Text: s.text, Offset: offset, Problem: fmt.Sprintf(format, a...)}
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

func (s *scanner) space() {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
}

// end skips white space and reports whether the text ends.
func (s *scanner) end() bool {
	s.space()
	return s.pos == len(s.text)
}

// accept skips white space and the byte c, if it is next.
func (s *scanner) accept(c byte) bool {
	s.space()
	if s.pos == len(s.text) || s.text[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

// here describes the current position.
func (s *scanner) here() string {
	if s.pos == len(s.text) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.pos:])
	return strconv.QuoteRune(r)
}

func (s *scanner) name() string {
	start := s.pos
	for s.pos < len(s.text) && (isLetter(s.text[s.pos]) || isDigit(s.text[s.pos])) {
		s.pos++
	}
	return s.text[start:s.pos]
}

// number reads a decimal number with an optional sign and exponent.
func (s *scanner) number() (float64, error) {
	start := s.pos
	for s.pos < len(s.text) && s.inNumber(start) {
		s.pos++
	}
	if start == s.pos {
		return 0, s.errorAt(start, "expected a number, found %s", s.here())
	}
	v, err := strconv.ParseFloat(s.text[start:s.pos], 64)
	if err != nil {
		return 0, s.errorAt(start, "%q is not a number that fits float64", s.text[start:s.pos])
	}
	return v, nil
}

// inNumber reports whether the current byte continues a number that starts at start.
func (s *scanner) inNumber(start int) bool {
	switch c := s.text[s.pos]; c {
	case '+', '-':
		return s.pos == start || s.text[s.pos-1]|0x20 == 'e'
	default:
		return isDigit(c) || c == '.' || c|0x20 == 'e'
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// isName reports whether text is a letter followed by letters and digits.
func isName(text string) bool {
	s := scanner{text: text}
	return isLetter(s.peek()) && s.name() == text
}
