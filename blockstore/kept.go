package blockstore

import "github.com/nystream/nystream/stream"

// truncateKept empties the kept columns of dst before a read, keeping memory.
func truncateKept(dst *stream.Batch, fields []stream.Field) {
	for i := range dst.Kept {
		c := &dst.Kept[i]
		c.Kind, c.Valid = fields[i].Kind, nil
		c.Floats, c.Ints, c.Strings = c.Floats[:0], c.Ints[:0], c.Strings[:0]
	}
}

// columnLen is the number of values in c.
func columnLen(c *stream.Column) int {
	switch c.Kind {
	case stream.Int64:
		return len(c.Ints)
	case stream.String:
		return len(c.Strings)
	}
	return len(c.Floats)
}

// valid says whether value i of c is not null.
func valid(c *stream.Column, i int) bool { return c.Valid == nil || c.Valid[i] }

// appendValid notes that the value just appended to c is not null.
func appendValid(c *stream.Column) {
	if c.Valid != nil {
		c.Valid = append(c.Valid, true)
	}
}

// appendNull appends a null to c; a column of floats holds NaN in its place.
func appendNull(c *stream.Column) {
	if c.Valid == nil {
		c.Valid = make([]bool, columnLen(c), columnLen(c)+1)
		for i := range c.Valid {
			c.Valid[i] = true
		}
	}
	c.Valid = append(c.Valid, false)
	switch c.Kind {
	case stream.Float64:
		c.Floats = append(c.Floats, nan)
	case stream.Int64:
		c.Ints = append(c.Ints, 0)
	case stream.String:
		c.Strings = append(c.Strings, "")
	}
}
