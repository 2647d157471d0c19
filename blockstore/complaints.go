package blockstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
)

// complaints collect what is wrong with a choice of columns, so that all of it is told at
// once.
type complaints struct {
	unknown   []string // names that no column has
	leaving   []string // those of them that are to be left out
	noNumbers []string // columns of text that are to be computed with
	others    []string // whole sentences
}

// addf adds a sentence, once.
func (w *complaints) addf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.others, text) {
		w.others = append(w.others, text)
	}
}

// err returns the error that says it all, or nil.
func (w *complaints) err(s *selector) error {
	all := append(w.texts(s), w.others...)
	all = append(all, w.nobody(s)...)
	const most = 10
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Sprintf("and %d more", more))
	}
	if len(all) == 0 {
		return nil
	}
	return fault.File(s.Path, "%s", strings.Join(all, "; "))
}

// texts says that columns of text are to be computed with.
func (w *complaints) texts(s *selector) []string {
	among := s.names(column.Kind.Computable)
	switch len(w.noNumbers) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("column %s holds no numbers but text; make numbers of it with `categories onehot`, carry it along with `keep %s`, or choose among the numeric columns: %s",
			quote.Name(w.noNumbers[0]), quote.Bare(w.noNumbers[0]), among)}
	}
	return []string{fmt.Sprintf("columns %s hold no numbers but text; make numbers of them with `categories onehot`, carry them along with `keep`, or choose among the numeric columns: %s", quote.Names(w.noNumbers), among)}
}

// nobody says that columns are not there, and what may have been meant.
func (w *complaints) nobody(s *selector) []string {
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
		if slices.Contains(w.leaving, name) {
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
	return []string{fmt.Sprintf("there is no column %s; the columns are: %s", strings.Join(words, ", "), s.names(nil))}
}
