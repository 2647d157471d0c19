package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/pixels"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

func newTransportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "transport",
		Short: "Move colours of a picture to those of another",
		Long: `What optimal transport is good for besides fit transport, which moves the rows of files:
the colours of a picture to those of another.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("transport needs to know what to move: nystream transport colors SRC DST -o out.png")
			}
			return usagef("%q is nothing that transport moves; there is colors%s; for rows of files see nystream fit transport --help", args[0], didYouMean(args[0], []string{"colors"}))
		},
	}
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.AddCommand(newColorsCommand(a))
	return cmd
}

// colorsCommand is one command line of transport colors.
type colorsCommand struct {
	*app
	how        transport.Sinkhorn // but for the seed and the memory
	kernelText string
	engine     transport.Engine
	samples    int
	rank       int
	output     string
	given      func(flag string) bool

	kernel kernelgen.Kernel
}

// pictureExtensions are those of pictures that are read, and of one that is written.
var (
	pictureExtensions = []string{"png", "jpg", "jpeg"}
	paintedExtensions = []string{"png"}
)

func newColorsCommand(a *app) *cobra.Command {
	c := &colorsCommand{app: a}
	cmd := &cobra.Command{
		Use:   "colors SRC DST",
		Short: "Give a picture the colours of another one",
		Long: `Give the picture SRC the colours of the picture DST: pixels of both are drawn, the plan of
optimal transport between their colours is found, and each pixel of SRC gets the colour
that the plan moves its own to, on the average. Both may be PNG or JPEG; the result is a PNG
picture of the size, the depth and the transparency of SRC.

    nystream transport colors day.jpg sunset.jpg -o day-at-sunset.png

Red, green and blue count from 0 to 1. The cost of moving a colour is −log of --kernel, so
that 'rbf(gamma=10)' spreads a colour over others at distances about 1/√10 of that scale: a
larger gamma keeps colours apart and gives more contrast, a smaller one mixes them. --map
kernel moves every colour by the kernel, and gradients stay smooth; --map nearest moves a
colour as the nearest one that was drawn, as papers do. --engine exact works with all entries
of the kernel between the colours drawn, in the domain of logarithms.

Transparent pixels count by their opacity, and keep it.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.FixedCompletions(pictureExtensions, cobra.ShellCompDirectiveFilterFileExt),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	a.addFlagsLater(cmd, func() {
		f := cmd.Flags()
		c.given = f.Changed
		f.StringVarP(&c.output, "output", "o", "", "picture `file`, .png")
		completeFiles(cmd, paintedExtensions, "output")
		f.StringVar(&c.kernelText, "kernel", "rbf(gamma=10)", "`kernel` between colours; nystream help kernels lists them")
		a.addCompletion(cmd, completeKernels, "kernel")
		f.IntVar(&c.samples, "samples", 10_000, "`number` of pixels to draw from each picture; all of them where there are fewer")
		addChoice(cmd, &c.engine, "engine", "what sums over the kernel are made of", []transport.Engine{transport.EngineLowRank, transport.EngineExact})
		f.IntVar(&c.rank, "rank", 100, "`rank` of the kernel of --engine lowrank; also --n-components")
		f.IntVar(&c.how.Rounds, "rounds", 100, "most `number` of rounds of Sinkhorn's iteration")
		f.Float64Var(&c.how.Tolerance, "tol", 1e-3, "`error` of the masses of colours, summed, at which the iteration ends")
		addChoice(cmd, &c.how.Map, "map", "how colours that were not drawn are moved", []transport.Mapping{transport.MapKernel, transport.MapNearest}, "by the kernel", "as the nearest one drawn")
	})
	return cmd
}

