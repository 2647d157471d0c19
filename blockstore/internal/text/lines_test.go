package text

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// zeros is an endless file without a newline.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

// readLines returns all lines with their positions.
func readLines(r *lineReader) (lines []string, places []mark) {
	for {
		place := r.here()
		line, err := r.next()
		if err != nil {
			return lines, places
		}
		lines, places = append(lines, string(line)), append(places, place)
	}
}

func TestLinesEqualSplit(t *testing.T) {
	long := strings.Repeat("x", 200_000) // longer than the buffer
	for _, text := range []string{"", "a", "a\n", "\n", "\n\na\r\n\nb", long, "a\n" + long + "\nb\n", strings.Repeat("0123456\n", 40_000)} {
		var want []string
		if text != "" {
			want = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		got, places := readLines(newLineReader(strings.NewReader(text), fileStart))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%.20q: %.300s", text, diff)
		}
		for i := 0; i < len(places); i += 1 + len(places)/5 {
			if again, _ := readLines(newLineReader(strings.NewReader(text), places[i])); !cmp.Equal(want[i:], again) {
				t.Fatalf("%.20q: other lines from line %d on", text, places[i].line)
			}
		}
	}
}

func TestEndlessLine(t *testing.T) {
	if _, err := newLineReader(zeros{}, fileStart).next(); err != errLongLine {
		t.Fatal(err)
	}
}

// failingFile is a file with some text followed by a read error.
type failingFile struct{ text string }

func (f failingFile) ReadAt(p []byte, at int64) (int, error) {
	if at >= int64(len(f.text)) {
		return 0, fmt.Errorf("disk on fire")
	}
	return copy(p, f.text[at:]), nil
}

// A read error is not taken for the end of the file.
func TestReadErrorIsNoEnd(t *testing.T) {
	r := newLineReader(failingFile{"a\nb"}, fileStart)
	if line, err := r.next(); string(line) != "a" || err != nil {
		t.Fatal(line, err)
	}
	if _, err := r.next(); err == nil || err == io.EOF {
		t.Fatalf("got %v, want the error of the disk", err)
	}
}
