package blockstore

import (
	"path/filepath"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// The folder of a Delta or Iceberg table is refused, also by a glob. A file in it that is named explicitly is read.
func TestOpenRefusesTables(t *testing.T) {
	dir := t.TempDir()
	part := filetest.FileIn(t, dir, "delta/k=1/part.csv", "x\n1\n")
	filetest.FileIn(t, dir, "delta/_delta_log/00.json", "{}")
	filetest.FileIn(t, dir, "lake/iceberg/data/part.csv", "x\n1\n")
	filetest.FileIn(t, dir, "lake/iceberg/metadata/v1.metadata.json", "{}")
	for path, kind := range map[string]string{"delta": "Delta", "delta/k=1": "Delta", "delta/**/*.csv": "Delta", "lake": "Iceberg", "lake/*/data/*.csv": "Iceberg"} {
		mustContain(t, openError(t, Options{}, filepath.Join(dir, filepath.FromSlash(path))), "table of "+kind, "DuckDB")
	}
	if got := numbersOf(t, mustOpen(t, Options{}, part)); len(got) != 1 || got[0] != 1 {
		t.Error(got)
	}
}
