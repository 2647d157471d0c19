package report

import (
	"io"
	"os"
	"strings"
)

// WriteSVG writes a picture of gonum's vgsvg to a file. A reader without its font takes
// another one without serifs.
func WriteSVG(path string, picture io.WriterTo) error {
	var svg strings.Builder
	if _, err := picture.WriteTo(&svg); err != nil {
		return err
	}
	const family = "font-family:Liberation Sans"
	text := strings.ReplaceAll(svg.String(), family, family+",Arial,Helvetica,sans-serif")
	return os.WriteFile(path, []byte(text), 0o666)
}