// check refuses command lines that contradict themselves.
func (c *colorsCommand) check(args []string) error {
	err := refuse([]contradiction{
		{len(args) != 2, "transport colors takes two pictures: nystream transport colors SRC DST -o out.png"},
		{c.output == "", "-o is missing: the picture to write, such as -o out.png"},
		{c.samples < 1, "--samples must be at least 1"},
		{c.rank < 1, "--rank must be at least 1"},
		{c.given("rank") && c.engine == transport.EngineExact, "--rank is for --engine lowrank"},
		{c.how.Rounds < 1, "--rounds must be at least 1"},
		{!(c.how.Tolerance > 0 && c.how.Tolerance <= math.MaxFloat64), "--tol must be above 0, such as 1e-3"},
	})
	if err != nil {
		return err
	}
	if c.kernel, err = kernelgen.Parse(c.kernelText); err != nil {
		return &usageError{err}
	}
	return c.checkOutput("-o", c.output, paintedExtensions, args)
}

// method returns what finds the plan between m and n colours. Of few colours no more than
// all directions are to be found.
func (c *colorsCommand) method(m, n int64) transport.Method {
	s := c.how
	s.Seed, s.Memory, s.Neighbours = c.seed, int64(c.memory), c.samples
	if c.engine == transport.EngineExact {
		return transport.Exact{Sinkhorn: s}
	}
	return transport.LowRank{Sinkhorn: s, Rank: int(min(int64(c.rank), m, n))}
}

func (c *colorsCommand) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	var files [2]*pixels.File
	for i, path := range args {
		var err error
		if files[i], err = pixels.Open(path); err != nil {
			return fromData(err)
		}
	}
	method := c.method(c.drawn(files[0]), c.drawn(files[1]))
	if err := c.checkFit(method, files); err != nil {
		return err
	}
	source, err := files[0].Decode()
	if err != nil {
		return fromData(err)
	}
	d, err := c.colours(ctx, source, files[1])
	if err != nil {
		return err
	}
	f, err := method.Fit(ctx, c.app.engine(), d, c.kernel)
	if err != nil {
		return err
	}
	painted, err := c.paint(ctx, f, source)
	if err != nil {
		return err
	}
	if err := blockstore.WriteFile(c.output, painted); err != nil {
		return err
	}
	c.notes(f.Notes)
	return c.report(f, files)
}

// drawn returns how many pixels are drawn from a picture.
func (c *colorsCommand) drawn(f *pixels.File) int64 { return min(int64(c.samples), f.Pixels()) }

// checkFit refuses what does not fit into --memory.
func (c *colorsCommand) checkFit(method transport.Method, files [2]*pixels.File) error {
	s := model.Shape{Rows: c.drawn(files[0]), Cols: c.drawn(files[1]), Columns: len(pixels.Columns), Weighted: true}
	p, err := method.Plan(c.app.engine(), s, c.kernel)
	if err != nil {
		return &usageError{err}
	}
	c.addPictures(&p.Memory, files[0].Bytes()+files[1].Bytes())
	p.Memory.Add("colours drawn", (s.Rows+s.Cols)*int64(s.Columns+1), "`samples`")
	return c.checkBudget(&p.Memory)
}

func (c *colorsCommand) addPictures(b *stream.Budget, bytes int64) {
	b.Items = append(b.Items, stream.BudgetItem{What: "pictures", Bytes: bytes, Knob: "it by making them smaller"})
}

// colours draws pixels of both pictures. Of the target no more is kept.
func (c *colorsCommand) colours(ctx context.Context, source *pixels.Picture, to *pixels.File) (*transport.Data, error) {
	target, err := to.Decode()
	if err != nil {
		return nil, fromData(err)
	}
	d := &transport.Data{}
	for _, side := range []struct {
		picture *pixels.Picture
		purpose string
		rows    *stream.Source
		weights *[]float64
	}{{source, "source pixels", &d.Left, &d.LeftWeights}, {target, "target pixels", &d.Right, &d.RightWeights}} {
		s, err := sketch.NewSample(side.picture.Pixels(), int(c.drawn(side.picture.File)), c.seed, side.purpose)
		if err != nil {
			return nil, err
		}
		rows, err := stream.GatherRows(ctx, side.picture.Rows(), s.Positions())
		if err != nil {
			return nil, err
		}
		*side.rows, *side.weights = stream.FromMatrix(side.picture.Path, rows), side.picture.Opacities(s.Positions())
	}
	return d, nil
}

