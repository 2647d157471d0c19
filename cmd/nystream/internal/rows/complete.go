package rows

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
)

// CompleteColumns completes names of columns of the data files on a command line, also behind a comma. Shells then
// offer files.
func (d *DataFlags) CompleteColumns(cmd *cobra.Command, args []string, typed string) (names []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for _, path := range slices.Backward(args) { // a model may come first
		for _, c := range d.columnsOf(cmd.Context(), path) {
			if name := before + c.Name; strings.HasPrefix(name, typed) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			break
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// columnsOf returns the columns of a local file, nil if they are not known within a second. Of text it reads the first lines.
func (d *DataFlags) columnsOf(ctx context.Context, path string) []blockstore.ColumnInfo {
	if path == "-" || blockstore.IsRemote(path) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	o := blockstore.Options{Layout: d.Layout, Format: d.Format, Array: d.array}
	if f, err := os.Open(path); err == nil && blockstore.NamesText(path) {
		defer f.Close()
		if format := blockstore.OutputFormat(path); o.Format == "" && slices.Contains(blockstore.Formats(), format) {
			o.Format = format
		}
		o.Live, o.Reader, path = true, f, "-"
	}
	columns, _, _ := blockstore.Columns(ctx, []string{path}, o)
	return columns
}
