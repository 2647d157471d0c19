package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// drawFlags are the flags of pictures and reports.
type drawFlags struct {
	plot, report string // files
}

func (d *drawFlags) add(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "plot", Arg: "file", Usage: "draw the fit, ." + strings.Join(picture.Extensions, " or ."), Group: flags.Output, First: true, Effect: flags.Writes,
			Value: flags.String(&d.plot, ""), Complete: flags.Completion{Extensions: picture.Extensions}},
		flags.Flag{Name: "report", Arg: "file", Usage: "page about the fit, with pictures, .html", Group: flags.Output, Effect: flags.Writes,
			Value: flags.String(&d.report, ""), Complete: flags.Completion{Extensions: reportExtensions}},
	)
}

var reportExtensions = []string{"html", "htm"}

// wanted reports whether a picture or a report is asked for.
func (d *drawFlags) wanted() bool { return d.plot != "" || d.report != "" }

func (d *drawFlags) outputs() []fileFlag {
	return []fileFlag{{"--plot", d.plot, picture.Extensions, "picture"}, {"--report", d.report, reportExtensions, "report"}}
}

func refusesDrawing(j *job, refuse *flags.Refusals) {
	refuse.If(j.states.stops(), "plot report", "draws a model, and a shard makes none: give it to the fit of all shards")
}

const (
	plotRows    = 2000 // the most rows of a side in a picture
	plotNumbers = 40   // the memory of a row in a picture, in numbers
)

// plotColumns is the most columns of an embedding that are drawn, two to a panel.
const plotColumns = 4

// budget adds the memory of drawing rows with a number of columns.
func (d *drawFlags) budget(p *model.Plan, columns int) {
	if d.wanted() {
		p.Add("rows of pictures", 2*plotRows*int64(columns+plotColumns+plotNumbers), "")
	}
}

// draw writes the picture and the report. The caller commits them.
func draw(ctx context.Context, j *job, m model.Model, r *model.Report) (writers []pathWriter, err error) {
	if !j.draws.wanted() {
		return nil, nil
	}
	sheet := &picture.Sheet{Title: pictureTitle(j, r), Subtitle: j.task.title()}
	if sheet.Charts, err = j.task.charts(ctx, m, r); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		path   string
		encode func() ([]byte, error)
	}{
		{j.draws.plot, func() ([]byte, error) { return sheet.Encode(j.draws.plot) }},
		{j.draws.report, func() ([]byte, error) { return page(j, m, r, sheet) }},
	} {
		if f.path == "" {
			continue
		}
		data, err := f.encode()
		if err != nil {
			return writers, err
		}
		w, err := j.app.session.PrepareFile(f.path, data)
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
	}
	return writers, nil
}

// pictureTitle returns the names of the data files and the error of the fit.
func pictureTitle(j *job, r *model.Report) string {
	title := shownName(j)
	if score := score(j, r); score != "" {
		title += " · " + score
	}
	return title
}

// shownName returns dataName, or "rows" with --provenance=false.
func shownName(j *job) string {
	if !j.app.provenance {
		return "rows"
	}
	return dataName(j)
}

// shownCommand returns the command line, or "" with --provenance=false.
func shownCommand(j *job) string {
	if !j.app.provenance {
		return ""
	}
	return report.ShellLine(append([]string{"nystream"}, j.app.commandLine...))
}

// dataName returns the names of the data files without their folders.
func dataName(j *job) string {
	files := slices.Clone(j.args)
	if len(files) == 0 {
		files = slices.Clone(j.task.inputs())
	}
	const most = 3
	more := ""
	if len(files) > most {
		more = fmt.Sprintf(" and %d more", len(files)-most)
		files = files[:most]
	}
	for i, f := range files {
		if files[i] = filepath.Base(f); f == "-" {
			files[i] = "standard input"
		}
	}
	return strings.Join(files, ", ") + more
}

// score returns the first known estimate of an error, or else the largest residual.
func score(j *job, r *model.Report) string {
	for _, e := range r.Estimates {
		if !math.IsNaN(e.Value) {
			return fmt.Sprintf("error of the %s about %.2g", e.Of, e.Value)
		}
	}
	if len(r.Residuals) > 0 {
		return fmt.Sprintf("residuals up to %.1e", r.Residual())
	}
	return ""
}

// charts returns the spectrum of a model, and rows of each side in the first columns of the embedding.
func (j *job) charts(ctx context.Context, m model.Model, r *model.Report) (list []picture.Chart, err error) {
	d := m.Describe()
	list = addSpectrum(list, d, r)
	t, ok := m.(model.Transformer)
	if !ok {
		return list, nil
	}
	for _, side := range drawnSides(j, d) {
		s, err := sample(ctx, j, side)
		if err != nil {
			return nil, err
		}
		e, err := embedding(ctx, j, t, side, s)
		if err != nil {
			return nil, err
		}
		of := "Rows"
		if j.sides.right != nil {
			of = map[model.Side]string{model.Left: "Left rows", model.Right: "Right rows"}[side]
		}
		groups, shades := j.task.marks(s, side)
		list = append(list, e.panels(of, s.words(), groups, shades)...)
	}
	return list, nil
}

