package fit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// stateFlags has the flags for states of passes: a fit saves its own, to be resumed, or makes or merges those of
// shards.
type stateFlags struct {
	checkpoint string // folder
	interval   time.Duration
	Folder     string // of shards
	shard      Shard
	keepStates bool
	join       bool
	shards     int    // requested from runner
	runner     string // a program and its arguments
}

func (s *stateFlags) add(set *flags.Set) {
	s.addShard(set)
	set.Add(
		stateFlag(flags.Flag{Name: "checkpoint", Arg: "folder", Usage: "folder of states from which the same command resumes", Value: flags.String(&s.checkpoint, ""), Complete: flags.Folders}),
		stateFlag(flags.Flag{Name: "checkpoint-every", Arg: "time", Usage: "time between states, such as 30s", Doc: "0 for the end of a pass only", Value: flags.Duration(&s.interval, time.Minute)}),
		stateFlag(flags.Flag{Name: "runner", Arg: "program", Usage: "program that runs the shards", Doc: "such as 'xargs -P 4 -I{}'", Needs: "states", Value: flags.String(&s.runner, "")}),
		stateFlag(flags.Flag{Name: "shards", Arg: "number", Usage: "parts of each pass for --runner", Needs: "runner", Value: flags.Int(&s.shards, 0)}),
		stateFlag(flags.Flag{Name: "keep-states", Usage: "keep the states after the fit", Value: flags.Bool(&s.keepStates, false)}),
	)
}

// Shard is a flag for one of several parts, counted from 1; the zero value is none.
type Shard struct{ Part, Of int }

// maxShards limits the number of parts of a pass.
const maxShards = 1 << 20

// Set parses a text such as 3/8.
func (s *Shard) Set(text string) error {
	var v Shard
	if n, err := fmt.Sscanf(text, "%d/%d", &v.Part, &v.Of); n != 2 || err != nil || v.Part < 1 || v.Part > v.Of || v.Of > maxShards || v.String() != text {
		return errors.New("is not a part such as 3/8, the third of eight")
	}
	*s = v
	return nil
}

func (s *Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Part, s.Of)
}

// Type returns the name of the value in help texts.
func (s *Shard) Type() string { return "part" }

// isShard reports whether the command line requests a shard.
func (s *stateFlags) isShard() bool { return s.shard.Of > 0 }

// mergesShards reports whether the command line requests the model from states of shards.
func (s *stateFlags) mergesShards() bool { return s.Folder != "" && !s.isShard() && !s.join }

// Stops reports whether the command line requests states and no model.
func (s *stateFlags) Stops() bool { return s.isShard() || s.join }

// folderFlag returns the folder and the flag that names it; "" for none.
func (s *stateFlags) folderFlag() (flag, folder string) {
	if s.checkpoint != "" {
		return "--checkpoint", s.checkpoint
	}
	return "--states", s.Folder
}

// budget adds the memory for writing a state: its bytes, twice while parts are merged.
func (s *stateFlags) budget(p *model.Plan) {
	if _, folder := s.folderFlag(); folder != "" && p.StateBytes > 0 {
		p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "state of a pass", Bytes: 2 * p.StateBytes, Setting: "`rank`"})
	}
}

// checkFolder fails early if the folder cannot be used, and creates one that will be written to.
func (s *stateFlags) checkFolder() error {
	flag, folder := s.folderFlag()
	info, err := os.Stat(folder)
	switch {
	case blockstore.IsRemote(folder):
		return flags.Usagef("%s %s: states are kept in a folder; name one that all machines share", flag, folder)
	case err == nil && !info.IsDir():
		return flags.Usagef("%s %s: this is no folder", flag, folder)
	case errors.Is(err, fs.ErrNotExist) && s.runner == "" && (s.mergesShards() || s.join):
		return stream.NewDataError(flag+" "+folder, "there is no such folder").WithKind(stream.Missing).
			WithRemedy("shards make it: nystream fit METHOD DATA... --shard 1/8 --states %s", folder)
	case s.mergesShards() && s.runner == "":
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return flags.Usagef("%s %s: %v", flag, folder, errors.Unwrap(err))
	}
	return rows.CheckFolder(flag, filepath.Join(folder, "state"))
}
