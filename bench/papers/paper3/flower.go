package paper3

import (
	"context"
	"image"
	"image/color"
	"time"

	"gonum.org/v1/plot"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// flower is Figure 1 for the image: its colours are divided into two by k-means, and
// then into two others.
func flower(ctx context.Context, o *options) error {
	p, err := datasets.Flower()
	if err != nil {
		return err
	}
	x, err := scaled(ctx, p.Colours)
	if err != nil {
		return err
	}
	original, err := cluster.KMeans{Clusters: 2, Seed: o.seed}.Fit(ctx, stream.Engine{}, x)
	if err != nil {
		return err
	}
	t := &report.Table{File: "figure1-flower", Title: "Figure 1, alternative segmentation: flower",
		Head: []string{"kernel", "μ", "colours", "NMI with the given segmentation", "sizes", "seconds", "rounds", "settled"},
		Notes: []string{"70 × 70 pixels, each colour once, as the paper does (its image has 256 colours). Given: two segments by k-means of the colours. " +
			"Two others are looked for, q = 2; both terms of Γ are divided by their norms, so μ = 1 weighs them alike. Figure: both kernels, μ = 1."}}
	panels := []*plot.Plot{picturePanel("the image", coloured(p)), picturePanel("given segments", segmented(p, original.Labels))}
	for _, name := range []string{"gaussian", "polynomial"} {
		for _, mu := range alternativeMus {
			began := time.Now()
			fit, err := alternative(ctx, x, original.Labels, kernelNamed(name), 2, 2, mu, o.seed)
			if err != nil {
				return err
			}
			seconds := time.Since(began).Seconds()
			nmi, err := metrics.NMI(original.Labels, fit.Labels)
			if err != nil {
				return err
			}
			sizes := [2]int{}
			for _, l := range fit.Labels {
				sizes[l]++
			}
			t.Add(name, mu, x.Rows, nmi, sizes, seconds, fit.Rounds, !fit.Unsettled)
			if mu == 1 {
				panels = append(panels, picturePanel("others, "+name, segmented(p, fit.Labels)))
			}
		}
	}
	if err := drawPanels(o.path("figure1-flower.svg"), panels); err != nil {
		return err
	}
	return t.Write(o.out)
}

// painted returns the image with a colour for the number of each pixel's colour.
func painted(p *datasets.Picture, colour func(number int) color.Color) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, p.Bounds.Dx(), p.Bounds.Dy()))
	for i, number := range p.Index {
		img.Set(i%p.Bounds.Dx(), i/p.Bounds.Dx(), colour(number))
	}
	return img
}

func coloured(p *datasets.Picture) image.Image {
	return painted(p, func(number int) color.Color {
		rgb := dense.Row(p.Colours, number)
		return color.RGBA64{uint16(rgb[0] * 0xffff), uint16(rgb[1] * 0xffff), uint16(rgb[2] * 0xffff), 0xffff}
	})
}

// segmented returns an image: black for segment 0 and white for the others.
func segmented(p *datasets.Picture, labels []int) image.Image {
	return painted(p, func(number int) color.Color {
		if labels[number] == 0 {
			return color.Black
		}
		return color.White
	})
}
