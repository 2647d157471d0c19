package lab

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestCache measures, cuts the file as a kill does, and measures what was cut again.
func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	measured := 0
	look := func(keys ...string) {
		t.Helper()
		c, err := openCache(path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, key := range keys {
			v, err := Cached(c, key, func() ([]Figure, error) {
				measured++
				return []Figure{1.5, Figure(math.NaN()), Figure(math.Inf(1))}, nil
			})
			if err != nil || len(v) != 3 || v[0] != 1.5 || v[1] == v[1] || v[2] != Figure(math.Inf(1)) {
				t.Fatalf("%s is %v, %v", key, v, err)
			}
		}
	}
	look("a", "b", "a")
	if measured != 2 {
		t.Errorf("%d measurements, not 2", measured)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-3); err != nil {
		t.Fatal(err)
	}
	look("a", "b")
	look("a", "b")
	if measured != 3 {
		t.Errorf("%d measurements, not 3: the line that was cut is measured again, once", measured)
	}
}
