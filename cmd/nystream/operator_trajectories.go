package main

import (
	"context"

	"github.com/nystream/nystream/stream"
)

// trajectoryFlag names the column that tells trajectories apart.
const trajectoryFlag = "--trajectory-by"

// keepTrajectories has X carry along the column of --trajectory-by, as the first.
func (c *operatorTask) keepTrajectories(d dataFlags) *dataFlags {
	if c.trajectoryBy != "" {
		d.keep = append([]string{c.trajectoryBy}, d.keep...)
	}
	return &d
}

// findTrajectories finds the numbers of rows of the trajectories in X. No pair leaves a trajectory. Cost: one pass with
// --trajectory-by.
func (c *operatorTask) findTrajectories(ctx context.Context) error {
	parts := c.job.sides.left.files.Parts()
	if c.files != "each" {
		parts = nil
	}
	if c.trajectoryBy == "" {
		c.lengths = parts
		return nil
	}
	info := c.job.sides.left.Info()
	t := &trajectoryLengths{parts: parts, seen: make(map[trajectoryID]int64)}
	at := aside{flag: trajectoryFlag, columns: []string{info.Kept[0].Name}}
	err := eachBlock(ctx, c.job.app.engine(), "trajectories", c.job.sides.left, func(b *stream.Block) error {
		values := asideValues{aside: at, source: info.Name, first: b.Start, values: b.Kept[:1]}
		if err := values.checkWhole(); err != nil {
			return err
		}
		for i := range values.rows() {
			if earlier, ok := t.add(idOf(&b.Kept[0], i)); !ok {
				return stream.NewValueError(info.Name, b.Start+int64(i), at.columns[0],
					"the trajectory of this row has begun in row %d, and rows of another one are between", earlier).
					Do("sort the rows by this column, and those of a trajectory by time")
			}
		}
		return nil
	})
	c.lengths = t.lengths
	return err
}

// trajectoryID is a value of a column that tells trajectories apart.
type trajectoryID struct {
	whole  int64
	number float64
	text   string
}

// idOf returns value i of a column without nulls.
func idOf(c *stream.Column, i int) trajectoryID {
	switch c.Kind {
	case stream.Int64:
		return trajectoryID{whole: c.Ints[i]}
	case stream.Float64:
		return trajectoryID{number: c.Floats[i]}
	}
	return trajectoryID{text: c.Strings[i]}
}

// trajectoryLengths counts the rows of trajectories, whose rows follow one another. A trajectory is within one file if
// there are parts.
type trajectoryLengths struct {
	parts   []int64 // rows of files that end trajectories
	lengths []int64
	row     int64 // rows so far
	until   int64 // row behind the file
	last    trajectoryID
	seen    map[trajectoryID]int64 // first rows
}

// add counts a row. If its trajectory has ended already, it returns false and the first row of that trajectory.
func (t *trajectoryLengths) add(id trajectoryID) (earlier int64, ok bool) {
	begins := t.row == 0 || id != t.last
	for len(t.parts) > 0 && t.row == t.until {
		t.until += t.parts[0]
		t.parts = t.parts[1:]
		begins = true
		clear(t.seen)
	}
	if !begins {
		t.lengths[len(t.lengths)-1]++
		t.row++
		return 0, true
	}
	if earlier, found := t.seen[id]; found {
		return earlier, false
	}
	t.seen[id], t.last = t.row, id
	t.lengths = append(t.lengths, 1)
	t.row++
	return 0, true
}
