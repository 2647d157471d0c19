package paper3

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestFlower: each colour is one row, and the picture has the segments of its pixels' colours in black and white.
func TestFlower(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NYSTREAM_DATA", dir)
	img := image.NewRGBA(image.Rect(0, 0, 12, 10))
	for i := range 12 * 10 {
		x, y := i%12, i/12
		img.Set(x, y, color.RGBA{uint8(20 * (x % 6)), uint8(200*(y%2) + 3*(x%6)), uint8(9 * x), 255})
	}
	file, err := os.Create(filepath.Join(dir, flowerFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(file, img); err != nil {
		t.Fatal(err)
	}
	file.Close()
	f := &flower{}
	tables, err := f.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables[0].Rows) != 2*len(alternativeKernels) || len(f.segments) != len(alternativeKernels) {
		t.Fatalf("%d rows, %d segmentations", len(tables[0].Rows), len(f.segments))
	}
	if colours := f.colours(); colours.Rows != 24 || len(f.segments[0].first) != 24 {
		t.Errorf("%d colours, want 24", colours.Rows)
	}
	if err := f.draw(dir); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.Open(filepath.Join(dir, "figure1-flower.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer drawn.Close()
	picture, err := png.Decode(drawn)
	if err != nil {
		t.Fatal(err)
	}
	for i, place := range f.place {
		x, y := i%12, i/12
		for k, of := range f.segments {
			first, _, _, _ := picture.At(12+x, y+10*k).RGBA()
			another, _, _, _ := picture.At(24+x, y+10*k).RGBA()
			if int(first/0xffff) != of.first[place] || int(another/0xffff) != of.another[place] {
				t.Fatalf("pixel %d, %d of kernel %d is not in its segments", x, y, k)
			}
		}
	}
}
