// Package modelfile saves models in files that numpy.load and the command nystream open, and
// loads them. Package model knows of no files.
package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// Format and Version are how the file of a model names itself in meta.json.
const (
	Format  = "nystream model"
	Version = 1
)

// noData stands in meta.json where nothing is said of the rows: columns without names, in
// the order of the fit, unscaled, without nulls.
var noData = json.RawMessage(`{"nulls":"error"}`)

// Save writes a model to an .npz file, which appears complete or not at all. What the model
// does not know is not in it: how rows were scaled, or what their columns are called.
func Save(path string, m model.Model) error {
	a, err := m.Save()
	if err != nil {
		return err
	}
	return Write(path, a)
}

// SavePrepared is [Save] of a model of prepared rows, whose preparation and column names are in the
// file, too: [Open] gives a model that takes raw rows. Columns without names are found by their order.
func SavePrepared(path string, m model.Model, rows *prepare.Source) error {
	a, err := m.Save()
	if err != nil {
		return err
	}
	p, names := rows.Preparation, rows.Info().Columns
	a.PutPreparation(model.Left, p)
	if names = names[:len(names)-p.Width()]; rows.Info().Nameless {
		names = nil
	}
	a.Data, err = json.Marshal(input.RowsData{Columns: names, Nulls: p.Nulls.String(),
		Categories: input.CategoriesOf(p)})
	if err != nil {
		return err
	}
	return Write(path, a)
}

// ReadArchive reads what [Save] wrote, or the command, for those who prepare rows themselves; [Open] is
// simpler. The Load of the model's family makes a model of it:
//
//	a, err := modelfile.ReadArchive("m.npz")
//	if err != nil {
//		return err
//	}
//	m, err := lowrank.Load(a)
//
// Load refuses a model of prepared rows, see [model.Archive.TakesPrepared].
// An error says what is wrong with a file that was damaged or changed.
func ReadArchive(path string) (*model.Archive, error) { return ReadArchiveIn(nil, path) }

// ReadArchiveIn is [ReadArchive] within a session.
func ReadArchiveIn(files *archive.Session, path string) (*model.Archive, error) {
	file, err := archive.ReadIn(files, path)
	if err != nil {
		return nil, err
	}
	a, err := opened(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// Write writes a model that was saved to an .npz file, which appears complete or not at all.
func Write(path string, a *model.Archive) error {
	f, err := Stage(path, a)
	if err != nil {
		return err
	}
	return f.Commit()
}

// Stage writes a model that was saved to a file that is complete but for its name, path,
// for those who put several files under their names together.
func Stage(path string, a *model.Archive) (*archive.Staged, error) {
	return StageIn(nil, path, a)
}

// StageIn is [Stage] within a session.
func StageIn(files *archive.Session, path string, a *model.Archive) (*archive.Staged, error) {
	data := a.Data
	if data == nil {
		data = noData
	}
	header, ok := bytes.CutSuffix(bytes.TrimSpace(a.Header), []byte("}"))
	if !ok || len(header) < 2 {
		return nil, fmt.Errorf("the header is no JSON object: %.40q", a.Header)
	}
	if a.Made != nil {
		header = fmt.Appendf(header, `,"made":%s`, a.Made)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, fmt.Appendf(nil, `{"format":%q,"version":%d,%s,"data":%s}`, Format, Version, header[1:], data), "", "  "); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return archive.StageIn(files, path, &archive.Archive{Meta: text.Bytes(), Arrays: a.Arrays})
}

// opened returns the archive in a file.
func opened(file *archive.Archive) (*model.Archive, error) {
	var meta struct {
		Format  string          `json:"format"`
		Version int             `json:"version"`
		Made    json.RawMessage `json:"made"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(file.Meta, &meta); err != nil {
		return nil, fmt.Errorf("meta.json: %w", err)
	}
	if meta.Format != Format || meta.Version != Version {
		return nil, fmt.Errorf("it calls itself %q version %d, and this program reads %q version %d", meta.Format, meta.Version, Format, Version)
	}
	var all, data, made bytes.Buffer
	err := errors.Join(json.Compact(&all, file.Meta), json.Compact(&data, meta.Data))
	if meta.Made != nil {
		made.WriteString(`,"made":`)
		err = errors.Join(err, json.Compact(&made, meta.Made))
	}
	if err != nil {
		return nil, fmt.Errorf("meta.json: %w", err)
	}
	before, last := bytes.CutSuffix(all.Bytes(), fmt.Appendf(nil, `%s,"data":%s}`, made.Bytes(), data.Bytes()))
	header, first := bytes.CutPrefix(before, fmt.Appendf(nil, `{"format":%q,"version":%d,`, Format, Version))
	if !first || !last {
		return nil, errors.New("meta.json: format and version are not its first fields, or made and data are not its last")
	}
	a := &model.Archive{Header: fmt.Appendf(nil, "{%s}", header), Data: data.Bytes(), Made: meta.Made, Arrays: file.Arrays}
	return a, nil
}
