package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices use our BLAS, as in the programs: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

// smallest holds the flags with which each paper takes the least time.
var smallest = map[string]string{
	"paper1": "-seeds 1 -c 3 -growth 250 -rows 120",
	"paper2": "-seeds 1 -features 5 -limit 0.01",
	"paper3": "-folds 2 -rows 48",
	"paper4": "-repeats 1 -rows 40",
	"paper5": "-rows 200",
}

// TestEveryPart runs each part of each paper on synthetic data. It creates the files that a part misses and runs the
// part again.
func TestEveryPart(t *testing.T) {
	data := t.TempDir()
	t.Setenv("NYSTREAM_DATA", data)
	eachPart(t, func(t *testing.T, run func() error) {
		err := run()
		for range 20 {
			missing := missingFiles(err)
			if len(missing) == 0 {
				break
			}
			for _, path := range missing {
				makeData(t, path)
			}
			err = run()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestEveryPartOnData runs each part on the data of NYSTREAM_DATA, with the smallest settings, if NYSTREAM_PARTS=data.
func TestEveryPartOnData(t *testing.T) {
	if os.Getenv("NYSTREAM_PARTS") != "data" {
		t.Skip("skipped: NYSTREAM_PARTS=data runs every part on the data of NYSTREAM_DATA")
	}
	eachPart(t, func(t *testing.T, run func() error) {
		err := run()
		if missing := missingFiles(err); len(missing) > 0 {
			t.Skipf("skipped: no %s (set NYSTREAM_DATA)", strings.Join(missing, ", "))
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// eachPart runs a subtest for each part of the programs, with a function that runs the part.
func eachPart(t *testing.T, test func(t *testing.T, run func() error)) {
	for _, p := range papers {
		all, err := p.parse(nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Parts) == 0 {
			t.Errorf("%s has no parts", p.name)
		}
		for _, part := range all.Parts {
			t.Run(p.name+"/"+part, func(t *testing.T) {
				out := t.TempDir()
				one, err := p.parse(append(strings.Fields(smallest[p.name]), "-out", out, "-only", part))
				if err != nil {
					t.Fatal(err)
				}
				test(t, func() error { return one.Run(t.Context()) })
				if tables, _ := filepath.Glob(filepath.Join(out, "*.csv")); len(tables) == 0 && !t.Failed() && !t.Skipped() {
					t.Error("no table was written")
				}
			})
		}
	}
}

// missingFile matches the path in an error about a missing file.
var missingFile = regexp.MustCompile(`(/[^ :]+): no such file`)

// missingFiles returns the paths of the missing files that an error names.
func missingFiles(err error) (paths []string) {
	if err == nil {
		return nil
	}
	for _, found := range missingFile.FindAllStringSubmatch(err.Error(), -1) {
		paths = append(paths, found[1])
	}
	return paths
}

// madeRows is the number of rows of synthetic data.
const madeRows = 120

// makeData creates a missing file. Tables have two classes, in the first and in the last column.
func makeData(t *testing.T, path string) {
	t.Helper()
	var text bytes.Buffer
	name := filepath.Base(path)
	lines := func(line func(i int) string) {
		for i := range madeRows {
			fmt.Fprintln(&text, line(i))
		}
	}
	class := func(i int) int { return i / 3 % 2 }
	number := func(i, j int) float64 { return float64((i*i*(j+3)+7*i*j+i)%101) / 101 }
	row := func(i, columns int, separator string) string {
		words := []string{fmt.Sprint(1 + class(i))}
		for j := range columns {
			words = append(words, fmt.Sprint(number(i, j)+float64(class(i))))
		}
		return strings.Join(append(words, fmt.Sprint(1+class(i))), separator)
	}
	switch {
	case strings.HasSuffix(name, ".edges.csv"):
		fmt.Fprintln(&text, "src,dst")
		lines(func(i int) string { // a node without edges either way would make the system of AsK-LS singular
			return fmt.Sprintf("n%d,n%d\nn%d,n%d", i, (7*i+1)%madeRows, i, (11*i+5)%madeRows)
		})
	case strings.HasSuffix(name, ".labels.csv"):
		fmt.Fprintln(&text, "node,label")
		lines(func(i int) string { return fmt.Sprintf("n%d,%d", i, class(i)) })
	case strings.HasSuffix(name, ".jpg"), strings.HasSuffix(name, ".png"):
		img := image.NewRGBA(image.Rect(0, 0, 48, 32))
		for i := range 48 * 32 {
			img.Set(i%48, i/48, color.RGBA{uint8(5 * (i % 48)), uint8(7 * (i / 48)), uint8(7 * i % 256), 255})
		}
		encode := png.Encode
		if strings.HasSuffix(name, ".jpg") {
			encode = func(w io.Writer, img image.Image) error { return jpeg.Encode(w, img, nil) }
		}
		if err := encode(&text, img); err != nil {
			t.Fatal(err)
		}
	case strings.Contains(name, "label"): // one class a row
		if strings.HasSuffix(name, ".npy") {
			writeNPY(&text, 1, func(i, _ int) float64 { return float64(class(i)) })
			break
		}
		fmt.Fprintln(&text, "class")
		lines(func(i int) string { return fmt.Sprint(class(i)) })
	case strings.HasSuffix(name, ".npy"):
		writeNPY(&text, 20, func(i, j int) float64 { return number(i, j) + float64(class(i)) })
	case name == "letter.scale":
		lines(func(i int) string { return "A" + strings.TrimPrefix(row(i, 15, ","), fmt.Sprint(1+class(i))) })
	case strings.HasSuffix(name, ".scale"), filepath.Ext(name) == "":
		lines(func(i int) string {
			return fmt.Sprintf("%d 1:%g 2:%g 4:%g", 1+class(i), number(i, 1), number(i, 2), number(i, 4))
		})
	case filepath.Ext(name) == ".csv", filepath.Ext(name) == ".data":
		lines(func(i int) string { return row(i, 20, ",") })
	case filepath.Ext(name) == ".dat", strings.HasPrefix(name, "monks"):
		lines(func(i int) string { return row(i, 8, " ") })
	default:
		t.Fatalf("%s: a part reads a file that this test does not make", name)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeNPY writes synthetic rows as a .npy file.
func writeNPY(to *bytes.Buffer, columns int, value func(i, j int) float64) {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", madeRows, columns)
	header += strings.Repeat(" ", (64-(10+len(header)+1)%64)%64) + "\n"
	to.WriteString("\x93NUMPY\x01\x00")
	binary.Write(to, binary.LittleEndian, uint16(len(header)))
	to.WriteString(header)
	for i := range madeRows {
		for j := range columns {
			binary.Write(to, binary.LittleEndian, value(i, j))
		}
	}
}
