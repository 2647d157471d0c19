package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

func init() {
	register.DoFn2x2[context.Context, string, states, error](&foldPart{})
	register.DoFn2x1[context.Context, states, error](&saveStates{})
	register.Combiner1[states](&joinStates{})
	beam.RegisterType(reflect.TypeFor[states]())
}

// states are states of one pass, by name. They are the elements of the pipeline, and what
// it combines them in.
type states struct {
	Names []string
	Data  [][]byte
}

// fold does one pass: the command for each line of in, with the line in the place of {}.
// What the parts leave is combined, and goes into the folder of states at the end.
func fold(ctx context.Context, command []string, in io.Reader) error {
	lines, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r, err := newReplay(command)
	if err != nil {
		return err
	}
	p, scope := beam.NewPipelineWithRoot()
	parts := beam.Reshuffle(scope, beam.CreateList(scope, strings.Fields(string(lines))))
	folded := beam.ParDo(scope, &foldPart{r}, parts)
	beam.ParDo0(scope, &saveStates{r.Worker.in(r.States)}, beam.Combine(scope, &joinStates{r}, folded))
	return runPipeline(ctx, p, "pass")
}

// replay is how a worker runs the fit that the folder of states describes.
type replay struct {
	Worker  worker
	Args    []string // with {} for the number of the part
	States  string   // the folder of states
	Earlier []string // names of the states of passes that are complete, of rows that were fetched, and savedFit
}

// savedFit is the file in a folder of states that describes the fit. It takes the place of a command line.
const savedFit = "fit.json"

func newReplay(words []string) (*replay, error) {
	if len(words) < 2 {
		return nil, errors.New("a command is missing; nystream fit --runner 'nystream-beam fold' gives it")
	}
	r := &replay{Args: words[1:], States: valueOf(words, "--states"), Earlier: []string{savedFit}}
	var err error
	if r.Worker, err = newWorker(words[0]); err != nil {
		return nil, err
	}
	store := blockstore.States(r.States)
	names, err := store.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, stream.RowsSuffix) {
			r.Earlier = append(r.Earlier, name)
		}
	}
	all, err := stream.ListStates(store)
	if err != nil {
		return nil, err
	}
	seen := make(map[int]int64) // rows, by pass
	for _, s := range all {
		seen[s.Fold] += s.Seen
	}
	for _, s := range all {
		if s.Err == nil && seen[s.Fold] == s.Rows {
			r.Earlier = append(r.Earlier, s.Name)
		}
	}
	return r, nil
}

// run runs the fit with the states of earlier passes and some more, and returns those that
// it leaves besides the earlier ones.
func (r *replay) run(ctx context.Context, more states, own ...string) (left states, report *folded, err error) {
	leave, err := place(ctx, r.Worker.AtOnce)
	if err != nil {
		return left, nil, err
	}
	defer leave()
	folder, err := os.MkdirTemp("", "nystream-beam-")
	if err != nil {
		return left, nil, err
	}
	defer os.RemoveAll(folder)
	store := blockstore.States(folder)
	for _, name := range r.Earlier {
		data, err := os.ReadFile(filepath.Join(r.Worker.in(r.States), name))
		if err == nil {
			err = store.Write(name, data)
		}
		if err != nil {
			return left, nil, fmt.Errorf("the state of an earlier pass: %w", err)
		}
	}
	for i, data := range more.Data {
		prefix, _, _ := strings.Cut(more.Names[i], "-")
		if err := store.Write(fmt.Sprintf("%s-%d.state", prefix, i), data); err != nil {
			return left, nil, err
		}
	}
	out, err := r.Worker.run(ctx, r.with(folder, own))
	if err != nil {
		return left, nil, err
	}
	report = new(folded)
	if err := json.Unmarshal(out, report); err != nil {
		return left, nil, fmt.Errorf("nystream printed %q: %w", out, err)
	}
	if report.State == "" {
		return left, nil, errors.New("nystream had nothing left to do")
	}
	data, err := os.ReadFile(report.State)
	return states{[]string{filepath.Base(report.State)}, [][]byte{data}}, report, err
}

// folded is what nystream reports of a part, or of states that were joined.
type folded struct {
	Pass  string `json:"pass"`
	Rows  int64  `json:"rows"`
	State string `json:"state"`
}

// with returns the command line with another folder of states, and with flags in the place
// of that for a part.
func (r *replay) with(folder string, own []string) (args []string) {
	for _, word := range r.Args {
		switch {
		case strings.HasPrefix(word, "--states="):
			args = append(append(args, own...), "--states="+folder)
		case strings.HasPrefix(word, "--shard="):
		default:
			args = append(args, word)
		}
	}
	return args
}

// part returns the flag for a part.
func (r *replay) part(number string) string {
	return "--shard=" + strings.ReplaceAll(valueOf(r.Args, "--shard"), "{}", number)
}

// foldPart makes the state of a part.
type foldPart struct{ Replay *replay }

// ProcessElement takes the number of the part.
func (f *foldPart) ProcessElement(ctx context.Context, number string) (states, error) {
	left, report, err := f.Replay.run(ctx, states{}, f.Replay.part(number))
	if err != nil {
		return left, fmt.Errorf("part %s: %w", number, err)
	}
	count(ctx, "parts", 1)
	count(ctx, "rows", report.Rows)
	count(ctx, "state_bytes", int64(len(left.Data[0])))
	return left, nil
}

// joinStates merges states, as many at a time as may be on their way at once, by the fit itself.
// The fit refuses states of other fits, and counts a part that comes twice once.
type joinStates struct{ Replay *replay }

// fanIn is the number of states merged at a time.
const fanIn = 16

// CreateAccumulator returns no states.
func (j *joinStates) CreateAccumulator() states { return states{} }

// AddInput adds the state of a part.
func (j *joinStates) AddInput(all, one states) (states, error) { return j.MergeAccumulators(all, one) }

// MergeAccumulators joins states if they have become many.
func (j *joinStates) MergeAccumulators(a, b states) (states, error) {
	all := states{append(a.Names[:len(a.Names):len(a.Names)], b.Names...), append(a.Data[:len(a.Data):len(a.Data)], b.Data...)}
	if len(all.Data) < fanIn {
		return all, nil
	}
	return j.join(all)
}

// ExtractOutput joins what is left.
func (j *joinStates) ExtractOutput(all states) (states, error) {
	if len(all.Data) == 0 {
		return all, nil
	}
	return j.join(all)
}

func (j *joinStates) join(all states) (states, error) {
	one, _, err := j.Replay.run(context.Background(), all, "--join")
	return one, err
}

// saveStates writes states into the folder of the fit.
type saveStates struct{ States string }

// ProcessElement writes states, each whole. The names of a bundle that is done again are
// the same.
func (s *saveStates) ProcessElement(ctx context.Context, all states) error {
	for i, name := range all.Names {
		if err := blockstore.States(s.States).Write(name, all.Data[i]); err != nil {
			return err
		}
		count(ctx, "joined_bytes", int64(len(all.Data[i])))
	}
	return nil
}
