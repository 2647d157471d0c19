package pixels

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/stream"
)

// write writes a picture and returns its path.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func encoded(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decoded(t *testing.T, path string) *Picture {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kinds are pictures of every kind that PNG files have.
func kinds() map[string]image.Image {
	r := image.Rect(0, 0, 7, 5)
	all := map[string]image.Image{}
	palette := color.Palette{color.NRGBA{R: 200, G: 10, B: 90, A: 255}, color.NRGBA{R: 3, G: 250, B: 7, A: 1}, color.NRGBA{}, color.NRGBA{R: 255, G: 255, B: 255, A: 128}}
	gray, gray16, paletted := image.NewGray(r), image.NewGray16(r), image.NewPaletted(r, palette)
	rgb, rgb64, nrgba, nrgba64 := image.NewRGBA(r), image.NewRGBA64(r), image.NewNRGBA(r), image.NewNRGBA64(r)
	for y := range 5 {
		for x := range 7 {
			i := y*7 + x
			gray.SetGray(x, y, color.Gray{Y: uint8(7 * i)})
			gray16.SetGray16(x, y, color.Gray16{Y: uint16(1801 * i)})
			paletted.SetColorIndex(x, y, uint8(i%4))
			rgb.SetRGBA(x, y, color.RGBA{R: uint8(i), G: uint8(5 * i), B: uint8(7 * i), A: 255})
			rgb64.SetRGBA64(x, y, color.RGBA64{R: uint16(i), G: uint16(500 * i), B: uint16(1700 * i), A: 0xffff})
			nrgba.SetNRGBA(x, y, color.NRGBA{R: uint8(i), G: uint8(5 * i), B: uint8(7 * i), A: uint8(i)})
			nrgba64.SetNRGBA64(x, y, color.NRGBA64{R: uint16(i), G: uint16(500 * i), B: uint16(1700 * i), A: uint16(9 * i)})
		}
	}
	all["gray"], all["gray16"], all["paletted"], all["rgb"], all["rgb64"], all["nrgba"], all["nrgba64"] = gray, gray16, paletted, rgb, rgb64, nrgba, nrgba64
	return all
}

// TestRoundTrip: a picture that is painted with its own colours is itself, bit for bit, with
// its opacity.
func TestRoundTrip(t *testing.T) {
	for name, m := range kinds() {
		p := decoded(t, write(t, "p.png", encoded(t, m)))
		rows, err := stream.ReadAll(context.Background(), p.Rows())
		if err != nil {
			t.Fatal(err)
		}
		c := p.Canvas()
		for first := 0; first < rows.Rows; first += 4 {
			c.Paint(int64(first), stream.RowSlice(rows, first, min(4, rows.Rows-first)))
		}
		file, err := c.PNG()
		if err != nil {
			t.Fatal(err)
		}
		again := decoded(t, write(t, "q.png", file))
		for i := range p.Pixels() {
			if p.pixel(i) != again.pixel(i) {
				t.Errorf("%s: pixel %d is %v, not %v", name, i, again.pixel(i), p.pixel(i))
			}
		}
		if transparent := strings.HasPrefix(name, "n") || name == "paletted"; (p.Opacities(stream.Numbers(35)) != nil) != transparent {
			t.Errorf("%s: opacities %v", name, p.Opacities(stream.Numbers(35)))
		}
		if strings.HasSuffix(name, "16") || strings.HasSuffix(name, "64") {
			if !again.deep || again.Bytes() != 16*35 {
				t.Errorf("%s lost its depth", name)
			}
		}
	}
}

// TestColours: rows are the colours from 0 to 1, and opacities those of the pixels.
func TestColours(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	m.SetNRGBA(0, 0, color.NRGBA{R: 255, G: 51, A: 51})
	m.SetNRGBA(1, 0, color.NRGBA{B: 102, A: 255})
	p := decoded(t, write(t, "p.png", encoded(t, m)))
	rows, err := stream.ReadAll(context.Background(), p.Rows())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 0.2, 0, 0, 0, 0.4} {
		if rows.Data[i] != want {
			t.Errorf("number %d is %g, not %g", i, rows.Data[i], want)
		}
	}
	if o := p.Opacities([]int64{0, 1}); o[0] != 0.2 || o[1] != 1 {
		t.Errorf("opacities %v", o)
	}
}

