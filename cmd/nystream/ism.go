package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/ism"
)

// ismName is the method of fit that finds a subspace of the columns.
const ismName = ism.MethodName

const ismShort = "dimensions that can be read: a subspace W of the columns for which a kernel of XW depends most on labels or clusters (Wu et al. 2019)"

const ismLong = `Find W, orthonormal columns over those of the data, that maximises Tr(Γ·K) for the
kernel K between the rows of XW. nystream transform gives XW; the report names the
columns of the data that weigh most in each new one. What Γ is made of:

    supervised      --label: classes, or several columns of 0 and 1; or --target: real
                    numbers, compared by --target-kernel
    unsupervised    nothing: --clusters clusters and W are found together
    semisupervised  --scores, numbers that are alike for rows that belong together, with
                    weight --mu beside the clusters
    alternative     --given-label: the clusters differ from these classes, with --mu

Labels, targets and scores are columns of DATA (by name, or by number from 0), which
then are not computed with, or files with a row for each row of DATA: a name that ends
like a data file and has one. Labels may be text. Beside clusters a --label is only
compared with them.

Kernels are those of nystream help kernels that have a derivative by x·y or r² of the
rows of XW: linear, poly, rbf, gaussian, matern32, matern52, rq, cauchy, imq, expdot,
squared, multiquadratic, multiquadric and relative. They are added, with weights, as in
'gaussian(sigma=median) + 0.01*poly(degree=3, gamma=1, coef0=1)'; --weights leaves the
weights to the data, to each kernel's own alignment with the labels (independent) or to
that of the sum (aligned).

Engines: exact visits all pairs of rows, linear makes one pass for each W, with
landmarks instead of the kernel; auto chooses by what they would cost. Columns are
scaled to mean 0 and standard deviation 1 unless --scale says otherwise.`

// ismCommand is one command line of fit ism, or of plan fit ism.
type ismCommand struct {
	*app
	data dataFlags // its label is what the flag --label says, and read by task
	rows preparationFlags
	task ismTaskFlags

	kernel           string
	with             choice // engine
	weights          choice
	dim              int
	tolerance, angle float64
	iterations       int
	landmarks        int
	output           string // the model
	clusters, plot   string // files for the clusters of the rows, and for a picture
	planning         bool
	changed          func(flag string) bool // whether it was given
}

func newISMCommand(a *app, planning bool) *cobra.Command {
	c := &ismCommand{app: a, planning: planning}
	cmd := &cobra.Command{
		Use:               ismName + " DATA... --label COLUMN",
		Short:             ismShort,
		Long:              ismLong,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeData,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.addFlags(cmd)
	c.data.add(cmd, allArgs)
	c.rows.add(cmd)
	c.task.add(cmd, &c.data)
	// The paper's data is centred and scaled, and its distances mean little if not.
	scale := cmd.Flags().Lookup("scale")
	mustRegister(scale.Value.Set("standard"))
	scale.DefValue = "standard"
	c.changed = cmd.Flags().Changed
	return cmd
}

func (c *ismCommand) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.kernel, "kernel", "gaussian(sigma=median)", "`kernel` between rows of XW, of those above")
	mustRegister(cmd.RegisterFlagCompletionFunc("kernel", completeSmoothKernels))
	f.IntVar(&c.dim, "dim", 0, "`number` of columns of W; that of the classes or clusters if not given")
	addChoice(cmd, &c.with, "engine", "how sums over pairs of rows are worked out", ism.EngineAuto.String(), ism.EngineExact.String(), ism.EngineLinear.String())
	addChoice(cmd, &c.weights, "weights", "weights of the kernels of a sum", ism.Given.String(), ism.Independent.String(), ism.Aligned.String())
	f.Float64Var(&c.tolerance, "tol", 0.01, "relative `change` of the eigenvalues at which the iteration ends")
	f.Float64Var(&c.angle, "angle", 0.01, "largest `angle` in radians between subspaces at which the iteration ends")
	f.IntVar(&c.iterations, "iterations", 50, "most `number` of W to try for one set of clusters")
	f.IntVar(&c.landmarks, "landmarks", 300, "most `number` of landmarks of --engine linear")
	addModelFlag(cmd, &c.output)
	addFactorFlag(cmd, &c.clusters, "clusters-output", "write the cluster of each row")
	f.StringVar(&c.plot, "plot", "", "draw the first two columns of XW, coloured by label or cluster, to `file`, .svg")
	completeFiles(cmd, plotExtensions, "plot")
}

var plotExtensions = []string{"svg"}

// run does what the command line asks for.
func (c *ismCommand) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	j, err := c.newJob(ctx, args)
	if err != nil {
		return err
	}
	return runFit(ctx, c.app, j, args, c.planning)
}
