package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svg is a canvas that writes SVG. Every text states the length that it was given room
// for, and a reader without the font squeezes another one into it: nothing collides. Dots
// of one colour that follow each other are one path, which makes files of thousands of
// them small.
type svg struct {
	width, height vg.Length
	body          bytes.Buffer
	stack         []svgState
	dots          svgDots
}

// svgState is what Push keeps.
type svgState struct {
	colour color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
	// A point (x, y) is drawn at (a·x+c·y+e, b·x+d·y+f).
	a, b, c, d, e, f float64
}

// svgDots is the path of dots that is being written.
type svgDots struct {
	colour color.RGBA
	radius float64
	path   strings.Builder
}

func newSVG(width, height vg.Length) *svg {
	s := &svg{width: width, height: height, stack: []svgState{{a: 1, d: 1}}}
	vg.Initialize(s)
	return s
}

// Size returns the size of the picture.
func (s *svg) Size() (x, y vg.Length) { return s.width, s.height }

func (s *svg) top() *svgState { return &s.stack[len(s.stack)-1] }

// SetLineWidth sets the width of lines.
func (s *svg) SetLineWidth(w vg.Length) { s.top().width = w }

// SetLineDash sets the lengths of dashes and gaps.
func (s *svg) SetLineDash(pattern []vg.Length, offset vg.Length) {
	s.top().dashes, s.top().offset = pattern, offset
}

// SetColor sets the colour of lines, areas and text.
func (s *svg) SetColor(c color.Color) { s.top().colour = c }

// Rotate turns what follows by an angle in radians.
func (s *svg) Rotate(radians float64) {
	sin, cos := math.Sincos(radians)
	s.transform(cos, sin, -sin, cos, 0, 0)
}

// Translate moves what follows.
func (s *svg) Translate(pt vg.Point) { s.transform(1, 0, 0, 1, float64(pt.X), float64(pt.Y)) }

// Scale makes what follows larger.
func (s *svg) Scale(x, y float64) { s.transform(x, 0, 0, y, 0, 0) }

func (s *svg) transform(a, b, c, d, e, f float64) {
	t := s.top()
	t.a, t.b, t.c, t.d, t.e, t.f = t.a*a+t.c*b, t.b*a+t.d*b, t.a*c+t.c*d, t.b*c+t.d*d, t.a*e+t.c*f+t.e, t.b*e+t.d*f+t.f
}

// Push keeps the state for Pop.
func (s *svg) Push() { s.stack = append(s.stack, *s.top()) }

// Pop returns to the state that was kept last.
func (s *svg) Pop() { s.stack = s.stack[:len(s.stack)-1] }

// place returns where a point is drawn, y downwards.
func (s *svg) place(pt vg.Point) (x, y float64) {
	t, px, py := s.top(), float64(pt.X), float64(pt.Y)
	return t.a*px + t.c*py + t.e, float64(s.height) - (t.b*px + t.d*py + t.f)
}

func (s *svg) at(pt vg.Point) string {
	x, y := s.place(pt)
	return decimals(x) + "," + decimals(y)
}

// size returns the factor of lengths.
func (s *svg) size() float64 {
	t := s.top()
	return math.Sqrt(math.Abs(t.a*t.d - t.b*t.c))
}

// decimals returns a number with at most two decimals.
func decimals(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100+0, 'f', -1, 64)
}

