package verb

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// demoCommand holds the flags of one run of demo.
type demoCommand struct {
	app  *app.App
	root func(a *app.App) *cobra.Command
	rows int64
	dir  string
	csv  string
	set  *flags.Set
}

const (
	minDemoRows = 2000
	DemoNewRows = 5000 // held out from the fit
)

// NewDemo returns the verb that generates rows, and fits, verifies and applies a model of them. root makes the commands
// that it runs, so that they are parsed as a user's are.
func NewDemo(a *app.App, root func(a *app.App) *cobra.Command) *cobra.Command {
	d := &demoCommand{app: a, root: root}
	cmd := &cobra.Command{
		Use:     "demo",
		GroupID: flags.MoreGroup,
		Args:    cobra.NoArgs,
		RunE:    d.run,
	}
	d.set = flags.New(cmd)
	d.set.Add(
		flags.Flag{Name: "rows", Arg: "number", Usage: "rows to make for the fit", First: true, Value: flags.Int64(&d.rows, 200000)},
		flags.Flag{Name: "dir", Arg: "folder", Usage: "folder for the files", Group: flags.Output, First: true, Effect: flags.Writes, Value: flags.String(&d.dir, "nystream-demo"), Complete: flags.Folders},
		flags.Flag{Name: "csv", Arg: "folder", Usage: "folder for train.csv and test.csv of synthetic letters", Group: flags.Output, Effect: flags.Writes, Value: flags.String(&d.csv, ""), Complete: flags.Folders},
	)
	return cmd
}

func (d *demoCommand) path(name string) string { return filepath.Join(d.dir, name) }

// run generates knot.parquet and new.parquet, runs three commands on them, and draws what they found. It stops at the
// first command that fails.
func (d *demoCommand) run(cmd *cobra.Command, _ []string) error {
	if d.csv != "" {
		return d.writeLetters(d.csv)
	}
	if d.rows < minDemoRows {
		return flags.Usagef("--rows %d: the demo needs at least %d", d.rows, minDemoRows)
	}
	if err := os.MkdirAll(d.dir, 0o777); err != nil {
		return flags.Usagef("--dir %v", err)
	}
	ctx, k := cmd.Context(), newKnot(d.app.Seed)
	data, unseen, model, embedded := d.path("knot.parquet"), d.path("new.parquet"), d.path("knot.npz"), d.path("new-embedding.parquet")
	if err := k.write(ctx, data, 0, d.rows); err != nil {
		return err
	}
	if err := k.write(ctx, unseen, d.rows, DemoNewRows); err != nil {
		return err
	}
	var globals []string
	d.set.VisitGiven(func(f *flags.Flag) {
		if f.Group == flags.Global {
			globals = append(globals, f.Word())
		}
	})
	d.say("%s rows along a knot in %d columns: %s", report.Count(d.rows), knotDimension, data)
	for _, command := range [][]string{
		{"fit", "landmark", data, "--kernel", "rbf(gamma=2)", "--rank", "60", "--label", "lobe", "--keep", "phase", "-o", model},
		{"verify", model, data, "--error", "sampled", "--sample", "1500"},
		{"transform", model, unseen, "--label", "lobe", "--keep", "phase", "-o", embedded},
	} {
		command = append(command, globals...)
		d.say("\n%s", report.ShellLine(append([]string{"nystream"}, command...)))
		if err := d.runCommand(ctx, command); err != nil {
			return err
		}
	}
	if err := d.draw(ctx, unseen, embedded); err != nil {
		return err
	}
	d.say("\ntwo of the columns, and the knot opened to a ring by two columns of U: %s", d.path("embedding.svg"))
	return nil
}

// say prints a line between the reports, unless these are JSON.
func (d *demoCommand) say(format string, args ...any) {
	if !d.app.JSON() {
		fmt.Fprintf(d.app.Out, format+"\n", args...)
	}
}

