package operator

import (
	"context"

	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/stream"
)

// trajectoryFlag names the column that identifies trajectories.
const trajectoryFlag = "--trajectory-by"

// keepTrajectories makes the column of --trajectory-by the first kept column of X.
func (c *task) keepTrajectories(d rows.DataFlags) *rows.DataFlags {
	if c.trajectoryBy != "" {
		d.Keep = append([]string{c.trajectoryBy}, d.Keep...)
	}
	return &d
}

// findTrajectories computes the numbers of rows of the trajectories in X. No pair crosses trajectories. Cost: one pass
// with --trajectory-by.
func (c *task) findTrajectories(ctx context.Context) error {
	parts := c.job.Sides.Left.Files.Parts()
	if c.trajectoryFiles != "each" {
		parts = nil
	}
	if c.trajectoryBy == "" {
		c.lengths = parts
		return nil
	}
	info := c.job.Sides.Left.Info()
	t := &TrajectoryLengths{Parts: parts, Seen: make(map[TrajectoryID]int64)}
	at := rows.Annotation{Flag: trajectoryFlag, Columns: []string{info.Kept[0].Name}}
	err := rows.EachBlock(ctx, c.job.App.Engine(), "trajectories", c.job.Sides.Left, func(b *stream.Block) error {
		values := rows.AnnotationValues{Annotation: at, Source: info.Name, First: b.Start, Values: b.Kept[:1]}
		if err := values.CheckWhole(); err != nil {
			return err
		}
		for i := range values.Rows() {
			if earlier, ok := t.Add(idOf(&b.Kept[0], i)); !ok {
				return stream.NewValueError(info.Name, b.Start+int64(i), at.Columns[0],
					"the trajectory of this row has begun in row %d, and rows of another one are between", earlier).
					WithRemedy("sort the rows by this column, and those of a trajectory by time")
			}
		}
		return nil
	})
	c.lengths = t.Lengths
	return err
}

// TrajectoryID is the value of a column that identifies trajectories.
type TrajectoryID struct {
	whole  int64
	number float64
	Text   string
}

// idOf returns value i of a column without nulls.
func idOf(c *stream.Column, i int) TrajectoryID {
	switch c.Kind {
	case stream.Int64:
		return TrajectoryID{whole: c.Ints[i]}
	case stream.Float64:
		return TrajectoryID{number: c.Floats[i]}
	}
	return TrajectoryID{Text: c.Strings[i]}
}

// TrajectoryLengths counts the rows of consecutive trajectories. With Parts, a trajectory ends at the end of its file.
type TrajectoryLengths struct {
	Parts   []int64 // rows of files, each of which ends a trajectory
	Lengths []int64
	row     int64 // rows so far
	until   int64 // first row after the current file
	last    TrajectoryID
	Seen    map[TrajectoryID]int64 // first row of each trajectory
}

// Add counts a row. If its trajectory has already ended, it returns false and the first row of that trajectory.
func (t *TrajectoryLengths) Add(id TrajectoryID) (earlier int64, ok bool) {
	begins := t.row == 0 || id != t.last
	for len(t.Parts) > 0 && t.row == t.until {
		t.until += t.Parts[0]
		t.Parts = t.Parts[1:]
		begins = true
		clear(t.Seen)
	}
	if !begins {
		t.Lengths[len(t.Lengths)-1]++
		t.row++
		return 0, true
	}
	if earlier, found := t.Seen[id]; found {
		return earlier, false
	}
	t.Seen[id], t.last = t.row, id
	t.Lengths = append(t.Lengths, 1)
	t.row++
	return 0, true
}
