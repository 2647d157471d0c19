package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bytes read in a report are those counted by the system, also if flags name columns of the data: text is scanned
// once.
func TestReadIsAllThatIsRead(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,y,g\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "%.12f,%.12f,%.12f,%.12f\n", float64(i%97)/97, float64(i%89)/89, float64(i%53)/53, float64(i%7))
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(t.TempDir(), "m.npz")
	for _, line := range []string{
		"fit ridge " + path + " --target y --fold-by g --kernel rbf(gamma=1) --landmarks 20 -o " + model,
		"predict " + model + " " + path + " --label y",
	} {
		before, known := charsRead()
		var out, messages bytes.Buffer
		if code := run(t.Context(), append(strings.Fields(line), "--format", "json"), nil, &out, &messages); code != 0 {
			t.Fatalf("%d: %s", code, &messages)
		}
		after, _ := charsRead()
		if !known {
			t.Skip("the system does not count what a process reads")
		}
		var report struct {
			Read map[string]struct{ Bytes, Size int64 }
		}
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatal(err)
		}
		read := report.Read["data"]
		if other := after - before - read.Bytes; read.Size != int64(text.Len()) || other < 0 || other > read.Size/4 {
			t.Errorf("%s: the report says %d bytes, and the system read %d", line, read.Bytes, after-before)
		}
	}
}

// charsRead returns the bytes read by the process so far, if the system counts them.
func charsRead() (n int64, known bool) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, false
	}
	found, err := fmt.Sscanf(string(text), "rchar: %d", &n)
	return n, found == 1 && err == nil
}