// runCommand runs a command line of this program.
func (d *demoCommand) runCommand(ctx context.Context, args []string) error {
	inner := app.New(ctx, d.app.In, d.app.Out, d.app.Err)
	defer func() {
		inner.Progress.End()
		_ = inner.Session.Close()
	}()
	root := d.root(inner)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// draw draws the held-out rows twice: by two of their columns, and by two columns of their embedding.
func (d *demoCommand) draw(ctx context.Context, unseen, embedded string) error {
	x, err := readColumns(ctx, unseen, "x0", "x1")
	if err != nil {
		return err
	}
	u, err := readColumns(ctx, embedded, "u1", "u2", "phase")
	if err != nil {
		return err
	}
	place := &chart.Shades{Name: "true place along the knot, degrees", Values: matrix.Column(u, 2)}
	sheet := &chart.Sheet{Title: "A knot, and what the model found of it", Charts: []chart.Chart{
		&chart.Points{Title: "What goes in: two of the 20 columns", X: "x0", Y: "x1", At: chart.XYs(matrix.Column(x, 0), matrix.Column(x, 1)), Shades: place, OneScale: true},
		&chart.Points{Title: "What the model found: two columns of U", X: "u1", Y: "u2", At: chart.XYs(matrix.Column(u, 0), matrix.Column(u, 1)), Shades: place, OneScale: true},
	}}
	path := d.path("embedding.svg")
	svg, err := sheet.Encode(path)
	if err != nil {
		return err
	}
	return blockstore.WriteFile(path, svg)
}

// readColumns reads a few columns of a file.
func readColumns(ctx context.Context, path string, names ...string) (blas64.General, error) {
	src, err := blockstore.Open(ctx, []string{path}, blockstore.Options{Columns: names})
	if err != nil {
		return blas64.General{}, err
	}
	return stream.ReadAll(ctx, src)
}

// A knot in the planes of 4 orthonormal directions: it makes two turns in the first plane and three in the second.
// Positions along it are in degrees.
const (
	knotDimension = 20
	knotNoise     = 0.02 // standard deviation; the knot has radius √2
	knotLobes     = 3
	goldenTurn    = math.Phi - 1
)

// knot generates the rows of the demo. A row depends on the seed and its number alone, so that the rows of the fit and
// the new ones continue one sequence.
type knot struct {
	frame  blas64.General // 4×knotDimension, orthonormal rows
	stream sketch.Random
}

func newKnot(seed uint64) *knot {
	k := &knot{frame: matrix.New(4, knotDimension), stream: sketch.NewRandom(seed, "demo rows")}
	draws := sketch.NewRandom(seed, "demo rotation").At(0)
	for i := range k.frame.Data {
		k.frame.Data[i] = draws.Normal()
	}
	// Gram-Schmidt once is enough: four random directions in 20 dimensions are far from dependent.
	for i := range k.frame.Rows {
		v := k.direction(i)
		for j := range i {
			u := k.direction(j)
			blas64.Axpy(-blas64.Dot(u, v), u, v)
		}
		blas64.Scal(1/blas64.Nrm2(v), v)
	}
	return k
}

func (k *knot) direction(i int) blas64.Vector {
	return blas64.Vector{N: knotDimension, Inc: 1, Data: k.frame.Data[i*k.frame.Stride:][:knotDimension]}
}

// row stores row i in x, and returns its position along the knot. It does not depend on earlier rows.
func (k *knot) row(i uint64, x []float64) (phase float64) {
	draws := k.stream.At(i)
	turn := math.Mod(float64(i)*goldenTurn, 1)
	for j := range x {
		x[j] = knotNoise * draws.Normal()
	}
	v := blas64.Vector{N: len(x), Inc: 1, Data: x}
	for j, frequency := range []float64{2, 3} {
		sin, cos := math.Sincos(2 * math.Pi * frequency * turn)
		blas64.Axpy(cos, k.direction(2*j), v)
		blas64.Axpy(sin, k.direction(2*j+1), v)
	}
	return 360 * turn
}

// write writes r rows from number first on, each with its lobe and its position.
func (k *knot) write(ctx context.Context, path string, first, r int64) error {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: rows.Numbered("x", knotDimension), Rows: r,
		Kept: []stream.Field{{Name: "lobe", Kind: stream.Int64}, {Name: "phase", Kind: stream.Float64}}})
	if err != nil {
		return err
	}
	defer w.Abort() // no-op after Commit
	const block = 1 << 12
	x := matrix.New(block, knotDimension)
	for done := int64(0); done < r; done += block {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n := int(min(block, r-done))
		lobes, phases := make([]int64, n), make([]float64, n)
		for i := range n {
			phases[i] = k.row(uint64(first+done)+uint64(i), x.Data[i*x.Stride:][:knotDimension])
			lobes[i] = int64(phases[i] * knotLobes / 360)
		}
		kept := []stream.Column{{Kind: stream.Int64, Ints: lobes}, {Kind: stream.Float64, Floats: phases}}
		if err := w.Write(&stream.Batch{X: x, Kept: kept}, n); err != nil {
			return err
		}
	}
	return w.Commit()
}
