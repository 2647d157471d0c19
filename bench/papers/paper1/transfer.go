package paper1

import (
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/font/basicfont"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// transferred is a plan shown in Figure 1.
type transferred struct {
	name string
	plan operator
}

// draw saves Figure 1 of a pair: the source, the target, and the source with the colours of the
// target by each plan.
func (p transportPair) draw(dir string, exact *densePlan, plans []transferred) error {
	source, err := photographOf(p.source)
	if err != nil {
		return err
	}
	target, err := photographOf(p.target)
	if err != nil {
		return err
	}
	colours, width := thumbnail(source)
	goal, goalWidth := thumbnail(target)
	const columns, margin = 4, 24
	height := max(colours.Rows/width, goal.Rows/goalWidth) + margin
	across := max(width, goalWidth) + margin
	for _, one := range plans {
		across = max(across, basicfont.Face7x13.Advance*len(one.name)+margin)
	}
	rows := (len(plans) + 2 + columns - 1) / columns
	img := image.NewRGBA(image.Rect(0, 0, across*columns, height*rows))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	place := 0
	put := func(name string, of blas64.General, width int) {
		x, y := place%columns*across, place/columns*height
		paint(img, x, y+lineHeight, of, width)
		write(img, x, y+lineHeight-4, color.Black, strings.ReplaceAll(strings.ReplaceAll(name, "ö", "o"), "→", "to"))
		place++
	}
	put(p.source, colours, width)
	put(p.target, goal, goalWidth)
	for _, one := range plans {
		by, err := exact.moves(one.plan)
		if err != nil {
			return err
		}
		put(one.name, moved(colours, exact.x, by), width)
	}
	return lab.SavePNG(dir, "figure1-"+p.source+"-"+p.target, img)
}

// moves returns the displacements of the colours x by the barycentric projection of a plan: Σ_j T_ij·y_j/Σ_j T_ij −
// x_i.
func (p *densePlan) moves(by operator) (blas64.General, error) {
	y := mat.NewDense(p.y.Rows, 4, nil) // the colours, followed by 1
	for j := range p.y.Rows {
		copy(y.RawRowView(j), p.y.Data[j*p.y.Stride:][:3])
		y.Set(j, 3, 1)
	}
	sums, err := by.product(model.Left, y)
	if err != nil {
		return blas64.General{}, err
	}
	moves := stream.NewMatrix(p.x.Rows, 3)
	for i := range p.x.Rows {
		for c := range 3 {
			moves.Data[3*i+c] = sums.At(i, c)/sums.At(i, 3) - p.x.Data[i*p.x.Stride+c]
		}
	}
	return moves, nil
}
