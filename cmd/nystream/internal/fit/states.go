package fit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// stateFlag returns the declaration of a flag about states.
func stateFlag(f flags.Flag) flags.Flag {
	f.Group, f.Effect = flags.Runs, flags.Process
	return f
}

// addShard adds the flags of a shard. They suffice if the folder of states describes the fit.
func (s *stateFlags) addShard(set *flags.Set) {
	set.Add(
		stateFlag(flags.Flag{Name: "states", Arg: "folder", Usage: "states of shards, merged by a fit without --shard", Value: flags.String(&s.Folder, ""), Complete: flags.Folders}),
		stateFlag(flags.Flag{Name: "shard", Arg: "part", Usage: "compute one part of a pass, such as 3/8", Doc: "its state goes into --states", Needs: "states", Value: &s.shard}),
		stateFlag(flags.Flag{Name: "join", Usage: "merge the states of one pass", Doc: "without a model", Needs: "states", Value: flags.Bool(&s.join, false)}),
	)
}

func refusesStates(j *Job, refuse *flags.Refusals, inputs []string) {
	s := &j.States
	refuse.When(s.checkpoint != "" && s.Folder != "", "--checkpoint keeps the states of one run and --states those of shards: leave one of them out")
	refuse.When(s.join && s.isShard(), "--join puts states together and --shard makes one: leave one of them out")
	refuse.When(s.runner != "" && s.Stops(), "--runner makes the model of what shards leave in a folder: leave out --shard and --join")
	refuse.When(s.runner != "" && (s.shards < 1 || s.shards > maxShards), "--runner has shards done: say how many with --shards, such as --shards 8")
	refuse.If(s.checkpoint == "" && !s.isShard(), "checkpoint-every", "goes with --checkpoint or --shard")
	refuse.If(s.checkpoint == "" && !s.mergesShards(), "keep-states", "is for a fit with --checkpoint or --states")
	refuse.When(s.interval < 0, "--checkpoint-every must be 0 or more, such as 30s")
	refuse.When(s.Folder != "" && slices.Contains(inputs, "-"), "--states: all shards have to read the same rows, and the standard input can be read only once: write it to a file first, with nystream convert")
}

// rounds returns the names of the passes that shards make in turn, starting with those that prepare rows; none if the
// fit cannot be sharded.
func rounds(j *Job, p *model.Plan) (names []string) {
	if len(p.SharedPasses) == 0 {
		return nil
	}
	for index := range j.task.Names() {
		if scansOf(j, index) {
			names = append(names, "scan")
		}
	}
	return append(names, p.SharedPasses...)
}

// roundWords describes the rounds of a plan.
func roundWords(j *Job, p *model.Plan) string {
	rounds := rounds(j, p)
	switch {
	case len(rounds) == 0:
		return "none, one process makes the fit: " + flags.Spell(j.App.Cmd, notShardableReason(p))
	case p.MorePasses:
		return fmt.Sprintf("%d or more: %s …", len(rounds), strings.Join(rounds, ", "))
	}
	return fmt.Sprintf("%d: %s", len(rounds), strings.Join(rounds, ", "))
}

// notShardableReason explains why a fit cannot be sharded.
func notShardableReason(p *model.Plan) string {
	if p.NotShardable == "" {
		return "its passes are not sums over rows"
	}
	return p.NotShardable
}

// identity returns everything that determines the result besides the rows, one item a line.
func identity(j *Job) string {
	lines := []string{"nystream " + app.Version, "fit " + j.Method, "sources " + strings.Join(j.task.Names(), ", ")}
	lines = append(lines, j.Set.Results()...)
	return strings.Join(append(lines, "build "+app.Build()), "\n")
}

