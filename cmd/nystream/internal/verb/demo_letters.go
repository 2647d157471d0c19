package verb

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/sketch"
)

// Synthetic letters: each of the 26 is a closed curve in letterDimension columns, with noise.
const (
	letterDimension = 16
	letterCount     = 26
	letterNoise     = 1.0 // standard deviation; those of a curve are about 2
	letterRows      = 15000
	LetterNewRows   = 5000
)

// letters generates rows from a seed.
type letters struct {
	middle   [letterCount][letterDimension]float64
	harmonic [letterCount][4][letterDimension]float64 // cos t, sin t, cos 2t, sin 2t
	stream   sketch.Random
}

func newLetters(seed uint64) *letters {
	l := &letters{stream: sketch.NewRandom(seed, "demo letters")}
	draws := sketch.NewRandom(seed, "demo alphabet").At(0)
	for c := range l.middle {
		for j := range letterDimension {
			l.middle[c][j] = draws.Normal()
			for h := range l.harmonic[c] {
				l.harmonic[c][h][j] = draws.Normal()
			}
		}
	}
	return l
}

// appendRow appends row i as a line of CSV: the letter, then the numbers. It does not depend on earlier rows.
func (l *letters) appendRow(to []byte, i uint64) []byte {
	draws := l.stream.At(i)
	c := int(draws.Float64() * letterCount)
	turn := 2 * math.Pi * draws.Float64()
	to = append(to, 'A'+byte(c))
	for j := range letterDimension {
		v := l.middle[c][j] + letterNoise*draws.Normal()
		for h, wave := range []float64{math.Cos(turn), math.Sin(turn), math.Cos(2 * turn), math.Sin(2 * turn)} {
			v += float64(wave * l.harmonic[c][h][j])
		}
		to = strconv.AppendFloat(append(to, ','), v, 'f', 3, 64)
	}
	return append(to, '\n')
}

// writeLetters writes train.csv and test.csv to a folder.
func (d *demoCommand) writeLetters(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return flags.Usagef("--csv %v", err)
	}
	l, header := newLetters(d.app.Seed), "letter"
	for j := range letterDimension {
		header += fmt.Sprintf(",x%d", j)
	}
	next := uint64(0)
	for _, file := range []struct {
		name string
		rows int
	}{{"train.csv", letterRows}, {"test.csv", LetterNewRows}} {
		content := []byte(header + "\n")
		for range file.rows {
			content = l.appendRow(content, next)
			next++
		}
		path := filepath.Join(dir, file.name)
		if err := blockstore.WriteFile(path, content); err != nil {
			return err
		}
		d.say("%s synthetic letters of %d numbers: %s", report.Count(int64(file.rows)), letterDimension, path)
	}
	return nil
}
