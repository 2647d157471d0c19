package blockstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

// complaints collects the errors of a selection, so that all of them are reported at once.
type complaints struct {
	unknown         []string // unknown names
	unknownExcluded []string // the unknown names that were to be excluded
	noNumbers       []string // text columns selected as features
	dataErrors      []*stream.DataError
}

// add adds an error unless it is there already.
func (w *complaints) add(e *stream.DataError) {
	if !slices.ContainsFunc(w.dataErrors, func(o *stream.DataError) bool { return o.Error() == e.Error() }) {
		w.dataErrors = append(w.dataErrors, e)
	}
}

// columnError returns an error about one column.
func columnError(name, format string, args ...any) *stream.DataError {
	return fault.Cell("", stream.NoRow, name, format, args...)
}

// err returns one error with all complaints, or nil.
func (w *complaints) err(s *selector) error {
	all := append(w.texts(s), w.dataErrors...)
	all = append(all, w.unknownColumns(s)...)
	switch len(all) {
	case 0:
		return nil
	case 1:
		return fault.File(s.Path, "%w", all[0])
	}
	const most = 10
	var said []string
	for _, e := range all[:min(len(all), most)] {
		said = append(said, e.Error())
	}
	if more := len(all) - most; more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return fault.File(s.Path, "%s", said[0]).WithRemedy("%s", strings.Join(said[1:], "; "))
}

// texts returns the errors for text columns that are selected as features.
func (w *complaints) texts(s *selector) []*stream.DataError {
	if len(w.noNumbers) == 0 {
		return nil
	}
	among := s.names(column.Kind.Computable)
	if len(w.noNumbers) == 1 {
		return []*stream.DataError{columnError(w.noNumbers[0], "it holds no numbers but text").
			WithRemedy("make numbers of it with `Treatment.Categories onehot`, carry it along with `Options.Keep %s`, or choose among the numeric columns: %s",
				quote.Bare(w.noNumbers[0]), among)}
	}
	return []*stream.DataError{fault.New("columns %s hold no numbers but text", quote.Names(w.noNumbers)).
		WithRemedy("make numbers of them with `Treatment.Categories onehot`, carry them along with `Options.Keep`, or choose among the numeric columns: %s", among)}
}

// unknownColumns returns the errors for unknown names, with suggestions.
func (w *complaints) unknownColumns(s *selector) []*stream.DataError {
	if len(w.unknown) == 0 {
		return nil
	}
	var names, words []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	for i, name := range w.unknown {
		if i == 10 {
			words = append(words, fmt.Sprintf("nor %d more", len(w.unknown)-i))
			break
		}
		text := quote.Name(name)
		if slices.Contains(w.unknownExcluded, name) {
			text += " to leave out"
		}
		if i > 0 {
			text = "nor " + text
		}
		if near := fault.Nearest(name, names); near != "" {
			text += fmt.Sprintf(" (did you mean %s?)", quote.Name(near))
		}
		words = append(words, text)
	}
	return []*stream.DataError{fault.New("there is no column %s", strings.Join(words, ", ")).WithRemedy("the columns are: %s", s.names(nil))}
}
