package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
)

// paint FILE WIDTH HEIGHT KIND writes a picture: warm or cold colours, grey ones (gray), warm
// ones of 16 bits (deep), ones that are half or wholly transparent (half, clear), or the
// beginning of one that says it has so many pixels (claim).
func paint() {
	path, width, height, kind := os.Args[1], atoi(os.Args[2]), atoi(os.Args[3]), os.Args[4]
	f, err := os.Create(path)
	if err == nil {
		switch {
		case kind == "claim":
			_, err = f.Write(claimed(width, height))
		case filepath.Ext(path) == ".png":
			err = png.Encode(f, painted(width, height, kind))
		default:
			err = jpeg.Encode(f, painted(width, height, kind), nil)
		}
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// painted returns a picture that changes across and down.
func painted(width, height int, kind string) image.Image {
	size := image.Rect(0, 0, width, height)
	wide := image.NewNRGBA64(size)
	for y := range height {
		for x := range width {
			across, down := uint16(0xffff*x/width), uint16(0xffff*y/height)
			c := color.NRGBA64{R: 0xc000 + across/4, G: down / 2, B: across / 8, A: 0xffff}
			switch {
			case kind == "cold":
				c.R, c.B = c.B, c.R
			case kind == "clear", kind == "half" && x < width/2:
				c.A = 0
			}
			wide.SetNRGBA64(x, y, c)
		}
	}
	m := image.Image(wide)
	switch kind {
	case "gray":
		m = converted(image.NewGray(size), m, size)
	case "deep":
	default:
		m = converted(image.NewNRGBA(size), m, size)
	}
	return m
}

// converted copies a picture into one of another kind.
func converted(to interface {
	image.Image
	Set(x, y int, c color.Color)
}, m image.Image, size image.Rectangle) image.Image {
	for y := range size.Dy() {
		for x := range size.Dx() {
			to.Set(x, y, m.At(x, y))
		}
	}
	return to
}

// claimed returns the beginning of a PNG file.
func claimed(width, height int) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), uint32(width))
	chunk = append(binary.BigEndian.AppendUint32(chunk, uint32(height)), 8, 2, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(chunk))
}
