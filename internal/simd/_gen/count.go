package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Instruction counts of arm64. No machine of the kind is at hand, so what can be
// said of its speed is how many instructions an entry takes beside the least
// that a core must do. A walk follows the scalar instructions of a micro-kernel
// through the branches that a job takes, and counts all on the way.

// A walk is the state of the scalar registers, and what was counted.
type walk struct {
	registers map[string]uint64
	job       map[int]uint64 // by field; its address is zero
	flags     [2]uint64      // the last comparison
	carry     bool
	counts    map[kind]int
}

// A kind of instruction.
type kind int

const (
	arithmetic kind = iota // of floating-point vectors
	bitwise                // moves, bits and whole numbers in vectors
	memory                 // loads and stores of vectors
	scalars
)

// kindOf tells it by the name.
func kindOf(text string) kind {
	name, _, _ := strings.Cut(text, " ")
	switch {
	case name == "WORD" || strings.HasPrefix(name, "VFM"):
		return arithmetic
	case strings.HasPrefix(name, "VLD") || strings.HasPrefix(name, "VST") || strings.HasPrefix(name, "FMOV") ||
		strings.HasPrefix(name, "FLD") || strings.HasPrefix(name, "FST"):
		return memory
	case strings.HasPrefix(name, "V"):
		return bitwise
	}
	return scalars
}

// run follows the function to its end.
func (w *walk) run(body []instruction) error {
	labels := map[string]int{}
	for i, in := range body {
		if in.label != "" {
			labels[in.label] = i
		}
	}
	for at := 0; at < len(body); at++ {
		if body[at].label != "" {
			continue
		}
		text := body[at].text
		k := kindOf(text)
		w.counts[k]++
		if k != scalars {
			continue
		}
		if text == "RET" {
			return nil
		}
		label, err := w.step(text)
		if err != nil {
			return err
		}
		if label != "" {
			at = labels[label]
		}
	}
	return fmt.Errorf("the function has no end")
}

// step does a scalar instruction and returns the label it jumps to, if it does.
func (w *walk) step(text string) (label string, err error) {
	name, rest, _ := strings.Cut(text, " ")
	ops := strings.Split(rest, ", ")
	last := ops[len(ops)-1]
	when := map[string]bool{"B": true, "BEQ": w.flags[0] == w.flags[1], "BNE": w.flags[0] != w.flags[1],
		"BLO": w.flags[0] < w.flags[1], "BHI": w.flags[0] > w.flags[1], "BCC": !w.carry}
	switch name {
	case "MOVD":
		w.store(last, w.value(ops[0]))
	case "ADD", "ADDS": // of two operands, or of three
		a, b := w.value(ops[0]), w.value(ops[1])
		w.carry = a+b < a
		w.store(last, a+b)
	case "SUB":
		w.store(last, w.value(last)-w.value(ops[0]))
	case "LSL":
		w.store(last, w.value(last)<<w.value(ops[0]))
	case "CMP":
		w.flags = [2]uint64{w.value(last), w.value(ops[0])}
	case "CBNZ":
		if w.value(ops[0]) != 0 {
			return last, nil
		}
	default:
		jumps, ok := when[name]
		if !ok {
			return "", fmt.Errorf("a walk knows no %q", text)
		}
		if jumps {
			return last, nil
		}
	}
	return "", nil
}

// value is that of $n, of a register, or of a field of the job.
func (w *walk) value(operand string) uint64 {
	if n, ok := strings.CutPrefix(operand, "$"); ok {
		v, _ := strconv.ParseUint(n, 10, 64)
		return v
	}
	if field, ok := fieldOf(operand); ok {
		return w.job[field]
	}
	return w.registers[operand]
}

func (w *walk) store(operand string, v uint64) {
	if field, ok := fieldOf(operand); ok {
		w.job[field] = v
		return
	}
	w.registers[operand] = v
}

// fieldOf is the distance in "8(R0)".
func fieldOf(operand string) (field int, ok bool) {
	n, ok := strings.CutSuffix(operand, "(R0)")
	field, _ = strconv.Atoi(n)
	return field, ok
}

// countTile is what the second of two tiles of four rows takes.
func countTile(body []instruction, steps, base, profile uint64) (map[kind]int, error) {
	counts := func(tiles uint64) (map[kind]int, error) {
		w := walk{registers: map[string]uint64{}, counts: map[kind]int{}, job: map[int]uint64{
			fieldSteps: steps, fieldTiles: tiles, fieldBase: base, fieldProfile: profile, fieldWhole: 1}}
		err := w.run(body)
		return w.counts, err
	}
	one, err := counts(1)
	if err != nil {
		return nil, err
	}
	two, err := counts(2)
	for k := range two {
		two[k] -= one[k]
	}
	return two, err
}

// A counted is a tile that is counted, and the operations of a step and of the
// profile that it cannot do without.
type counted struct {
	name          string
	base, profile uint64
	step          float64
	last          float64
}

// The exponential needs 17 operations: so many does
// AVX-512, whose instructions are made for it.
var (
	products = counted{"products", 0, 0, 1, 0}
	rbf      = counted{"rbf", 1, 1, 2, 17}
	laplace  = counted{"laplace", 2, 1, 2, 17}
)

// count returns the instructions of an entry, and the least that a core with
// nothing but operations on 128 bits must do.
func (c counted) count(columns uint64) (total, least float64, err error) {
	by, err := c.byKind(columns)
	for _, n := range by {
		total += n
	}
	return total, (c.step*float64(columns) + c.last) / 2, err
}

// byKind returns the instructions of an entry by kind.
func (c counted) byKind(columns uint64) (by [scalars + 1]float64, err error) {
	counts, err := countTile(microBody(), columns, c.base, c.profile)
	const entries = 32
	for k, n := range counts {
		by[k] = float64(n) / entries
	}
	return by, err
}

// printCounts prints the counts of tiles of NEON.
func printCounts(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tile\tcolumns\tinstructions an entry\tarithmetic\tother vector\tloads and stores\tscalar\tleast\tratio\t")
	for _, c := range []counted{products, rbf, laplace} {
		for _, columns := range []uint64{3, 20, 128, 784} {
			by, err := c.byKind(columns)
			if err != nil {
				return err
			}
			total, least, _ := c.count(columns)
			fmt.Fprintf(t, "%s\t%d\t%.1f\t", c.name, columns, total)
			for _, n := range by {
				fmt.Fprintf(t, "%.1f\t", n)
			}
			fmt.Fprintf(t, "%.1f\t%.2f\t\n", least, total/least)
		}
	}
	return t.Flush()
}

// microBody is the micro-kernel of four rows.
func microBody() []instruction {
	l, _ := file{name: "micro", isa: neon}.lanes()
	l.consts = newConstants("constants")
	emitMicro(l, 4, 1)
	l.arm().finish()
	return l.arm().all[0].body
}