// drawnSides returns the sides whose rows are drawn.
func drawnSides(j *job, d *model.Description) []model.Side {
	switch {
	case j.sides.prepared.left == nil:
		return nil
	case j.sides.prepared.right != nil && d.TwoSided:
		return []model.Side{model.Left, model.Right}
	}
	return []model.Side{model.Left}
}

// addSpectrum adds a chart of the values, if there are any, with the levels of the estimated errors. Values below the
// error in the spectral norm are meaningless.
func addSpectrum(list []picture.Chart, d *model.Description, r *model.Report) []picture.Chart {
	if len(d.Values) == 0 {
		return list
	}
	s := &picture.Spectrum{Title: "Values", X: "number", Y: "value", Values: d.Values}
	largest, frobenius := floats.Norm(d.Values, math.Inf(1)), floats.Norm(d.Values, 2)
	for _, e := range r.Estimates {
		of, drawn := map[model.Quantity]float64{model.MatrixSpectral: largest, model.MatrixFrobenius: frobenius}[e.Of]
		if drawn && !math.IsNaN(e.Value) {
			name := fmt.Sprintf("estimated error of the %s, %.2g", e.Of, e.Value)
			s.Levels = append(s.Levels, picture.Level{Name: name, Value: e.Value * of})
		}
	}
	const far = 1e-3 // residuals below this part of the least value are not drawn
	if len(r.Residuals) > 0 && len(s.Levels) == 0 && r.Residual()*largest > far*math.Abs(d.Values[len(d.Values)-1]) {
		s.Levels = append(s.Levels, picture.Level{Name: fmt.Sprintf("largest residual, %.1e of the largest value", r.Residual()), Value: r.Residual() * largest})
	}
	return append(list, s)
}

// sampled has the rows of a side in pictures: all, or a sample that depends on the seed alone.
type sampled struct {
	numbers []int64 // ascending
	of      int64   // the number of all rows
	columns []string
	rows    blas64.General
	label   *stream.Column // of --label, or nil
}

// words returns the number of sampled rows as the end of a title, "" if they are all.
func (s *sampled) words() string {
	if int64(len(s.numbers)) == s.of {
		return ""
	}
	return fmt.Sprintf(", %s of %s rows", report.Count(int64(len(s.numbers))), report.Count(s.of))
}

// sample fetches sampled rows of a side by number, once.
func sample(ctx context.Context, j *job, side model.Side) (*sampled, error) {
	if s := j.shown[side]; s != nil {
		return s, nil
	}
	rows := j.sides.prepared.left
	if side == model.Right {
		rows = j.sides.prepared.right
	}
	info := rows.Info()
	s := &sampled{of: info.Rows, columns: info.Columns}
	var err error
	if s.numbers, err = plottedRows(j, s.of); err != nil {
		return nil, err
	}
	b := &stream.Batch{X: matrix.New(len(s.numbers), len(info.Columns))}
	if j.data.label != "" && len(info.Kept) > 0 {
		for _, k := range info.Kept {
			b.Kept = append(b.Kept, stream.Column{Kind: k.Kind})
		}
	}
	if err := stream.Gather(ctx, rows, s.numbers, b); err != nil {
		return nil, err
	}
	if s.rows = b.X; b.Kept != nil {
		s.label = &b.Kept[0] // --label is kept first
	}
	j.shown[side] = s
	return s, nil
}

