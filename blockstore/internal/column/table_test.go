package column_test

import (
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// brokenTable panics when columns are chosen, as a library may on damaged input.
type brokenTable struct{ column.TableInfo }

func (t *brokenTable) Source(column.Choice) (stream.Gatherer, error) { panic("index out of range") }

func TestChooseIsGuarded(t *testing.T) {
	_, err := column.Choose(&brokenTable{column.TableInfo{Path: "a.parquet"}}, nil, nil)
	filetest.WantError(t, err, "a.parquet: the reader failed")
}