// TestPaintBeyond: colours beyond the cube are cut off.
func TestPaintBeyond(t *testing.T) {
	p := decoded(t, write(t, "p.png", encoded(t, image.NewGray(image.Rect(0, 0, 2, 1)))))
	nan := 0.0
	nan /= nan
	x := stream.NewMatrix(2, 3)
	copy(x.Data, []float64{-1, 2, nan, 0.5, 1, 1e300})
	c := p.Canvas()
	c.Paint(0, x)
	if got := c.image.(*image.NRGBA); got.NRGBAAt(0, 0) != (color.NRGBA{G: 255, A: 255}) || got.NRGBAAt(1, 0) != (color.NRGBA{R: 128, G: 255, B: 255, A: 255}) {
		t.Errorf("%v", got.Pix)
	}
}

// TestSource: pixels are a source like any other.
func TestSource(t *testing.T) {
	conformance.Opening(t, decoded(t, write(t, "p.png", encoded(t, kinds()["rgb"]))).Rows(), 1)
}

// jpegs returns a grey picture and one in colours.
func jpegs(t *testing.T) [][]byte {
	t.Helper()
	var all [][]byte
	for _, name := range []string{"gray", "rgb"} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, kinds()[name], &jpeg.Options{Quality: 100}); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Bytes())
	}
	return all
}

// TestJPEG: JPEG pictures are read too.
func TestJPEG(t *testing.T) {
	for _, data := range jpegs(t) {
		p := decoded(t, write(t, "p.jpg", data))
		if p.Width != 7 || p.Height != 5 || p.Format != "jpeg" || p.Opacities(stream.Numbers(35)) != nil {
			t.Errorf("%+v", p.File)
		}
	}
}

// huge returns the beginning of a PNG file that claims so many pixels.
func huge(width, height uint32) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	chunk = append(binary.BigEndian.AppendUint32(chunk, height), 8, 2, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(chunk))
}

// TestRefused: what is no picture, or too large a one, is refused before it is decoded.
func TestRefused(t *testing.T) {
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	for want, data := range map[string][]byte{
		"neither a PNG nor a JPEG": []byte("name,age\n"),
		"neither":                  nil,
		"neither a PNG":            []byte(gif),
		"20000 × 10000 pixels; at most 100 million": huge(20000, 10000),
		"damaged picture": huge(0, 5),
	} {
		if f, err := Open(write(t, "p.png", data)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.png") {
			t.Errorf("%q: %v, %v", want, f, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no.png")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if f, err := Open(write(t, "p.png", huge(10000, 10000))); err != nil || f.Pixels() != MostPixels {
		t.Errorf("the largest: %v", err)
	} else if _, err := f.Decode(); err == nil {
		t.Error("a file without pixels was decoded")
	}
}

// TestDamaged: a file that is cut or changed anywhere is an error or a picture, never a
// panic.
func TestDamaged(t *testing.T) {
	try := func(data []byte) {
		f, err := Open(write(t, "p", data))
		if err != nil {
			return
		}
		p, err := f.Decode()
		if err != nil {
			return
		}
		if rows, err := stream.ReadAll(context.Background(), p.Rows()); err != nil || int64(rows.Rows) != f.Pixels() {
			t.Errorf("%d rows of %d pixels, %v", rows.Rows, f.Pixels(), err)
		}
	}
	for _, data := range append(jpegs(t), encoded(t, kinds()["paletted"]), encoded(t, kinds()["nrgba64"])) {
		for at := 0; at < len(data); at += 1 + len(data)/150 {
			try(data[:at])
			changed := bytes.Clone(data)
			changed[at] ^= 0x55
			try(changed)
		}
	}
}
