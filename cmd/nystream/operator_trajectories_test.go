package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/family/operator"
)

// The Koopman operator of a linear map has its eigenvalues only if no pair crosses trajectories. Trajectories may be
// numbers or words, and span files.
func TestTrajectoriesByColumn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const runs, steps = 4, 6
	names := map[string]func(run int) string{
		"whole":  func(run int) string { return fmt.Sprint(3 - run) },
		"number": func(run int) string { return fmt.Sprint(float64(run)/2 - 1) },
		"word":   func(run int) string { return string(rune('d' - run)) },
	}
	var lines []string
	for run := range runs {
		x, y := math.Sin(float64(run+1)), math.Cos(float64(3*run))
		for range steps {
			lines = append(lines, fmt.Sprintf("%s,%s,%s,%v,%v", names["whole"](run), names["number"](run), names["word"](run), x, y))
			x, y = 0.95*x, 0.5*y
		}
	}
	write := func(name string, lines []string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("whole,number,word,x,y\n"+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all := write("all.csv", lines)
	cut := write("a.csv", lines[:2*steps-2]) + " " + write("b.csv", lines[2*steps-2:])
	const flags = " --columns x,y --lag 1 --kind koopman --task eigen --ridge 0 --kernel linear() --rank 2 -o "
	for _, test := range []struct {
		files, flags string
		pairs        int64
		trajectories int
	}{
		{all, "--trajectory-by whole", 20, 4},
		{all, "--trajectory-by number", 20, 4},
		{all, "--trajectory-by word", 20, 4},
		{all, "--trajectory-by 2", 20, 4},
		{cut, "--trajectory-by word", 19, 5},
		{cut, "--trajectory-by word --trajectories all", 20, 4},
	} {
		r := operatorFit(t, test.files+" "+test.flags+flags+filepath.Join(folder, "m.npz"))
		if r.Rows != test.pairs || r.Trajectories != test.trajectories || len(r.Values) != 2 ||
			math.Abs(r.Values[0]-0.95) > 1e-9 || math.Abs(r.Values[1]-0.5) > 1e-9 {
			t.Errorf("%s: %+v", test.flags, r)
		}
	}
}

// Trajectories end at a new identifier or at the end of a file.
func TestTrajectoryLengths(t *testing.T) {
	for _, test := range []struct {
		ids   string
		parts []int64
		want  string
	}{
		{"aabbbc", nil, "[2 3 1]"},
		{"aabbbc", []int64{6}, "[2 3 1]"},
		{"aabbbc", []int64{3, 0, 3}, "[2 1 2 1]"},
		{"aaaa", []int64{0, 2, 2}, "[2 2]"},
		{"abab", []int64{2, 2}, "[1 1 1 1]"},
		{"abab", nil, "row 2 is of the trajectory of row 0"},
		{"bbabab", []int64{2, 4}, "row 4 is of the trajectory of row 2"},
	} {
		l := &operator.TrajectoryLengths{Parts: test.parts, Seen: make(map[operator.TrajectoryID]int64)}
		got := ""
		for i, id := range strings.Split(test.ids, "") {
			if earlier, ok := l.Add(operator.TrajectoryID{Text: id}); !ok && got == "" {
				got = fmt.Sprintf("row %d is of the trajectory of row %d", i, earlier)
			}
		}
		if got == "" {
			got = fmt.Sprint(l.Lengths)
		}
		if got != test.want {
			t.Errorf("%s in files of %v rows: %s, not %s", test.ids, test.parts, got, test.want)
		}
	}
}
