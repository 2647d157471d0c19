package main

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/stream"
)

// plotRows is how many rows a picture shows at most, and plotNumbers about what one
// takes in it, in numbers.
const (
	plotRows    = 5000
	plotNumbers = 40
)

// draw writes a picture of the first two columns of XW, of a sample of the rows that
// depends on the seed alone if there are many, coloured by label or cluster.
func (j *ismJob) draw(ctx context.Context, path string) error {
	rows, err := j.plottedRows()
	if err != nil {
		return err
	}
	x, err := stream.GatherRows(ctx, j.prepared.left, rows)
	if err != nil {
		return err
	}
	xw := stream.NewMatrix(x.Rows, j.fit.Dim())
	j.fit.Project(xw, x)
	p := newPlot(j.plotTitle(len(rows)), axisWords(j.fit.Model, 0), axisWords(j.fit.Model, 1))
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = 10, 10
	p.Add(plotter.NewGrid())
	groups, names := j.groups(rows)
	addGroups(p, xw, groups, names)
	image, c := newPicture(18*vg.Centimeter, 15*vg.Centimeter)
	p.Draw(draw.Crop(c, margin, -margin, margin, -margin))
	if err := writePicture(path, image); err != nil {
		os.Remove(path) // what there is of it
		return err
	}
	return nil
}

func (j *ismJob) plottedRows() ([]int64, error) {
	n := j.prepared.left.Info().Rows
	s, err := sketch.NewSample(n, int(min(n, plotRows)), j.cmd.seed, "picture")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

func (j *ismJob) plotTitle(shown int) string {
	title := "XW"
	if n := j.prepared.left.Info().Rows; int64(shown) < n {
		title += fmt.Sprintf(", %s of %s rows", count(int64(shown)), count(n))
	}
	return title + ", " + j.fit.Kernel.String()
}

// axisWords name what a column of W is made of; there may be one only.
func axisWords(m *ism.Model, k int) string {
	if k >= m.Dim() {
		return "class"
	}
	return fmt.Sprintf("xw%d = %s", k, loadingWords(loadingsOf(m)[k][:min(3, len(loadingsOf(m)[k]))]))
}

// groups are the numbers of the classes or clusters of some rows, and their names:
// the labels, if there are any.
func (j *ismJob) groups(rows []int64) (of []int, names []string) {
	all, names := j.labels, j.classes
	if all == nil {
		all, names = j.fit.Labels, nil
		for k := range j.cmd.task.clusters {
			names = append(names, "cluster "+strconv.Itoa(k))
		}
	}
	of = make([]int, len(rows))
	if all == nil { // real targets, or several labels for a row
		return of, nil
	}
	for i, r := range rows {
		of[i] = all[r]
	}
	return of, names
}

// mostLegend is how many groups a legend has room for.
const mostLegend = 20

// addGroups adds the first two columns of xw as points in the colours of their groups.
// Where there is one column, the group is the height.
func addGroups(p *plot.Plot, xw blas64.General, group []int, names []string) {
	n := max(1, len(names))
	points := make([]plotter.XYs, n)
	for i := range xw.Rows {
		r := xw.Data[i*xw.Stride : i*xw.Stride+xw.Cols]
		xy := plotter.XY{X: r[0], Y: float64(group[i])}
		if len(r) > 1 {
			xy.Y = r[1]
		}
		points[group[i]] = append(points[group[i]], xy)
	}
	p.Legend.Top, p.Legend.Padding = true, vg.Millimeter
	for k, xy := range points {
		style := draw.GlyphStyle{Color: groupColour(k, n), Radius: 1.8, Shape: groupShapes[k%len(groupShapes)]}
		dots := &plotter.Scatter{XYs: xy, GlyphStyle: style}
		if len(xy) > 0 {
			p.Add(dots)
		}
		if len(names) > 0 && len(names) <= mostLegend {
			p.Legend.Add(clipped(names[k], 24), dots)
		}
	}
	if p.X.Max > p.X.Min {
		p.X.Max += 0.18 * (p.X.Max - p.X.Min) // for the legend
	}
}

var groupShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}}

// groupColours are far apart for readers who see few (Okabe and Ito 2008).
var groupColours = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x60, 0x60, 0x60, 0xff}}

func groupColour(k, n int) color.Color {
	if n <= len(groupColours) {
		return groupColours[k]
	}
	return colourAt(float64(k) / float64(n-1))
}

// clipped is a text of at most so many letters.
func clipped(s string, most int) string {
	letters := []rune(strings.Join(slices.Collect(strings.FieldsSeq(s)), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most-1]) + "…"
}