// paint returns the file of the source picture in the colours that the plan moves its own to.
func (c *colorsCommand) paint(ctx context.Context, f *transport.Fit, source *pixels.Picture) ([]byte, error) {
	p := f.TransformPlan(c.app.engine(), model.Left, source.Rows())
	c.addPictures(&p.Memory, source.Bytes()+source.PaintedBytes())
	if err := c.checkBudget(&p.Memory); err != nil {
		return nil, err
	}
	canvas := source.Canvas()
	err := f.Transform(ctx, c.app.engine(), model.Left, source.Rows(), false, func(b *stream.Block, colours blas64.General) error {
		canvas.Paint(b.Start, colours)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return canvas.PNG()
}

// colorsResult is what transport colors prints as JSON.
type colorsResult struct {
	Source        string       `json:"source"`
	Target        string       `json:"target"`
	Width         int          `json:"width"` // of the source and of the result
	Height        int          `json:"height"`
	SourceSamples int64        `json:"source_samples"`
	TargetSamples int64        `json:"target_samples"`
	Kernel        string       `json:"kernel"`
	Engine        string       `json:"engine"`
	Rank          int          `json:"rank,omitempty"`
	Map           string       `json:"map"`
	Rounds        int          `json:"rounds"`
	Converged     bool         `json:"converged"`
	MarginalError show.Number  `json:"marginal_error"` // of the masses of colours, summed
	Cost          *show.Number `json:"cost,omitempty"`
	Errors        []fitError   `json:"errors,omitempty"`
	KernelEntries int64        `json:"kernel_entries"` // of the fit
	Seconds       show.Number  `json:"seconds"`
	PeakRSSBytes  int64        `json:"peak_rss_bytes"`
	Seed          uint64       `json:"seed"`
	Notes         []string     `json:"notes"`
	Output        string       `json:"output"`
}

// report prints what is known of a result.
func (c *colorsCommand) report(f *transport.Fit, files [2]*pixels.File) error {
	r := &colorsResult{Source: files[0].Path, Target: files[1].Path, Width: files[0].Width, Height: files[0].Height,
		SourceSamples: c.drawn(files[0]), TargetSamples: c.drawn(files[1]), Kernel: f.Kernel.String(), Engine: f.Engine.String(), Map: f.Mapping().String(),
		Rounds: f.Rounds, Converged: !f.Unsettled, MarginalError: show.Number(f.MarginalError()), Cost: show.Optional(f.Cost), KernelEntries: f.KernelEntries,
		Seconds: show.Number(c.seconds()), PeakRSSBytes: peakRSS(), Seed: c.seed, Notes: c.sentences(f.Notes), Output: c.output}
	if f.Factors != nil {
		r.Rank = len(f.Factors.Values)
	}
	r.Errors = c.app.fitErrors(&f.Report)
	return c.print(r, r.text(files))
}

// text returns the result for people.
func (r *colorsResult) text(files [2]*pixels.File) *show.Text {
	t := &show.Text{Title: fmt.Sprintf("%s in the colours of %s", r.Source, r.Target)}
	t.Add("pictures", "%d × %d and %d × %d pixels", r.Width, r.Height, files[1].Width, files[1].Height)
	t.Add("drawn", "%s and %s pixels, moved by %s", show.Count(r.SourceSamples), show.Count(r.TargetSamples), r.Kernel)
	engine := r.Engine
	if r.Rank > 0 {
		engine += fmt.Sprintf(", rank %d", r.Rank)
	}
	t.Add("engine", "%s; other pixels: %s", engine, map[string]string{"kernel": "by the kernel", "nearest": "as the nearest one drawn"}[r.Map])
	t.Add("rounds", "%d, masses of colours %.2g off", r.Rounds, float64(r.MarginalError))
	if r.Cost != nil {
		t.Add("cost", "%.6g", float64(*r.Cost))
	}
	addErrors(t, r.Errors)
	t.Add("work", "%s kernel entries, %s, peak memory %s", show.Count(r.KernelEntries), show.Seconds(float64(r.Seconds)), show.Bytes(r.PeakRSSBytes))
	t.Add("picture", "%s", r.Output)
	return t
}