// plottedRows returns the numbers of the sampled rows out of n.
func plottedRows(j *job, n int64) ([]int64, error) {
	s, err := sketch.NewSample(n, int(min(n, plotRows)), j.app.seed, "picture")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// embedded are coordinates of rows, with the names of the first columns, which are drawn.
type embedded struct {
	names []string
	u     blas64.General
}

// embedding transforms the rows of a sample.
func embedding(ctx context.Context, j *job, m model.Transformer, side model.Side, s *sampled) (*embedded, error) {
	r, err := j.request(m, side)
	if err != nil {
		return nil, err
	}
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	u, err := model.TransformMatrix(ctx, j.app.engine(), m, s.rows, r)
	return &embedded{names[:min(plotColumns, len(names))], u}, err
}

// panels returns charts of two columns each, coloured by groups or shades. A title has the words of the rows and of the
// size of the sample.
func (e *embedded) panels(of, shown string, groups *picture.Groups, shades *picture.Shades) (list []picture.Chart) {
	for k := 0; k < len(e.names) && (k == 0 || k+1 < len(e.names)); k += 2 {
		p := &picture.Points{X: e.names[k], Groups: groups, Shades: shades}
		if k+1 < len(e.names) {
			p.Y, p.At = e.names[k+1], pairs(matrix.Column(e.u, k), matrix.Column(e.u, k+1))
			p.Title = fmt.Sprintf("%s in columns %s and %s%s", of, p.X, p.Y, shown)
		} else {
			p.Y, p.At = heights(matrix.Column(e.u, k), groups)
			p.Title = fmt.Sprintf("%s in column %s%s", of, p.X, shown)
		}
		list = append(list, p)
	}
	return list
}

// pairs returns the points with coordinates x and y.
func pairs(x, y []float64) plotter.XYs {
	points := make(plotter.XYs, len(x))
	for i := range points {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return points
}

// heights returns points with one coordinate. Their height is the group, or the position if there are no groups.
func heights(x []float64, groups *picture.Groups) (name string, at plotter.XYs) {
	y, name := make([]float64, len(x)), "row shown"
	for i := range y {
		y[i] = float64(i)
		if groups != nil {
			y[i], name = float64(groups.Of[i]), "group"
		}
	}
	return name, pairs(x, y)
}

// mostValues is the most distinct numbers of a label that are drawn as groups.
const mostValues = 20

// marks returns the groups of --label, or shades if it has many distinct numbers.
func (j *job) marks(s *sampled, _ model.Side) (*picture.Groups, *picture.Shades) {
	return labelMarks(j.data.label, s.label)
}

// labelMarks returns the groups or the shades of a column, neither if it is nil.
func labelMarks(name string, label *stream.Column) (*picture.Groups, *picture.Shades) {
	if label == nil {
		return nil, nil
	}
	numbers := make([]float64, label.Len())
	distinct := make(map[string]int)
	words := make([]string, label.Len())
	for i := range words {
		numbers[i] = math.NaN()
		if label.Null(i) {
			continue
		}
		words[i] = wordOf(label, i)
		distinct[words[i]]++
		if v, err := strconv.ParseFloat(words[i], 64); err == nil {
			numbers[i] = v
		}
	}
	if label.Kind != stream.String && (len(distinct) > mostValues && label.Kind == stream.Float64 || len(distinct) > mostClasses) {
		return nil, &picture.Shades{Name: name, Values: numbers}
	}
	if len(distinct) == 0 || len(distinct) > mostClasses {
		return nil, nil
	}
	g := &picture.Groups{Of: make([]int, len(words)), Names: sortedNames(distinct)}
	for k, name := range g.Names {
		distinct[name] = k
	}
	for i, w := range words {
		if g.Of[i] = -1; !label.Null(i) {
			g.Of[i] = distinct[w]
		}
	}
	return g, nil
}

// sortedNames returns the sorted words; numbers are sorted by value.
func sortedNames(distinct map[string]int) []string {
	names := make([]string, 0, len(distinct))
	for name := range distinct {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, err := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err == nil && err2 == nil && x != y {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a, b)
	})
	return names
}

// mostLoaded is the most columns of the data in a chart of loadings.
const mostLoaded = 16

// loadingGrid returns a grid of the weights of data columns in embedding columns, for the heaviest data columns.
func loadingGrid(title, of string, columns, names []string, weights [][]float64) *picture.Grid {
	heaviest := func(i int) float64 { return floats.Norm(weights[i], math.Inf(1)) }
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	if len(order) > mostLoaded {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(heaviest(b), heaviest(a)) })
		order = order[:mostLoaded]
		slices.Sort(order)
		title += fmt.Sprintf(", the %d strongest of %d", mostLoaded, len(weights))
	}
	g := &picture.Grid{Title: title, Columns: names, Of: of, Signed: true, Format: "%.2f"}
	for _, i := range order {
		g.Rows, g.Values = append(g.Rows, columns[i]), append(g.Values, weights[i])
	}
	return g
}

// mostGridClasses is the most classes of a confusion matrix; the rest is one class.
const mostGridClasses = 24

// confusionGrid returns a confusion matrix.
func confusionGrid(title, rows, columns string, counts [][]int64, names []string) *picture.Grid {
	g := &picture.Grid{Title: title, X: columns, Y: rows, Of: "rows", Format: "%.0f"}
	if len(names) > mostGridClasses {
		names = append(slices.Clone(names[:mostGridClasses-1]), "others")
	}
	g.Rows, g.Columns = names, names
	g.Values = make([][]float64, len(names))
	for i := range g.Values {
		g.Values[i] = make([]float64, len(names))
	}
	last := len(names) - 1
	for i, row := range counts {
		for k, n := range row {
			g.Values[min(i, last)][min(k, last)] += float64(n)
		}
	}
	return g
}
