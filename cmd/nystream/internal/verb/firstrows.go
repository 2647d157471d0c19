package verb

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream"
)

// chooseOutput decides where rows go without -o: as CSV to the standard output, or the first of them to a terminal.
// With --format json the standard output has the report, and rows go nowhere.
func (t *application) chooseOutput() {
	switch {
	case t.output != "" || t.app.JSON():
	case app.IsTerminal(t.app.Out):
		t.terminal = new(terminalRows)
	default:
		t.output = "-"
	}
}

// terminalRows are the rows that a terminal shows, as CSV.
type terminalRows struct {
	blockstore.Writer
	text    bytes.Buffer
	rows    int
	numbers int // columns of numbers, the first of a row
}

// maxTerminalRows bounds the rows that a terminal shows.
const maxTerminalRows = 10

// errTerminalFull ends a pass when a terminal has its rows.
var errTerminalFull = errors.New("a terminal has its rows")

// create starts the rows as CSV in memory, which print reads again: cells look as they would in a file.
func (w *terminalRows) create(s blockstore.Schema) (err error) {
	s.Format, s.Rows, w.numbers = "csv", -1, len(s.Columns)
	if s.AsList != "" {
		w.numbers = 1
	}
	w.Writer, err = blockstore.NewWriter(&w.text, "to the terminal", s)
	return err
}

// Write keeps rows until there are enough.
func (w *terminalRows) Write(b *stream.Batch, n int) error {
	n = min(n, maxTerminalRows-w.rows)
	if err := w.Writer.Write(b, n); err != nil {
		return err
	}
	if w.rows += n; w.rows == maxTerminalRows {
		return errTerminalFull
	}
	return nil
}

// print prints the rows of a source, classes and kept columns before numbers, and says how to get all.
func (w *terminalRows) print(a *app.App, source stream.Info) error {
	cells, err := csv.NewReader(&w.text).ReadAll()
	if err != nil {
		return err
	}
	columns := make([][]string, len(cells[0]))
	for j := range columns {
		for i, row := range cells {
			columns[j] = append(columns[j], report.Truncate(report.Rounded(row[j]), maxCellLetters))
			if row[j] == "" && i > 0 {
				columns[j][i] = "–"
			}
		}
	}
	title := "all " + report.Counted(w.rows, "row", "rows")
	if source.Rows > int64(w.rows) {
		title = fmt.Sprintf("the first %d of %s rows", w.rows, report.Count(source.Rows))
	} else if w.rows == maxTerminalRows {
		title = fmt.Sprintf("the first %d rows", w.rows)
	}
	r := &report.Report{Title: source.Name + ", " + title}
	for _, line := range tableLines(slices.Concat(columns[w.numbers:], columns[:w.numbers])) {
		r.AddWide(line)
	}
	if err := a.Print(r); err != nil {
		return err
	}
	a.Note("-o FILE writes all rows to a file; a pipe gets them as CSV")
	return nil
}

// tableLines returns columns of cells, the names first, as lines of at most 80 columns: as many of them as there is
// room for.
func tableLines(columns [][]string) []string {
	const screen = 80
	left := screen - len("    ") - len("  …")
	table := make([][]string, len(columns[0]))
	for k, cells := range columns {
		width := 0
		for _, cell := range cells {
			width = max(width, utf8.RuneCountInString(cell)+len("  "))
		}
		if left -= width; k > 0 && left < 0 || k == firstCells {
			for i := range table {
				table[i] = append(table[i], "…")
			}
			break
		}
		for i, cell := range cells {
			table[i] = append(table[i], cell)
		}
	}
	for i := range table {
		table[i] = append(table[i], "")
	}
	lines := report.Columns(table)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}