// Stroke draws a line along a path.
func (s *svg) Stroke(path vg.Path) {
	t := s.top()
	if t.width <= 0 {
		return
	}
	s.endDots()
	fmt.Fprintf(&s.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"`, s.pathData(path), hex(t.colour), decimals(float64(t.width)*s.size()))
	if len(t.dashes) > 0 {
		var lengths []string
		for _, d := range t.dashes {
			lengths = append(lengths, decimals(float64(d)))
		}
		fmt.Fprintf(&s.body, ` stroke-dasharray="%s" stroke-dashoffset="%s"`, strings.Join(lengths, " "), decimals(float64(t.offset)))
	}
	s.body.WriteString("/>\n")
}

// Fill fills a path.
func (s *svg) Fill(path vg.Path) {
	if centre, radius, ok := circleOf(path); ok {
		s.dot(centre, float64(radius)*s.size())
		return
	}
	s.endDots()
	fmt.Fprintf(&s.body, `<path d="%s" fill="%s"/>`+"\n", s.pathData(path), hex(s.top().colour))
}

// circleOf returns the centre and the radius of a path that is one whole circle.
func circleOf(path vg.Path) (centre vg.Point, radius vg.Length, ok bool) {
	for _, part := range path {
		switch {
		case part.Type == vg.ArcComp && math.Abs(part.Angle) >= 2*math.Pi && !ok:
			centre, radius, ok = part.Pos, part.Radius, true
		case part.Type != vg.MoveComp && part.Type != vg.CloseComp:
			return centre, radius, false
		}
	}
	return centre, radius, ok
}

// dot adds a dot to the path of dots: a line of no length with round ends.
func (s *svg) dot(centre vg.Point, radius float64) {
	d, c := &s.dots, color.RGBAModel.Convert(s.top().colour).(color.RGBA)
	if d.path.Len() > 0 && (d.colour != c || d.radius != radius) {
		s.endDots()
	}
	d.colour, d.radius = c, radius
	d.path.WriteString("M" + s.at(centre) + "h0")
}

// endDots writes the path of dots, if there is one.
func (s *svg) endDots() {
	if s.dots.path.Len() == 0 {
		return
	}
	fmt.Fprintf(&s.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round"/>`+"\n", s.dots.path.String(), hex(s.dots.colour), decimals(2*s.dots.radius))
	s.dots.path.Reset()
}

func (s *svg) pathData(path vg.Path) string {
	var b strings.Builder
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			b.WriteString("M" + s.at(part.Pos))
		case vg.LineComp:
			b.WriteString("L" + s.at(part.Pos))
		case vg.ArcComp:
			s.arc(&b, part)
		case vg.CurveComp:
			b.WriteString(map[int]string{1: "Q", 2: "C"}[len(part.Control)])
			for _, c := range part.Control {
				b.WriteString(s.at(c) + " ")
			}
			b.WriteString(s.at(part.Pos))
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// arc draws an arc in pieces of less than half a turn.
func (s *svg) arc(b *strings.Builder, part vg.PathComp) {
	on := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y + part.Radius*vg.Length(sin)}
	}
	if b.Len() == 0 {
		b.WriteString("M" + s.at(on(part.Start)))
	} else {
		b.WriteString("L" + s.at(on(part.Start)))
	}
	pieces := int(math.Ceil(math.Abs(part.Angle) / (0.9 * math.Pi)))
	sweep := 0 // y points down
	if part.Angle < 0 {
		sweep = 1
	}
	r := decimals(float64(part.Radius) * s.size())
	for i := range pieces {
		fmt.Fprintf(b, "A%s,%s 0 0 %d %s", r, r, sweep, s.at(on(part.Start+part.Angle*float64(i+1)/float64(pieces))))
	}
}

// FillString writes a text, as long as it is in the font that it was given room for.
func (s *svg) FillString(face font.Face, pt vg.Point, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.endDots()
	x, y := s.place(pt)
	size := s.size()
	fmt.Fprintf(&s.body, `<text x="%s" y="%s" font-size="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"`, decimals(x), decimals(y),
		decimals(float64(face.Font.Size)*size), decimals(float64(face.Width(text))*size))
	if c := hex(s.top().colour); c != "#000000" {
		fmt.Fprintf(&s.body, ` fill="%s"`, c)
	}
	if angle := -math.Atan2(s.top().b, s.top().a) * 180 / math.Pi; angle != 0 {
		fmt.Fprintf(&s.body, ` transform="rotate(%s %s %s)"`, decimals(angle), decimals(x), decimals(y))
	}
	fmt.Fprintf(&s.body, ">%s</text>\n", html.EscapeString(text))
}

// DrawImage draws an image into a rectangle.
func (s *svg) DrawImage(rect vg.Rectangle, img image.Image) {
	s.endDots()
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		panic("picture: " + err.Error()) // a Buffer takes everything
	}
	x, y := s.place(vg.Point{X: rect.Min.X, Y: rect.Max.Y})
	size := rect.Size()
	fmt.Fprintf(&s.body, `<image x="%s" y="%s" width="%s" height="%s" href="data:image/png;base64,%s"/>`+"\n", decimals(x), decimals(y),
		decimals(float64(size.X)*s.size()), decimals(float64(size.Y)*s.size()), base64.StdEncoding.EncodeToString(data.Bytes()))
}

// WriteTo writes the picture.
func (s *svg) WriteTo(w io.Writer) (int64, error) {
	s.endDots()
	n, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %[1]s %[2]s" font-family="Liberation Sans,Arial,Helvetica,sans-serif">`+"\n%s</svg>\n",
		decimals(float64(s.width)), decimals(float64(s.height)), s.body.String())
	return int64(n), err
}

// hex returns a colour as SVG has it. Nothing here is transparent.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
