package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/ksvd"
)

// ksvdName is the method of fit that has two sides and its own kind of model.
const ksvdName = ksvd.Name

const ksvdShort = "SVD of an asymmetric kernel matrix: rows against columns, queries against keys, directed graphs (Tao et al. 2023)"

const ksvdLong = `Approximate G by U·diag(values)·Vᵀ, where G_ij is the kernel between row i of one side
and row j of the other, and need not be symmetric: sne, t and softmax are divided by
their row sums, kl is a divergence. What the sides are:

    DATA...                 the rows and the columns of one matrix, in memory. --compat
                            brings them to one length
    DATA... --right KEYS... the rows of two sources; name DATA again for its rows
                            against themselves
    --graph edges.csv       a directed graph: the edges out of a node against those
                            into a node. A line is source, target and perhaps a weight,
                            ids are integers or text; Matrix Market too. --columns names
                            source and target

Methods: exact (block Krylov iteration on all entries, or on the paths of two edges of a
sparse graph, whichever is less work), nystrom (asymmetric Nyström method: --sample rows
and columns; --tol doubles the samples until singular vectors are that good), ssrsvd (one
pass, for symmetric kernels of dense rows). Auto is nystrom if one of its flags is given
or G has more than 400,000,000 entries, and exact otherwise.

Rows of factors are in the order of the data. Those of a graph are in the order of
--nodes, then ascending ids if all are integers, else in the order of the file; the
column node of a .parquet, .arrow, .csv, .tsv or .nys file has the ids.`

// ksvdCommand is one command line of fit ksvd, or of plan fit ksvd.
type ksvdCommand struct {
	*app
	data  dataFlags
	rows  preparationFlags
	graph graphFlags
	right []string // files of the right source

	kernel                                   string
	rank                                     int
	method, compat, sums, landmarks, scaling choice
	sample                                   []int // of rows, and of columns if there are two
	tolerance                                float64
	centre                                   bool
	output, left, other                      string // the model, files for U and V
	planning                                 bool
	changed                                  func(flag string) bool // whether it was given
}

func newKSVDCommand(a *app, planning bool) *cobra.Command {
	c := &ksvdCommand{app: a, planning: planning}
	cmd := &cobra.Command{
		Use:               ksvdName + " DATA... [--right KEYS...] | --graph EDGES",
		Short:             ksvdShort,
		Long:              ksvdLong,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeData,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.addFlags(cmd)
	c.graph.add(cmd)
	c.data.add(cmd, allArgs)
	c.rows.add(cmd)
	c.changed = cmd.Flags().Changed
	return cmd
}

func (c *ksvdCommand) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.kernel, "kernel", "", "`kernel` such as 'sne(gamma=2)', 'softmax(scale=1/sqrt(d))' or 'kl(a=1)'; nystream help kernels lists them")
	mustRegister(cmd.RegisterFlagCompletionFunc("kernel", completeKernels))
	f.IntVar(&c.rank, "rank", 0, "`number` of columns of U and of V; also --n-components")
	f.StringSliceVar(&c.right, "right", nil, "`files` whose rows are the right side; repeat it or use commas for several")
	completeFiles(cmd, dataExtensions, "right")
	addChoice(cmd, &c.method, "method", "how G is decomposed", "auto", "exact", "nystrom", "ssrsvd")
	f.IntSliceVar(&c.sample, "sample", nil, "`number` of rows that nystrom samples, and of columns; N,M for two numbers; 20 times the rank if not given")
	f.Float64Var(&c.tolerance, "tol", 0, "`error` of the singular vectors, from 0 to 2, until which nystrom doubles its samples, such as 0.01")
	f.BoolVar(&c.centre, "center", false, "take the means of rows and columns away from G, for new rows too")
	addChoice(cmd, &c.sums, "sums", "row sums of normalised kernels, and means: exact goes over all entries (over the paths of a graph), sampled over the samples of nystrom",
		ksvd.SumsAuto.String(), ksvd.SumsExact.String(), ksvd.SumsSampled.String())
	addChoice(cmd, &c.landmarks, "landmarks", "how nystrom samples, leverage with one more pass over each side", ksvd.ChoiceUniform.String(), ksvd.ChoiceLeverage.String())
	addChoice(cmd, &c.scaling, "scaling", "length of the singular vectors of nystrom; unit and orthonormal take one more pass over each side, and orthonormal is the most accurate",
		ksvd.ScaleDerived.String(), ksvd.ScaleUnit.String(), ksvd.ScaleOrthonormal.String())
	addChoice(cmd, &c.compat, "compat", "how the rows and columns of one matrix are brought to one length; auto is identity for a square matrix and else pinv",
		"auto", ksvd.CompatIdentity.String(), ksvd.CompatPseudoInverse.String(), ksvd.CompatPCA.String(), ksvd.CompatRandom.String())
	addModelFlag(cmd, &c.output)
	addFactorFlag(cmd, &c.left, "left-factors", "write U, one row per row of the left side,")
	addFactorFlag(cmd, &c.other, "right-factors", "write V, one row per row of the right side,")
}

// run does what the command line asks for.
func (c *ksvdCommand) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	j, err := c.newJob()
	if err != nil {
		return err
	}
	return runFit(ctx, c.app, j, args, c.planning)
}
