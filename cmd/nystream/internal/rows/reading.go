package rows

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// ReadStats describes the reading of one source, for reports.
type ReadStats struct {
	Bytes    int64         `json:"bytes"`
	Size     int64         `json:"size"`
	Times    report.Number `json:"times"`
	ByNumber int64         `json:"by_number"`
	Rows     int64         `json:"rows_by_number"`
	Requests int64         `json:"requests,omitempty"`

	live                       bool // the file is a pipe that is read as it comes
	files, copies              int
	opening, preparing, passes int // numbers of passes: to open the files, to prepare the rows, and of the method
}

// ReadStats returns the passes so far. before is their number before the method began.
func (in *Input) ReadStats(before int) ReadStats {
	r, opening := in.Files.ReadStats(), in.Info().PassesToOpen
	return ReadStats{
		Bytes: r.Bytes, Size: r.Size, Times: report.Number(r.Times()), ByNumber: r.ByNumber, Rows: r.Rows, Requests: r.Requests,
		live: in.Info().Live, files: r.Files, copies: r.Copies, opening: opening, preparing: before - opening, passes: in.Passes() - before,
	}
}

// Words describes the passes over the files, with reasons. numbered describes the rows gathered by number.
func (r ReadStats) Words(numbered string) string {
	of := "the file"
	switch {
	case r.live:
		of = "the pipe"
	case r.copies > 0 && r.files == 1:
		of = "its copy"
	case r.copies > 0:
		of = "the files and copies"
	case r.files > 1:
		of = "the files"
	}
	var reasons []string
	add := func(passes int, purpose string) {
		if passes == 1 {
			reasons = append(reasons, "a pass"+purpose)
		} else if passes > 1 {
			reasons = append(reasons, report.Counted(passes, "pass", "passes")+purpose)
		}
	}
	add(r.opening, " to open it")
	add(r.preparing, " to prepare it")
	add(r.passes, "")
	if r.Rows > 0 {
		reasons = append(reasons, numbered)
	}
	text := fmt.Sprintf("%s × %s", ratioText(float64(r.Times)), of)
	if len(reasons) > 0 {
		text += ": " + joinList(reasons)
	}
	if r.Requests > 0 {
		text += "; " + report.Counted(int(r.Requests), "request", "requests")
	}
	return text
}

// ratioText formats a ratio with two significant digits.
func ratioText(ratio float64) string {
	if ratio < 0.995 {
		return fmt.Sprintf("%.2g", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

// joinList joins words as in "a, b, and c".
func joinList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + ", and " + words[last]
}
