package paper3

import (
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/png" // of the flower
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// flower is Figure 1a for an image: one segmentation, and an alternative to it. Each colour of the image is a row.
type flower struct {
	img      image.Image
	place    []int // index of the colour of each pixel
	segments []segmentations
}

// segmentations has the segments of each colour, by one kernel.
type segmentations struct{ first, another []int }

const flowerFile = "Flower_70x70.png"

// flowerSegments is the paper's number of clusters of the flower.
const flowerSegments = 2

// run computes both segmentations.
func (f *flower) run(ctx context.Context) ([]*report.Table, error) {
	path := filepath.Join(datasets.Dir(), flowerFile)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if f.img, _, err = image.Decode(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	colours := f.colours()
	e := &experiment{data: &datasets.Labelled{X: colours}}
	t := &report.Table{File: "figure1-flower", Title: "Figure 1a, alternative segmentation of the flower",
		Head: []string{"kernel", "settings", "segmentation", "μ", "colours in segment 0", "NMI with the first one", "seconds", "settled"},
		Notes: []string{fmt.Sprintf("%d different colours of %s, in %d segments. The paper shows the pictures and no figure; ours are "+
			"in figure1-flower.png, a line for each kernel: the image, the first segmentation, the alternative.", colours.Rows, flowerFile, flowerSegments)}}
	f.segments = nil
	for _, k := range alternativeKernels {
		var of segmentations
		s := ism.Solver{Dim: flowerSegments, Clusters: flowerSegments, Paradigm: ism.Unsupervised}
		for _, step := range []string{"first", "alternative"} {
			var known *ism.Response
			if step == "alternative" {
				s.Paradigm, s.Mu = ism.Alternative, 1
				if known, err = ism.Classes(of.first, flowerSegments); err != nil {
					return nil, err
				}
			}
			c, seconds, err := e.clusters(ctx, s, known, k)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step, err)
			}
			if of.another = c.Labels; step == "first" {
				of.first = c.Labels
			}
			same, err := metrics.NMI(of.first, c.Labels)
			if err != nil {
				return nil, err
			}
			zero := 0
			for _, l := range c.Labels {
				if l == 0 {
					zero++
				}
			}
			t.Add(k.name, k.text, step, s.Mu, zero, same, seconds, !c.NotConverged)
		}
		f.segments = append(f.segments, of)
	}
	return []*report.Table{t}, nil
}

// colours returns the distinct colours, red, green and blue from 0 to 1, in the order of the pixels.
func (f *flower) colours() blas64.General {
	bounds, known := f.img.Bounds(), map[color.RGBA]int{}
	var rows []float64
	f.place = nil
	for i := range bounds.Dx() * bounds.Dy() {
		c := color.RGBAModel.Convert(f.img.At(bounds.Min.X+i%bounds.Dx(), bounds.Min.Y+i/bounds.Dx())).(color.RGBA)
		place, is := known[c]
		if !is {
			place = len(known)
			known[c] = place
			rows = append(rows, float64(c.R)/255, float64(c.G)/255, float64(c.B)/255)
		}
		f.place = append(f.place, place)
	}
	return blas64.General{Rows: len(known), Cols: 3, Stride: 3, Data: rows}
}

// draw saves the image and its segmentations, in black and white, side by side.
func (f *flower) draw(dir string) error {
	bounds := f.img.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	img := image.NewRGBA(image.Rect(0, 0, 3*width, height*len(f.segments)))
	for k, of := range f.segments {
		for i, place := range f.place {
			x, y := i%width, i/width
			img.Set(x, y+k*height, f.img.At(bounds.Min.X+x, bounds.Min.Y+y))
			img.Set(width+x, y+k*height, color.Gray{uint8(255 * of.first[place])})
			img.Set(2*width+x, y+k*height, color.Gray{uint8(255 * of.another[place])})
		}
	}
	return lab.SavePNG(dir, "figure1-flower", img)
}

// runtime is Figure 1b: seconds of a fit with the polynomial kernel by the number of generated rows, up to most.
func runtime(ctx context.Context, most int) ([]*report.Table, error) {
	t := &report.Table{File: "figure1b", Title: "Figure 1b: seconds by the number of rows, polynomial kernel of degree 3",
		Head: []string{"rows", "ISM exact", "iterations", "ISM linear", "iterations"},
		Notes: []string{"Supervised, 3 classes that differ in 2 of 20 columns, q = 3. The paper shows a line of slope 2 in logarithms, " +
			"O(n²); the linear engine is ours."}}
	for n := runtimeFirst; n <= most; n *= 2 {
		x, labels := classedRows(n)
		known, err := ism.Classes(labels, 3)
		if err != nil {
			return nil, err
		}
		cells := []any{n}
		for _, engine := range []ism.Algorithm{ism.AlgorithmExact, ism.AlgorithmLinear} {
			began := time.Now()
			d := &ism.Data{Rows: stream.FromMatrix("rows", x), Response: known}
			fit, err := ism.Solver{Dim: 3, Algorithm: engine, Seed: seed}.Fit(ctx, stream.Engine{}, d, parsed(kernelNamed("polynomial").text))
			if err != nil {
				return nil, fmt.Errorf("%d rows: %s: %w", n, engine, err)
			}
			cells = append(cells, time.Since(began).Seconds(), fit.Iterations)
		}
		t.Add(cells...)
	}
	return []*report.Table{t}, nil
}

// Numbers of rows in Figure 1b.
const (
	runtimeFirst = 128
	runtimeMost  = 8192
)

// classedRows returns standardised rows of three classes.
func classedRows(n int) (blas64.General, []int) {
	const columns = 20
	x, labels := stream.NewMatrix(n, columns), make([]int, n)
	sketch.NewRandom(seed, "rows of Figure 1b").Normals(x)
	for i := range n {
		labels[i] = i % 3
		x.Data[i*columns+labels[i]%2] += 2 * float64(labels[i]-1)
	}
	datasets.Standardise(x)
	return x, labels
}
