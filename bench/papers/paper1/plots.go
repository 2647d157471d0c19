package paper1

import (
	"cmp"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nystream/nystream/bench/internal/report"
)

// growthFigure is the one without floors.
const growthFigure = "figure4.svg"

// drawAll draws Figure 2 (RBF), 3 (csRBF) and 4 (time against n), and a figure of
// the matrices of other files.
func drawAll(dir string, t *table) error {
	figures := map[string][]*plot.Plot{}
	for i := range t.matrices {
		m := &t.matrices[i]
		if m.Data == uniform {
			continue
		}
		name := map[string]string{"rbf": "figure2.svg", "csrbf": "figure3.svg"}[m.Word]
		if name == "" {
			name = "files.svg"
		}
		figures[name] = append(figures[name], t.errorPlot(m))
	}
	if growing := t.growing(); len(growing) > 0 {
		figures[growthFigure] = []*plot.Plot{growthPlot(growing, "time of a fit, U[0,1]²⁰, c = 50", "seconds", func(c cell) float64 { return c.seconds }),
			growthPlot(growing, "its error", "‖A−Â‖₂ / ‖A‖₂", func(c cell) float64 { return c.spectral })}
	}
	for name, panels := range figures {
		if err := drawPanels(filepath.Join(dir, name), panels, t.methodsSeen(), name != growthFigure); err != nil {
			return err
		}
	}
	return nil
}

// methodsSeen returns the methods with results, in the order of names().
func (t *table) methodsSeen() []string {
	return slices.DeleteFunc(names(), func(name string) bool {
		return !slices.ContainsFunc(t.matrices, func(m matrix) bool { return slices.Contains(m.methods, name) })
	})
}

// The size of a panel, and of the legend at their right.
const (
	panelWidth  = 13 * vg.Centimeter
	panelHeight = 10 * vg.Centimeter
	legendWidth = 5 * vg.Centimeter
	margin      = vg.Centimeter / 2
)

// drawPanels draws plots two by two, and a legend of methods and, if it is there,
// of the floor.
func drawPanels(path string, panels []*plot.Plot, names []string, floor bool) error {
	across := min(2, len(panels))
	down := (len(panels) + across - 1) / across
	width, height := vg.Length(across)*panelWidth, vg.Length(down)*panelHeight
	image := vgsvg.New(width+legendWidth, height)
	c := draw.New(image)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	for i, p := range panels {
		left, top := vg.Length(i%across)*panelWidth, vg.Length(i/across)*panelHeight
		p.Draw(draw.Crop(c, left+margin, left+panelWidth-width-legendWidth-margin, height-top-panelHeight+margin, -top-margin))
	}
	legend := newLegend(names, floor)
	legend.Draw(draw.Crop(c, width, -margin, 0, -2*margin))
	return report.WriteSVG(path, image)
}

func newLegend(names []string, floor bool) *plot.Legend {
	legend := plot.NewLegend()
	legend.TextStyle.Font = fontOf(11)
	legend.Top, legend.Left, legend.Padding = true, true, vg.Millimeter
	for _, name := range names {
		line, points := styleOf(name)
		legend.Add(name, &plotter.Line{LineStyle: line}, &plotter.Scatter{GlyphStyle: points})
	}
	if floor {
		legend.Add("σ_{c+1}/σ₁", &plotter.Line{LineStyle: floorStyle})
	}
	return &legend
}

func fontOf(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// newPlot returns an empty plot, its y axis logarithmic.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 2 * vg.Millimeter
	p.Title.TextStyle.Font, p.X.Label.TextStyle.Font, p.Y.Label.TextStyle.Font = fontOf(13), fontOf(11), fontOf(11)
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = fontOf(10), fontOf(10)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	p.Add(plotter.NewGrid())
	return p
}

