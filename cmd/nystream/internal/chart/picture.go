// Package chart draws spectra, points and grids as panels of a sheet, in SVG or PNG.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Extensions are the extensions of sheet files.
var Extensions = []string{"svg", "png"}

// Chart is the data of a panel: [Spectrum], [Points] or [Grid].
type Chart interface {
	// Heading returns the title of the panel.
	Heading() string
	panel() *panel
}

// Sheet is a picture of several panels below a title.
type Sheet struct {
	Title, Subtitle string
	Charts          []Chart
}

// Sizes of panels, and the space around them.
const (
	margin      = vg.Centimeter / 2
	panelWidth  = 15 * vg.Centimeter
	panelHeight = 11 * vg.Centimeter
)

// dotsPerInch is the resolution of PNG files.
const dotsPerInch = 144

// Encode returns the sheet in the format given by the extension of path.
func (s *Sheet) Encode(path string) ([]byte, error) {
	width, height, fill := s.layOut()
	return encode(path, width, height, fill)
}

// layOut returns the size of the sheet, and a function that draws it.
func (s *Sheet) layOut() (width, height vg.Length, fill func(c draw.Canvas)) {
	columns := min(2, max(1, len(s.Charts)))
	rows := (len(s.Charts) + columns - 1) / columns
	header := s.header(vg.Length(columns)*panelWidth - 2*margin)
	top := header.height()
	return vg.Length(columns) * panelWidth, vg.Length(rows)*panelHeight + top, func(c draw.Canvas) {
		header.draw(draw.Crop(c, margin, -margin, 0, -margin))
		tiles := draw.Tiles{Rows: rows, Cols: columns}
		for i, chart := range s.Charts {
			tile := tiles.At(draw.Crop(c, 0, 0, 0, -top), i%columns, i/columns)
			chart.panel().draw(draw.Crop(tile, margin, -margin, margin, -margin))
		}
	}
}

// Panel returns one chart as an SVG element for a page.
func Panel(chart Chart) (string, error) {
	svg, err := encode(".svg", panelWidth, panelHeight, func(c draw.Canvas) { drawPanel(chart, c) })
	return string(svg[max(0, bytes.Index(svg, []byte("<svg"))):]), err // without the XML header
}

// drawPanel draws one chart on a canvas.
func drawPanel(chart Chart, c draw.Canvas) {
	chart.panel().draw(draw.Crop(c, margin/2, -margin/2, margin/2, -margin/2))
}

// encode draws on a white canvas, in the format given by the extension of path.
func encode(path string, width, height vg.Length, fill func(draw.Canvas)) ([]byte, error) {
	var image interface {
		vg.CanvasSizer
		vg.CanvasWriterTo
	}
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".svg":
		image = vgsvg.New(width, height)
	case ".png":
		image = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))}
	default:
		return nil, fmt.Errorf("picture: %q is neither .svg nor .png", extension)
	}
	c := draw.New(image)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	fill(c)
	var out bytes.Buffer
	_, err := image.WriteTo(&out)
	return out.Bytes(), err
}

// header is the title and the subtitle of a sheet, wrapped into lines.
type header struct {
	lines  []string
	styles []draw.TextStyle
}

func (s *Sheet) header(width vg.Length) *header {
	h := &header{}
	for _, part := range []struct {
		text string
		size vg.Length
		grey uint8
	}{{s.Title, 17, 0}, {s.Subtitle, 11, 0x50}} {
		style := textStyle(part.size)
		style.Color = color.Gray{part.grey}
		for _, line := range wrapped(style, part.text, width) {
			h.lines, h.styles = append(h.lines, line), append(h.styles, style)
		}
	}
	return h
}

// lineHeight is the line height divided by the font size.
const lineHeight = 1.35

func (h *header) height() (sum vg.Length) {
	for _, s := range h.styles {
		sum += lineHeight * s.Font.Size
	}
	if sum > 0 {
		sum += margin
	}
	return sum
}

func (h *header) draw(c draw.Canvas) {
	y := c.Max.Y
	for i, line := range h.lines {
		y -= lineHeight * h.styles[i].Font.Size
		c.FillText(h.styles[i], vg.Point{X: c.Min.X, Y: y}, line)
	}
}

// textStyle returns the style for a font size in points.
func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{Color: color.Black, Font: sans(size), Handler: plot.DefaultTextHandler}
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// wrapped wraps text into lines of at most the given width. It truncates words that are too long.
func wrapped(style draw.TextStyle, text string, width vg.Length) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		word = shortened(style, word, width)
		if longer := strings.TrimSpace(line + " " + word); line == "" || style.Width(longer) <= width {
			line = longer
			continue
		}
		lines = append(lines, line)
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// shortened truncates text to the given width, with an ellipsis.
func shortened(style draw.TextStyle, text string, width vg.Length) string {
	text = strings.Join(strings.Fields(text), " ")
	if style.Width(text) <= width {
		return text
	}
	letters := []rune(text)
	for len(letters) > 1 && style.Width(string(letters)+"…") > width {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}