// openStates creates the run that saves or merges the states of the fit.
func openStates(j *Job, p *model.Plan) (err error) {
	flag, folder := j.States.folderFlag()
	if folder == "" {
		return nil
	}
	if j.States.Folder != "" && len(p.SharedPasses) == 0 {
		return flags.Usagef("%s: this fit cannot be sharded: %s", flag, notShardableReason(p))
	}
	if err := j.States.checkFolder(); err != nil {
		return err
	}
	if j.States.checkpoint != "" && len(p.SharedPasses) == 0 {
		j.App.Note("--checkpoint covers the passes over files; the rest of this fit starts again when it is resumed")
	}
	if j.States.Folder != "" && !j.States.mergesShards() || j.States.runner != "" {
		if err := newSavedFit(j).Write(folder); err != nil {
			return err
		}
	}
	o := stream.RunOptions{Part: j.States.shard.Part, Parts: j.States.shard.Of, Finish: j.States.mergesShards(), Join: j.States.join,
		WriteFailed: func(err error) { j.App.Note("no more states are written, and the fit continues without them: %v", err) }, Ignored: j.noteIgnored}
	if !j.States.mergesShards() {
		o.Every = j.States.interval
	}
	if j.States.checkpoint != "" {
		o.Resumed = j.noteResumed
	}
	if j.States.runner != "" {
		if o.Runner, err = newRunner(j); err != nil {
			return err
		}
	}
	store := blockstore.States(folder)
	if j.run, err = stream.NewRun(store, identity(j), o); err != nil {
		return err
	}
	for _, in := range []*rows.Input{j.Sides.Left, j.Sides.Right} {
		if in != nil {
			in.Run = j.run
		}
	}
	if !j.States.mergesShards() {
		j.App.Resumable = func() bool {
			names, err := store.Names()
			return err == nil && slices.ContainsFunc(names, func(name string) bool { return name != savedFitFile })
		}
		j.App.ResumeFrom = folder
	}
	return nil
}

// noteIgnored reports a state that is not used, with the consequence or a remedy.
func (j *Job) noteIgnored(state *stream.StateError) {
	todo := "remove it"
	switch {
	case state.Damaged && !j.States.mergesShards():
		todo = "what it has seen is done again"
	case !state.Damaged && !state.Foreign:
		todo = "it is removed at the end"
	}
	j.App.Note("state %s is not used: %s; %s", state.Name, state.Reason, todo)
}

// noteResumed reports a pass that continues after rows read in an earlier run.
func (j *Job) noteResumed(pass string, seen, rows int64) {
	j.resumed = append(j.resumed, resumption{pass, seen, rows})
	if seen == rows {
		j.App.Note("pass %s was done before", pass)
		return
	}
	j.App.Note("resumed at row %s of %s (pass %s)", report.Count(seen), report.Count(rows), pass)
}

// PassEngine returns the engine for passes with saved states.
func (j *Job) PassEngine() stream.Engine {
	e := j.App.Engine()
	e.Run = j.run
	return e
}

// stateFault adds a remedy to an error about states.
func stateFault(j *Job, err error) error {
	flag, folder := j.States.folderFlag()
	var missing *stream.MissingError
	var wrong *stream.StateError
	switch {
	case errors.As(err, &missing) && j.States.runner != "":
		return fmt.Errorf("%s %s: %w; the same command resumes from the states there", flag, folder, err)
	case errors.As(err, &missing) && len(missing.Parts) == 0:
		return stream.NewDataError(flag+" "+folder, "%w", missing).WithKind(stream.Missing).WithRemedy("run each shard of the fit again: it goes on with this pass")
	case errors.As(err, &missing):
		return stream.NewDataError(flag+" "+folder, "%w", missing).WithKind(stream.Missing).WithRemedy("run the fit with --shard %d/%d, and so on", missing.Parts[0], missing.TotalParts)
	case errors.As(err, &wrong):
		return stream.NewDataError(flag+" "+folder, "%w", wrong).WithRemedy("name another folder, or remove the state")
	}
	return err
}

