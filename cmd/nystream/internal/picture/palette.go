package picture

import (
	"image/color"
	"math"
)

// viridis are colours of equal steps in lightness that most colour-blind people
// tell apart (van der Walt and Smith 2015), without the yellow end, which is
// hard to see on white.
var viridis = []color.RGBA{
	{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x2c, 0x72, 0x8e, 0xff},
	{0x21, 0x91, 0x8c, 0xff}, {0x28, 0xae, 0x80, 0xff}, {0x5e, 0xc9, 0x62, 0xff}, {0xad, 0xdc, 0x30, 0xff},
}

// signed are colours from blue for the least over white for nothing to red.
var signed = []color.RGBA{
	{0x05, 0x3f, 0x82, 0xff}, {0x43, 0x82, 0xbb, 0xff}, {0xa7, 0xcc, 0xe2, 0xff}, {0xf7, 0xf7, 0xf7, 0xff},
	{0xf4, 0xb8, 0x98, 0xff}, {0xcc, 0x5c, 0x50, 0xff}, {0x7c, 0x0d, 0x26, 0xff},
}

// paper are colours from nearly white to dark, for grids of counts.
var paper = []color.RGBA{{0xf7, 0xfa, 0xfc, 0xff}, {0x9e, 0xcc, 0xdd, 0xff}, {0x3a, 0x86, 0xb0, 0xff}, {0x10, 0x3a, 0x6b, 0xff}}

// along returns the colour for part of the way, 0 ≤ part ≤ 1, along a map.
func along(colours []color.RGBA, part float64) color.RGBA {
	place := max(0, min(1, part)) * float64(len(colours)-1)
	i := min(int(place), len(colours)-2)
	a, b, t := colours[i], colours[i+1], place-float64(i)
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-t) + float64(b)*t + 0.5) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// mapOf returns a map of colours.
func mapOf(colours []color.RGBA) func(float64) color.Color {
	return func(part float64) color.Color { return along(colours, part) }
}

// cyclic returns the colour for part of the way round a circle: hues of one chroma in the
// space OKLab (Ottosson 2020), whose lightness rises and falls once, so that opposite sides
// differ for those too who do not tell the hues apart.
func cyclic(part float64) color.Color {
	sin, cos := math.Sincos(2 * math.Pi * part)
	return oklab(0.60-0.17*cos, 0.115*cos, 0.115*sin)
}

// oklab returns the colour of a lightness from 0 to 1 and two coordinates of hue.
func oklab(l, a, b float64) color.RGBA {
	cube := func(v float64) float64 { return v * v * v }
	x, y, z := cube(l+0.3963377774*a+0.2158037573*b), cube(l-0.1055613458*a-0.0638541728*b), cube(l-0.0894841775*a-1.2914855480*b)
	channel := func(v float64) uint8 {
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		return uint8(255*max(0, min(1, v)) + 0.5)
	}
	return color.RGBA{channel(4.0767416621*x - 3.3077115913*y + 0.2309699292*z), channel(-1.2684380046*x + 2.6097574011*y - 0.3413193965*z),
		channel(-0.0041960863*x - 0.7034186147*y + 1.7076147010*z), 0xff}
}

// groupColours are far apart for readers who see few (the first six are of Okabe and Ito
// 2008).
var groupColours = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x60, 0x60, 0x60, 0xff}, {0x7a, 0x3e, 0x9d, 0xff}, {0x8c, 0x56, 0x2b, 0xff}, {0x9a, 0xb4, 0x1c, 0xff}}

// groupColour returns the colour of group k of n: colours of their own, and from more than
// ten on those of one map.
func groupColour(k, n int) color.Color {
	if n <= len(groupColours) {
		return groupColours[k]
	}
	return along(viridis, float64(k)/float64(n-1))
}

// nobody is the colour of points that belong to no group.
var nobody = color.Gray{0xb8}
