package tilesize_test

import (
	"fmt"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// A worker folds a block panel by panel, so that what it makes of the rows stays in cache.
func Example() {
	block := &stream.Block{X: stream.NewMatrix(2500, 3)}
	for first, x := range block.Panels(tilesize.PanelRows) {
		fmt.Println("rows from", first, "on:", x.Rows)
	}
	// Output:
	// rows from 0 on: 1024
	// rows from 1024 on: 1024
	// rows from 2048 on: 452
}
