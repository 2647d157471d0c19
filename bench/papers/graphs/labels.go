package graphs

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"

	"github.com/nystream/nystream/blockstore/graph"
)

// readLabels reads the classes of the nodes of a graph: a CSV file with a header, the
// column of nodes first (or called node, id or name) and the column "label", or the
// second one without it. Classes are any words.
func readLabels(ctx context.Context, path string) (nodes, classes []string, err error) {
	if nodes, err = graph.ReadNodes(ctx, path, "", ""); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(records) != len(nodes)+1 || len(records[0]) < 2 {
		return nil, nil, fmt.Errorf("%s: expected a header, %d lines of nodes, and a column of labels", path, len(nodes))
	}
	column := max(1, slices.Index(records[0], "label"))
	for _, r := range records[1:] {
		classes = append(classes, r[column])
	}
	return nodes, classes, nil
}
