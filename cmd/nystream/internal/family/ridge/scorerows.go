package ridge

import (
	"errors"
	"strconv"

	"github.com/nystream/nystream/solvers/ridge"
)

// scoreRows is the value of the flag for the size of the scoring sample.
type scoreRows struct{ rows *int }

// Set parses a number of rows, or all.
func (s *scoreRows) Set(text string) error {
	if text == "all" {
		*s.rows = ridge.AllRows
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < ridge.LeastScoreRows {
		return errors.New("is neither a number of rows, " + strconv.Itoa(ridge.LeastScoreRows) + " or more, nor all")
	}
	*s.rows = n
	return nil
}

func (s *scoreRows) String() string {
	switch {
	case s.rows == nil || *s.rows == 0:
		return strconv.Itoa(ridge.ErrorSample)
	case *s.rows == ridge.AllRows:
		return "all"
	}
	return strconv.Itoa(*s.rows)
}

// Type returns the word for the value in help.
func (s *scoreRows) Type() string { return "number" }