// errorPlot returns the mean spectral error against c, and the floor.
func (t *table) errorPlot(m *matrix) *plot.Plot {
	p := newPlot(m.Data+", "+m.Word, "c", "‖A−Â‖₂ / ‖A‖₂")
	p.X.Tick.Marker = integerTicks(m.ranks)
	for _, method := range m.methods {
		var line plotter.XYs
		for _, c := range m.ranks {
			if cell, ok := m.cells[cellKey{c, method}]; ok {
				line = append(line, plotter.XY{X: float64(c), Y: cell.spectral})
			}
		}
		addLine(p, method, line)
	}
	var floor plotter.XYs
	for _, c := range m.ranks {
		if f, ok := t.floors.known[floorKey{m.Data, m.Word, m.Rows, c}]; ok && f.Value > 0 {
			floor = append(floor, plotter.XY{X: float64(c), Y: f.Value})
		}
	}
	if len(floor) > 0 {
		p.Add(&plotter.Line{XYs: floor, LineStyle: floorStyle})
	}
	return p
}

// addLine adds what a method reaches. A logarithmic axis has no place for 0.
func addLine(p *plot.Plot, method string, xy plotter.XYs) {
	xy = slices.DeleteFunc(xy, func(v plotter.XY) bool { return !(v.Y > 0) })
	if len(xy) == 0 {
		return
	}
	line, points := styleOf(method)
	p.Add(&plotter.Line{XYs: xy, LineStyle: line}, &plotter.Scatter{XYs: xy, GlyphStyle: points})
}

// growing returns the matrices of uniform data, by their number of rows.
func (t *table) growing() []*matrix {
	var all []*matrix
	for i := range t.matrices {
		if t.matrices[i].Data == uniform {
			all = append(all, &t.matrices[i])
		}
	}
	slices.SortFunc(all, func(a, b *matrix) int { return cmp.Compare(a.Rows, b.Rows) })
	return all
}

// growthPlot returns a mean against n, on two logarithmic axes.
func growthPlot(all []*matrix, title, y string, value func(cell) float64) *plot.Plot {
	p := newPlot(title, "n", y)
	p.X.Scale = plot.LogScale{}
	lines, sizes := map[string]plotter.XYs{}, []int{}
	for _, m := range all {
		sizes = append(sizes, m.Rows)
		for _, method := range m.methods {
			if cell, ok := m.cells[cellKey{uniformRank, method}]; ok {
				lines[method] = append(lines[method], plotter.XY{X: float64(m.Rows), Y: value(cell)})
			}
		}
	}
	p.X.Tick.Marker = integerTicks(sizes)
	for _, name := range names() {
		addLine(p, name, lines[name])
	}
	return p
}

// integerTicks returns ticks at the numbers given.
func integerTicks(values []int) (ticks plot.ConstantTicks) {
	for _, v := range values {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: thousands(v)})
	}
	return ticks
}

// logTicks are 1, 2 and 5 times powers of ten with labels, the others without.
type logTicks struct{}

// Ticks returns the ticks from low to high.
func (logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for power := math.Floor(math.Log10(low)); math.Pow(10, power) <= high; power++ {
		for digit := 1.0; digit < 10; digit++ {
			tick := plot.Tick{Value: digit * math.Pow(10, power)}
			if digit == 1 || (digit == 2 || digit == 5) && high < 1000*low {
				tick.Label = strconv.FormatFloat(tick.Value, 'g', 3, 64)
			}
			if tick.Value >= low && tick.Value <= high {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

var floorStyle = draw.LineStyle{Color: color.Black, Width: 1.2, Dashes: []vg.Length{5, 4}}

// The colours are far apart for readers who see few; shapes tell more methods
// than there are colours.
var (
	colours = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x70, 0x70, 0x70, 0xff}}
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}}
)

// styleOf returns the style of a method, the same in all figures. Methods that are only
// in the file of results have the last one.
func styleOf(name string) (draw.LineStyle, draw.GlyphStyle) {
	all := names()
	i := slices.Index(all, name)
	if i < 0 {
		i = len(all)
	}
	c := colours[i%len(colours)]
	return draw.LineStyle{Color: c, Width: 1.4}, draw.GlyphStyle{Color: c, Radius: 2.6, Shape: shapes[i/len(colours)%len(shapes)]}
}
