package stream

import "fmt"

// What a source promises, and the errors of one that does not keep it.

// CheckFirst returns an error if a reader of the source cannot begin at the row.
func CheckFirst(info Info, first int64) error {
	switch {
	case first < 0 || info.Rows >= 0 && first > info.Rows:
		return fmt.Errorf("%s: there is no row %d to begin with: it has %d rows", info.Name, first, info.Rows)
	case first > 0 && info.Once:
		return OnceError(info.Name)
	}
	return nil
}

// OnceError reports that a source that can be read only once was opened again.
func OnceError(name string) error {
	return fmt.Errorf("%s can be read only once, and this needs to read it again: store it first (`spool-dir`)", name)
}

// promiseError reports that a source did not give the rows it had promised.
func promiseError(info Info, got int64) error {
	return fmt.Errorf("%s: promised %d rows and gave %d: the file changed or is damaged", info.Name, info.Rows, got)
}

// excessError reports that a source gives more rows than it had promised.
func excessError(info Info) error {
	return fmt.Errorf("%s: promised %d rows and gives more: the file changed or is damaged", info.Name, info.Rows)
}

// endedEarly returns the error of a source that ends before a row, counted from 0.
func endedEarly(name string, rows, row int64) error {
	const say = "%s: it ends after %d rows, and row %d (counted from 0) is missing: the file changed or is damaged"
	return fmt.Errorf(say, name, rows, row)
}