// removeStates removes the states of a finished fit.
func removeStates(j *Job) {
	if j.run == nil || j.States.keepStates {
		return
	}
	err := j.run.Done()
	if j.States.Folder != "" {
		if gone := os.Remove(filepath.Join(j.States.Folder, savedFitFile)); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if err != nil {
		j.App.Note("states could not be removed: %v", err)
	}
}

// shardKeys has the JSON keys of shards.
var shardKeys = report.NewGroup("fit --shard and fit --join")

var (
	keyPass     = shardKeys.Key("pass", "name of the pass")
	keyRound    = shardKeys.Key("round", "number of the pass")
	keyRounds   = shardKeys.Key("rounds", "number of passes")
	keyShard    = shardKeys.Key("shard", "number of the shard")
	keyShards   = shardKeys.Key("shards", "number of shards")
	keyRowsSeen = shardKeys.Key("rows", "rows that the pass has seen")
	keyState    = shardKeys.Key("state", "file of the state")
	keyMissing  = shardKeys.Key("missing", "shards of this round that are missing")
	keyNext     = shardKeys.Key("next", "what to run next")
)

// reportStopped prints the finished part of a pass, and the next step.
func reportStopped(j *Job, p *model.Plan, s *stream.StoppedError) error {
	states, err := stream.ListStates(blockstore.States(j.States.Folder))
	if err != nil {
		return stateFault(j, err)
	}
	r := &report.Report{}
	r.Put(keyPass, s.Pass)
	r.Put(keyRound, s.Fold)
	r.Put(keyMissing, append([]int{}, s.Missing...))
	for _, info := range states { // unreadable ones have no fold
		if info.Fold == s.Fold && (s.Parts == 0 || info.Part == s.Part && info.Parts == s.Parts) {
			state := filepath.Join(j.States.Folder, info.Name)
			r.Show(keyRowsSeen, info.Seen, "rows", "%s", report.Count(info.Seen))
			r.Show(keyState, state, "state", "%s", state)
			r.Add("work", "%v", j.App.Used())
		}
	}
	if s.Parts == 0 {
		return printShard(j, r, "", fmt.Sprintf("joined states of round %d (%s), of %s", s.Fold, s.Pass, j.task.Title()))
	}
	rounds, of, next := rounds(j, p), "", ""
	if !p.MorePasses {
		r.Put(keyRounds, len(rounds))
		of = fmt.Sprintf(" of %d", len(rounds))
	}
	switch {
	case len(s.Missing) > 0:
		next = fmt.Sprintf("%d of %d shards of this round are there; missing %s", s.Parts-len(s.Missing), s.Parts, shardList(s.Missing, s.Parts))
	case p.MorePasses:
		next = "all shards of this round are there; run them again for the next round, until none is left"
	case s.Fold < len(rounds):
		next = fmt.Sprintf("all shards of this round are there; run them again for round %d of %d (%s)", s.Fold+1, len(rounds), rounds[s.Fold])
	default:
		next = "all shards are there; " + mergeHint(j)
	}
	return printShard(j, r, next, fmt.Sprintf("shard %d of %d, round %d%s (%s), of %s", s.Part, s.Parts, s.Fold, of, s.Pass, j.task.Title()))
}

// reportNoShard reports that no round is left.
func reportNoShard(j *Job) error {
	r := &report.Report{}
	r.Put(keyRound, j.run.Folds())
	r.Put(keyMissing, []int{})
	r.Put(keyRowsSeen, 0)
	title := fmt.Sprintf("shard %d of %d: nothing is left to do for %s", j.States.shard.Part, j.States.shard.Of, j.task.Title())
	return printShard(j, r, "all shards of all rounds are there; "+mergeHint(j), title)
}

// mergeHint explains how to make the model from states.
func mergeHint(j *Job) string {
	return fmt.Sprintf("make the model with nystream merge --states %s -o model.npz", j.States.Folder)
}

// printShard prints the result of a shard or of joined states, and the next step.
func printShard(j *Job, r *report.Report, next, title string) error {
	used := j.App.Used()
	r.Title = title
	r.Put(report.KeyMethod, j.Method)
	r.PutSome(keyShard, j.States.shard.Part)
	r.PutSome(keyShards, j.States.shard.Of)
	if next != "" {
		r.Show(keyNext, next, "next", "%s", next)
	}
	r.PutUsed(used)
	r.Put(report.KeyNotes, flags.SpellAll(j.App.Cmd, j.task.OpenNotes()))
	return j.App.Print(r)
}

// shardList returns the first of some parts in the syntax of --shard.
func shardList(parts []int, of int) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = fmt.Sprintf("%d/%d", p, of)
	}
	return report.Words(words)
}
