package stream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestDataErrorText(t *testing.T) {
	cause := errors.New("-1 is not positive")
	damaged := NewDataError("", "the checksum differs").WithKind(Damaged).WithRemedy("fetch the file again")
	tests := []struct {
		err  *DataError
		want string
	}{
		{NewDataError("", "no rows"), `no rows`},
		{NewDataError("a.csv", "the file has %d rows", 0).WithRemedy("is it the right file?"), `a.csv: the file has 0 rows; is it the right file?`},
		{NewDataError("a.csv", "%w", error(nil)), `a.csv: %!w(<nil>)`},
		{NewDataError("a.csv", "%s", "100%"), `a.csv: 100%`},
		{NewDataError("a.csv", "no such file").WithKind(Missing), `a.csv: no such file`},
		{NewDataError("a.csv", "nobody reads").WithKind(Unwritable), `cannot write a.csv: nobody reads`},
		{NewDataError("", "nobody reads").WithKind(Unwritable), `nobody reads`},
		{NewValueError("a.csv", 7, "", "nothing is there"), `a.csv: row 7 (counted from 0): nothing is there`},
		{NewValueError("a.csv", 0, "x", "%w", cause), `a.csv: row 0 (counted from 0): column "x": -1 is not positive`},
		{NewValueError("a.csv", NoRow, "x", "%w", cause).WithRemedy("leave out %s", "x"), `a.csv: column "x": -1 is not positive; leave out x`},
		{&DataError{Row: NoRow, Err: cause}, `-1 is not positive`},
		{&DataError{Row: NoRow, Path: "a", What: "it is negative", Err: cause}, `a: it is negative`},
		{&DataError{Row: NoRow, Path: "a"}, `a: `},
		{&DataError{Row: 1, Column: "a\n\x1b", What: "0"}, `row 1 (counted from 0): column "a\n\x1b": 0`},

		{NewDataError("a.csv", "line 2: %w", damaged), `a.csv: line 2: the checksum differs; fetch the file again`},
		{NewDataError("a.csv", "%w", damaged).WithRemedy("start again"), `a.csv: the checksum differs; start again`},
		{NewDataError("a.csv", "part %d: %w", 3, NewValueError("a.csv", 7, "x", "it is 0").WithRemedy("mend it")), `a.csv: row 7 (counted from 0): column "x": part 3: it is 0; mend it`},
		{NewDataError("*.csv", "%w", NewValueError("a.csv", 7, "x", "it is 0").WithRemedy("mend it")), `*.csv: a.csv: row 7 (counted from 0): column "x": it is 0; mend it`},
		{NewDataError("a.csv", "%w", fmt.Errorf("part 3: %w", damaged)), `a.csv: part 3: the checksum differs; fetch the file again`},
		{NewDataError("a", "none").AddRemedy("name one").AddRemedy("give %d", 2), `a: none; name one; give 2`},
		{AsDataError(damaged).WithRemedy("start again"), `the checksum differs; start again`},
		{AsDataError(fmt.Errorf("part 3: %w", damaged)), `part 3: the checksum differs; fetch the file again`},
	}
	for _, c := range tests {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// An error that wraps a DataError takes over its kind, place and cause.
func TestDataErrorCause(t *testing.T) {
	cause := errors.New("canceled")
	inner := &DataError{Path: "a.csv", Row: 7, Column: "x", Kind: Changed, What: "it is 0", Remedy: "mend it", Err: cause}
	same := DataError{Path: "a.csv", Row: 7, Column: "x", Kind: Changed, Remedy: "mend it"}
	for what, c := range map[string]struct{ got, want *DataError }{
		"of the same path":         {NewDataError("a.csv", "%w", inner), &same},
		"a copy":                   {AsDataError(inner), &same},
		"of another path":          {NewDataError("b.csv", "%w", inner), &DataError{Path: "b.csv", Row: NoRow, Kind: Changed, Remedy: "mend it"}},
		"of a value of its own":    {NewValueError("a.csv", 3, "y", "%w", inner), &DataError{Path: "a.csv", Row: 3, Column: "y", Kind: Changed, Remedy: "mend it"}},
		"behind a plain error":     {AsDataError(fmt.Errorf("a: %w", inner)), &DataError{Row: NoRow, Kind: Changed}},
		"wrapped by a plain error": {NewDataError("c", "%w", fmt.Errorf("a: %w", inner)), &DataError{Path: "c", Row: NoRow, Kind: Changed}},
	} {
		g, w := c.got, c.want
		if g.Path != w.Path || g.Row != w.Row || g.Column != w.Column || g.Kind != w.Kind || g.Remedy != w.Remedy {
			t.Errorf("%s: got %+v, want %+v", what, *g, *w)
		}
		var found *DataError
		if !errors.Is(g, cause) || !errors.Is(g, inner) || !errors.As(error(g), &found) || found != g {
			t.Errorf("%s: a cause is lost", what)
		}
	}
	if e := NewDataError("a", "%w, and then %w", fs.ErrClosed, inner); !errors.Is(e, fs.ErrClosed) || !errors.Is(e, cause) || e.Kind != Changed {
		t.Errorf("of two causes one is lost: %v", e)
	}
	if value := NewValueError("a", 0, "", "it is 0"); value.Kind != BadValue || NewDataError("b", "%w", value).Kind != BadValue {
		t.Error("a value is of another kind")
	}
	if errors.Is(inner, context.Canceled) || errors.Is(NewDataError("a", "none"), fs.ErrNotExist) || !errors.Is(fmt.Errorf("a: %w", NewDataError("a", "none").WithKind(Missing)), fs.ErrNotExist) {
		t.Error("missing data alone are fs.ErrNotExist")
	}
}

func TestErrorKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := Unusable; k <= Unwritable; k++ {
		seen[k.String()] = true
	}
	if len(seen) != int(Unwritable)+1 || seen[""] || ErrorKind(99).String() != "stream.ErrorKind(99)" {
		t.Errorf("kinds: %v", seen)
	}
}
