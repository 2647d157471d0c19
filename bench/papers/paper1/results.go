package paper1

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
)

// result is what was measured of one fit, a row of results.csv.
type result struct {
	key
	Dimension        int
	Kernel           string  // text, resolved
	Spectral         float64 // ‖A−Â‖₂/‖A‖₂
	Frobenius        float64 // ‖A−Â‖_F/‖A‖_F
	Estimate         float64 // of the latter by the fit itself, NaN if it has none
	SpectralEstimate float64 // of the spectral error by the fit itself
	Rank             int
	EntriesPerRow    float64 // kernel entries evaluated by the fit
	Shift            float64
	Seconds          float64 // of the fit, alone on the machine; NaN if it was not
	Steps            int     // of the Lanczos process
	Sample           int     // rows that errors were measured on, 0 for all
}

// key says which fit a result is of.
type key struct {
	Data    string
	Rows    int
	Word    string // short name of the kernel
	Method  string
	C, Seed int
}

var header = []string{"data", "rows", "kernel", "method", "c", "seed", "columns", "kernel_text", "spectral_error", "frobenius_error", "error_estimate",
	"rank", "kernel_entries_per_row", "shift", "seconds", "lanczos_steps", "sample", "spectral_estimate"}

func (r result) record() []string {
	short := func(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
	return []string{r.Data, strconv.Itoa(r.Rows), r.Word, r.Method, strconv.Itoa(r.C), strconv.Itoa(r.Seed), strconv.Itoa(r.Dimension), r.Kernel,
		short(r.Spectral), short(r.Frobenius), short(r.Estimate), strconv.Itoa(r.Rank), short(r.EntriesPerRow), short(r.Shift), short(r.Seconds),
		strconv.Itoa(r.Steps), strconv.Itoa(r.Sample), short(r.SpectralEstimate)}
}

// parseResult reads what record wrote.
func parseResult(rec []string) (r result, err error) {
	if len(rec) != len(header) {
		return r, fmt.Errorf("%d fields, not %d", len(rec), len(header))
	}
	integers := map[int]*int{1: &r.Rows, 4: &r.C, 5: &r.Seed, 6: &r.Dimension, 11: &r.Rank, 15: &r.Steps, 16: &r.Sample}
	floats := map[int]*float64{8: &r.Spectral, 9: &r.Frobenius, 10: &r.Estimate, 12: &r.EntriesPerRow, 13: &r.Shift, 14: &r.Seconds, 17: &r.SpectralEstimate}
	r.Data, r.Word, r.Method, r.Kernel = rec[0], rec[2], rec[3], rec[7]
	for i, v := range integers {
		if *v, err = strconv.Atoi(rec[i]); err != nil {
			return r, fmt.Errorf("%s: %w", header[i], err)
		}
	}
	for i, v := range floats {
		if *v, err = strconv.ParseFloat(rec[i], 64); err != nil {
			return r, fmt.Errorf("%s: %w", header[i], err)
		}
	}
	return r, nil
}

// results are the rows of a file, to which more are appended as they are measured.
type results struct {
	rows []result
	seen map[key]bool
	file *os.File
}

// openResults reads the results of earlier runs, if there are any. A last line
// that was cut off is dropped.
func openResults(path string) (*results, error) {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	r := &results{seen: map[key]bool{}}
	records, err := csv.NewReader(bytes.NewReader(whole)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, rec := range records {
		if i == 0 {
			continue
		}
		row, err := parseResult(rec)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, i-1, err)
		}
		r.take(row)
	}
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, err
	}
	if err := r.file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	if _, err := r.file.Seek(int64(len(whole)), 0); err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return r, r.write([][]string{header})
	}
	return r, nil
}

func (r *results) take(row result) {
	r.rows = append(r.rows, row)
	r.seen[row.key] = true
}

// add appends rows.
func (r *results) add(rows []result) error {
	records := make([][]string, len(rows))
	for i, row := range rows {
		r.take(row)
		records[i] = row.record()
	}
	return r.write(records)
}

func (r *results) write(records [][]string) error {
	w := csv.NewWriter(r.file)
	return w.WriteAll(records)
}

func (r *results) close() error { return r.file.Close() }
