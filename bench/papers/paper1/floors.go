package paper1

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// floor is σ_{c+1}/σ₁, the least relative spectral error of rank c without a shift.
type floor struct {
	Value float64
	// Residual is ‖Au−θu‖/σ₁ of the Ritz pair that Value comes from, 0 if that
	// is an eigenvalue to rounding.
	Residual float64
}

type floorKey struct {
	Data string
	Word string
	Rows int
	C    int
}

// floors are the floors known, and the file that they are written to.
type floors struct {
	known map[floorKey]floor
	path  string
}

func openFloors(path string) (*floors, error) {
	f := &floors{known: map[floorKey]floor{}, path: path}
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, rec := range records[min(1, len(records)):] {
		if err := f.parse(rec); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f, nil
}

func (f *floors) parse(rec []string) error {
	if len(rec) != 6 {
		return fmt.Errorf("%d fields, not 6", len(rec))
	}
	k, v := floorKey{Data: rec[0], Word: rec[1]}, floor{}
	for i, to := range map[int]*int{2: &k.Rows, 3: &k.C} {
		var err error
		if *to, err = strconv.Atoi(rec[i]); err != nil {
			return err
		}
	}
	for i, to := range map[int]*float64{4: &v.Value, 5: &v.Residual} {
		var err error
		if *to, err = strconv.ParseFloat(rec[i], 64); err != nil {
			return err
		}
	}
	f.known[k] = v
	return nil
}

// write writes all floors, in order.
func (f *floors) write() error {
	var lines [][]string
	for k, v := range f.known {
		lines = append(lines, []string{k.Data, k.Word, strconv.Itoa(k.Rows), strconv.Itoa(k.C), strconv.FormatFloat(v.Value, 'g', 7, 64), strconv.FormatFloat(v.Residual, 'g', 3, 64)})
	}
	slices.SortFunc(lines, slices.Compare[[]string])
	file, err := os.Create(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	return csv.NewWriter(file).WriteAll(append([][]string{{"data", "kernel", "rows", "c", "floor", "residual"}}, lines...))
}

// add works out the floors of a problem that are missing.
func (f *floors) add(ctx context.Context, m *measurement) error {
	var missing []int
	for _, c := range m.ranks(m.options, m.x.Rows) {
		if _, known := f.known[m.floorKey(c)]; !known {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	began := time.Now()
	all, err := leading(ctx, m.kernel, m.x, slices.Max(missing)+1)
	if err != nil {
		return err
	}
	for _, c := range missing {
		if c < len(all) {
			f.known[m.floorKey(c)] = all[c]
		}
	}
	progress("%s: floors %.1f s", m.problem, time.Since(began).Seconds())
	return f.write()
}

func (m *measurement) floorKey(c int) floorKey {
	return floorKey{m.data, m.problem.kernel, m.x.Rows, c}
}

// denseRows is up to how many rows floors come from all eigenvalues.
const denseRows = 5000

// leading returns the k largest eigenvalues, relative to the first.
func leading(ctx context.Context, k kernelgen.Kernel, x blas64.General, count int) ([]floor, error) {
	if x.Rows <= denseRows {
		return denseEigenvalues(k, x)
	}
	// The last Ritz pairs are the worst: more columns than are looked at.
	s, err := lowrank.Subspace{Rank: count + 50, Passes: 3, Seed: 1, Shift: lowrank.ShiftNone}.Fit(ctx, stream.Engine{}, model.Sources{Left: stream.FromMatrix("data", x)}, k)
	if err != nil {
		return nil, err
	}
	all := make([]floor, min(count, len(s.Values), len(s.Residuals)))
	for i := range all {
		all[i] = floor{s.Values[i] / s.Values[0], s.Residuals[i]}
	}
	return all, nil
}

// denseEigenvalues returns those of a small kernel matrix, by magnitude.
func denseEigenvalues(k kernelgen.Kernel, x blas64.General) ([]floor, error) {
	a := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(x.Rows, a.Data), false) {
		return nil, fmt.Errorf("the eigenvalues of kernel %s did not converge", k)
	}
	all := make([]floor, x.Rows)
	for i, v := range eig.Values(nil) {
		all[i] = floor{Value: max(v, -v)}
	}
	slices.SortFunc(all, func(a, b floor) int {
		if a.Value > b.Value {
			return -1
		}
		return 1
	})
	for i := len(all) - 1; i >= 0; i-- {
		all[i].Value /= all[0].Value
	}
	return all, nil
}
