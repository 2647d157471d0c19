package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/nystream/nystream/internal/simd"
)

// A place is a table of tiles.
type place struct {
	path    simd.Path
	element string
	threads int
}

// A line is what was measured of a kernel on d columns in one place.
type line struct {
	place
	kernel        kernel
	d             int
	step, profile samples // the calibrations
	tile, folded  samples
	gonum         samples // nil where there is nothing to compare with
	worst         float64 // relative error
}

func (l *line) bound() samples { return bound(l.d, l.step, l.profile) }

// printTiles measures all tiles and prints a table for every path, type and
// number of threads.
func printTiles(w io.Writer, o options) error {
	var lines []*line
	for _, threads := range o.threads {
		c := newCrew(threads)
		for _, k := range o.kernels {
			for _, d := range o.dims {
				progress("tiles: %s, d=%d, threads=%d", k.name, d, threads)
				lines = append(lines, c.measureTiles(k, d, o)...)
			}
		}
		c.close()
	}
	fmt.Fprintf(w, "\n## Tiles of %d×%d, nanoseconds an entry\n\n", stripRows, landmarks)
	fmt.Fprintf(w, "tile: the kernel alone. tile+fold: what the solvers do, %d rows at a time, the %d entries of each column of the sketch added.\n"+
		"bound: d steps at the peak (multiply-adds, two operations each; for laplace absolute differences) and one profile at its peak, both in registers.\n"+
		"Medians of %d repetitions in which peaks and work take turns; the ratios are medians of their own.\n", foldRows, nonzeros, o.reps)
	for _, p := range places(lines) {
		printPlace(w, p, lines)
	}
	printScaling(w, o, lines)
	printBetween(w, o, lines)
	return nil
}

// measureTiles measures a kernel on all paths and types, in turns.
func (c *crew) measureTiles(k kernel, d int, o options) []*line {
	var lines []*line
	var loads []load
	var keep []*samples // where the samples of each load go
	add := func(l load, to *samples) { loads, keep = append(loads, l), append(keep, to) }
	for _, path := range o.paths {
		for _, element := range o.types {
			l := &line{place: place{path, element, len(c.work)}, kernel: k, d: d}
			lines = append(lines, l)
			if element == "f32" {
				addTile(l, newTileJob(k, d, len(c.work), solver32), add)
				continue
			}
			job := newTileJob(k, d, len(c.work), solver64)
			addTile(l, job, add)
			if g := gonumLoad(job); g != nil && path == simd.Go {
				add(*g, &l.gonum)
			}
		}
	}
	runtime.GC() // not while something is measured
	for i, s := range c.measure(loads, o.reps, o.sample) {
		*keep[i] = s
	}
	return lines
}

// addTile adds the loads of a line, and measures its accuracy.
func addTile[T simd.Float](l *line, job *tileJob[T], add func(load, *samples)) {
	l.worst = job.largestError(l.path)
	p := peaks[T](l.kernel, l.path)
	add(p[0], &l.step)
	add(p[1], &l.profile)
	add(load{path: l.path, run: job.fillTile}, &l.tile)
	add(load{path: l.path, run: job.fillFolded}, &l.folded)
}
