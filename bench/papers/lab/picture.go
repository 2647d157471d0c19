package lab

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
)

// SavePNG writes a picture to a folder, with a message to standard error.
func SavePNG(dir, name string, img image.Image) error {
	path := filepath.Join(dir, name+".png")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close()
		return err
	}
	fmt.Fprintln(os.Stderr, path)
	return f.Close()
}
