package paper1

import (
	"fmt"
	"image"
	_ "image/jpeg" // the photographs of the paper
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// sampleOf returns the colours of n pixels of a photograph, drawn without replacement: red,
// green and blue from 0 to 1.
func sampleOf(photograph string, n int, seed uint64) (some blas64.General, err error) {
	path := filepath.Join(datasets.Dir(), photograph+".jpg")
	f, err := os.Open(path)
	if err != nil {
		return some, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return some, fmt.Errorf("%s: %w", path, err)
	}
	bounds := img.Bounds()
	pixels, err := sketch.NewSample(int64(bounds.Dx())*int64(bounds.Dy()), n, seed, "pixels")
	if err != nil {
		return some, fmt.Errorf("%s: %w", path, err)
	}
	some = stream.NewMatrix(n, 3)
	for i, pixel := range pixels.Positions() {
		row, column := int(pixel)/bounds.Dx(), int(pixel)%bounds.Dx()
		r, g, b, _ := img.At(bounds.Min.X+column, bounds.Min.Y+row).RGBA()
		for j, v := range []uint32{r, g, b} {
			some.Data[3*i+j] = float64(v) / 0xffff
		}
	}
	return some, nil
}
