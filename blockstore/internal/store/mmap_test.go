package store

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// Sections are the same whether the system maps the file or it is read.
func TestNotMapped(t *testing.T) {
	sample := filetest.SampleBatch(300, 6)
	for _, compress := range []bool{false, true} {
		opened, err := Open(t.Context(), nil, writeStore(t, filetest.SampleInfo, sample, compress))
		if err != nil {
			t.Fatal(err)
		}
		table := opened.(*Table)
		columns := []int{0, 2, len(table.fields) - 1} // several ranges
		for chunk := range table.chunks() {
			var sections [2][][]byte
			for k, unmapped := range []bool{false, true} {
				f, err := table.stamp.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				r := &chunkReader{table: table, window: window{file: f, unmapped: unmapped}}
				err = r.guard(func() error {
					if err := r.load(chunk, columns); err != nil {
						return err
					}
					for _, c := range columns {
						sections[k] = append(sections[k], bytes.Clone(r.raw[c]))
					}
					return nil
				})
				if err != nil || r.window.unmapped != unmapped || len(r.window.maps) > 0 == unmapped {
					t.Errorf("unmapped %v: %v, %d mappings", unmapped, err, len(r.window.maps))
				}
				if err := r.close(); err != nil || len(r.window.maps) > 0 {
					t.Errorf("%v, %d mappings are left", err, len(r.window.maps))
				}
			}
			if !slices.EqualFunc(sections[0], sections[1], bytes.Equal) {
				t.Errorf("chunk %d, compressed %v: other bytes are read than are mapped", chunk, compress)
			}
		}
	}
}

// A file that Linux cannot map is read.
func TestRefusedMapping(t *testing.T) {
	f, err := os.Open("/proc/version")
	if err != nil {
		t.Skip("/proc/version is a file that cannot be mapped: run it on Linux")
	}
	w := window{file: f}
	defer w.close()
	for range 2 {
		list, err := w.open([]run{{from: 3, to: 9}, {from: 0, to: 2}})
		if err != nil || !w.unmapped || len(w.maps) > 0 {
			t.Fatalf("%v, unmapped %v, %d mappings", err, w.unmapped, len(w.maps))
		}
		if !strings.HasPrefix(string(list[0]), "ux") || string(list[1]) != "Li" {
			t.Errorf("%q", list)
		}
	}
}
