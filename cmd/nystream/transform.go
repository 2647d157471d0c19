package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
)

// transformCommand is one command line of transform.
type transformCommand struct {
	application
	side  model.Side
	scale word // --coordinates
	shard shard
}

func newTransformCommand(a *app) *cobra.Command {
	t := &transformCommand{application: application{app: a}}
	cmd := &cobra.Command{
		Use:   "transform MODEL DATA... -o OUT",
		Short: "Embed rows, seen or new, with a model",
		Long: `Embed the rows of DATA with a model: a row of u0, u1, … for each, in their order,
and after them the columns named by --label and --keep. Rows are chosen, cleaned
and scaled as the model says. The format of OUT is that of its extension.

Columns of low-rank models are scores, U·√values: their inner products approximate the
kernel. Of pca they are the principal components. With --coordinates orthonormal they
are U, whose columns are orthonormal over the rows of the fit.

With an s3spsd model a row counts as a landmark of the fit only at its own row
number, so that a shuffled copy embeds its landmark rows slightly differently. With
landmark and ssrsvd models an embedding does not depend on the position.

For a ksvd model of a graph DATA is a file of edges, read as for the fit: its nodes are
embedded, in the order of the file as in the fit, by their edges to the nodes that the
model knows (--side left) or by the edges from these (right). Degrees, if weights are
divided by them, are those of DATA, which should be the whole graph then. A ksvd model
of the rows and columns of a matrix embeds columns, one to a row of DATA, with --side
right: they are taken as they are, not scaled.

For an ism model the new columns are xw0, xw1, …: the rows of XW. For an askls model
they are decision0, decision1, …, one for each class in the order that inspect shows;
nystream predict writes the classes themselves.

For an operator model they are its functions left0, left1, … or right0, …, of complex ones
all real parts left0_re, … and then all imaginary parts left0_im, …. Where the spaces of x
and y differ, DATA are rows like those of --with for --side left, and like X for right.

Several machines share the rows with --shard 3/8: one after the other, the outputs of all
shards are the output of one run.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeModelThenData,
		RunE:              func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args) },
	}
	t.add(cmd, outputExtensions)
	addCoordinates(cmd, &t.scale)
	cmd.Flags().Var(&t.shard, "shard", "embed one part of the rows, such as 3/8")
	addChoice(cmd, &t.side, "side", "for a model with two factors, the one to compute", []model.Side{model.Left, model.Right}, "U", "V")
	return cmd
}

// transformResult is what transform prints as JSON.
type transformResult struct {
	*rowsResult
	Columns int `json:"columns"`
	Kept    int `json:"kept_columns"`
}

func (t *transformCommand) run(ctx context.Context, args []string) error {
	if err := t.check(args); err != nil {
		return err
	}
	f, m, err := readTransformer(args[0])
	if err != nil {
		return err
	}
	r, err := requestOf(m, t.side, t.scale, t.cmd.Flags().Changed("coordinates"))
	if err != nil {
		return err
	}
	names, err := r.Names(m)
	if err != nil {
		return usagef("--side %v: %w", t.side, err)
	}
	t.mode = openMode(t.shard.of > 0)
	rows, err := f.open(ctx, &t.application, m, t.side, args[1:])
	if err != nil {
		return err
	}
	defer rows.close()
	if info := rows.source.Info(); t.shard.of > 0 && info.Rows < 0 {
		return usagef("--shard: the number of rows of %s is not known: write it to a file first, with nystream convert", info.Name)
	}
	written, err := t.write(ctx, f, m, rows, &rowsAnswer{request: r, columns: names}, t.shard)
	if err != nil {
		return err
	}
	result := &transformResult{written, len(names), len(rows.fields)}
	return t.printRows(written, result, func(out *show.Text) {
		out.Add("columns", "%d of the embedding, %d kept", result.Columns, result.Kept)
	})
}

func (t *transformCommand) check(args []string) error {
	if len(args) < 2 {
		return usagef("transform needs a model and data: nystream transform m.npz data.parquet -o out.parquet")
	}
	if t.output == "" {
		return usagef("-o is missing: the output file, such as -o out.parquet")
	}
	if t.data.keeps() && t.formatOf(t.output) == "npy" {
		return usagef("-o %s: an NPY file holds one matrix of numbers and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --label and --keep", t.output)
	}
	if err := t.data.check(); err != nil {
		return err
	}
	return t.checkOutput("-o", t.output, outputExtensions, args)
}
