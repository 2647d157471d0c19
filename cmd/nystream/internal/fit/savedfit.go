package fit

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// SavedFit describes a fit in a folder of states, without output paths and process settings. Shards on other machines,
// merge and runners continue from it.
type SavedFit struct {
	Method  string            `json:"method"`
	Data    []string          `json:"data"`
	Result  map[string]string `json:"result"`  // flags that determine the result
	Locates map[string]string `json:"locates"` // flags that locate data
}

// savedFitFile is the name of the file in a folder of states.
const savedFitFile = "fit.json"

// newSavedFit returns the description of a job.
func newSavedFit(j *Job) *SavedFit {
	s := &SavedFit{j.Method, j.args, map[string]string{"seed": fmt.Sprint(j.App.Seed)}, map[string]string{}}
	if s.Data == nil {
		s.Data = []string{}
	}
	j.Set.VisitGiven(func(f *flags.Flag) {
		switch f.Effect {
		case flags.Result:
			s.Result[f.Name] = f.Text()
		case flags.Locates:
			s.Locates[f.Name] = f.Text()
		}
	})
	return s
}

// readSavedFit reads the fit of a folder of states.
func readSavedFit(folder string) (*SavedFit, error) {
	path := filepath.Join(folder, savedFitFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, stream.NewDataError("--states "+folder, "there is no %s, which says what fit the states are of", savedFitFile).WithKind(stream.Missing).
			WithRemedy("shards make it: nystream fit METHOD DATA... --shard 1/8 --states %s", folder)
	}
	if err != nil {
		return nil, err
	}
	s := new(SavedFit)
	if err := json.Unmarshal(text, s); err != nil || s.Method == "" {
		return nil, stream.NewDataError(path, "this is not the description of a fit").WithKind(stream.Damaged).WithRemedy("run a shard again, with its whole command line")
	}
	return s, nil
}

// Write stores the fit in a folder of states. It fails for the folder of another fit. Paths may differ between
// machines; those of the first shard are kept.
func (s *SavedFit) Write(folder string) error {
	path := filepath.Join(folder, savedFitFile)
	if _, err := os.Stat(path); err == nil {
		if other, err := readSavedFit(folder); err == nil {
			if what := s.difference(other); what != "" {
				return stream.NewDataError("--states "+folder, "the folder is of another fit: %s", what).WithRemedy("name another folder, or remove this one")
			}
			return nil
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return blockstore.WriteFile(path, append(text, '\n'))
}

// difference describes how another fit differs, "" if only in the location of its data.
func (s *SavedFit) difference(other *SavedFit) string {
	if s.Method != other.Method {
		return fmt.Sprintf("fit %s, not %s", other.Method, s.Method)
	}
	names := maps.Clone(s.Result)
	maps.Copy(names, other.Result)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		here, given := s.Result[name]
		there, known := other.Result[name]
		switch {
		case here == there && given == known:
		case !known:
			return fmt.Sprintf("without --%s %s", name, here)
		case !given:
			return fmt.Sprintf("with --%s %s", name, there)
		default:
			return fmt.Sprintf("--%s %s, not %s", name, there, here)
		}
	}
	return ""
}

// secondSourceFlags lists flags that name the files of a second source.
var secondSourceFlags = []string{"right", "with"}

// Move replaces the data of the fit, if any are named.
func (s *SavedFit) Move(data, right []string) {
	if _, ok := s.Locates["matrix"]; ok && len(s.Data) == 0 && len(data) > 0 {
		s.Locates["matrix"], data = flags.ListText(data), nil
	}
	for _, name := range secondSourceFlags {
		if _, ok := s.Locates[name]; ok && len(right) > 0 {
			s.Locates[name] = flags.ListText(right)
		}
	}
	if len(data) > 0 {
		s.Data = data
	}
}

// FilesMissing reports whether files of the fit are missing at the paths of its shards.
func (s *SavedFit) FilesMissing() bool {
	files := slices.Clone(s.Data)
	for _, name := range append(secondSourceFlags, "matrix") {
		words, err := csv.NewReader(strings.NewReader(s.Locates[name])).Read()
		if err == nil {
			files = append(files, words...)
		}
	}
	return slices.ContainsFunc(files, func(path string) bool {
		_, err := os.Stat(path)
		return !blockstore.IsRemote(path) && errors.Is(err, fs.ErrNotExist)
	})
}

// run runs the fit with additional flags from the command line of by.
func (s *SavedFit) run(ctx context.Context, a *app.App, by *cobra.Command) error {
	cmd, rest, err := by.Root().Find([]string{"fit", s.Method})
	if err != nil || len(rest) > 0 {
		return stream.NewDataError(savedFitFile, "there is no method %q", s.Method)
	}
	inherited, set := cmd.InheritedFlags(), flags.New(cmd)
	for _, values := range []map[string]string{s.Result, s.Locates} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if err := set.Assign(name, values[name]); err != nil {
				return stream.NewDataError(savedFitFile, "flag %s: %w", name, err)
			}
		}
	}
	flags.New(by).VisitGiven(func(f *flags.Flag) {
		if err == nil && f.Effect != flags.Locates && inherited.Lookup(f.Name) == nil {
			err = set.Assign(f.Name, f.Text())
		}
	})
	if err != nil {
		return err
	}
	cmd.SetContext(ctx)
	if err := a.Begin(cmd, s.Data); err != nil {
		return err
	}
	return cmd.RunE(cmd, s.Data)
}
