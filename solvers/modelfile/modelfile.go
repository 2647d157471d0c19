// Package modelfile saves models to files, which numpy.load and the command nystream can read, and loads them. Package
// model itself does no file I/O.
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

// Format and Version identify a model file in its meta.json.
const (
	Format  = "nystream model"
	Version = 1
)

// noData is stored in meta.json if nothing is known of the rows: columns have no names and keep the order of the fit,
// without scaling or nulls.
var noData = json.RawMessage(`{"nulls":"error"}`)

// Save writes a model to an .npz file, atomically. It does not store what the model itself does not know, such as
// scaling and column names: see [SavePrepared].
func Save(path string, m model.Model) error {
	a, err := m.Save()
	if err != nil {
		return err
	}
	return Write(path, a)
}

// SavePrepared is [Save] for a model of prepared rows. It also stores the preparation and the column names, so that
// [Open] returns a model of raw rows. Columns without names are matched by position.
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

// ReadArchive reads a file written by [Save] or by the command. It is for callers that prepare rows themselves; [Open]
// is simpler. The Load of the model's family turns the archive into a model:
//
//	a, err := modelfile.ReadArchive("m.npz")
//	if err != nil {
//		return err
//	}
//	m, err := lowrank.Load(a)
//
// Load refuses a model of prepared rows, see [model.Archive.TakesPrepared]. It fails if the file was damaged or
// changed.
func ReadArchive(path string) (*model.Archive, error) { return ReadArchiveIn(nil, path) }

// ReadArchiveIn is [ReadArchive] within a session.
func ReadArchiveIn(files *archive.Session, path string) (*model.Archive, error) {
	file, err := archive.ReadIn(files, path)
	if err != nil {
		return nil, err
	}
	a, err := archiveOf(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// Write writes a saved model to an .npz file, atomically.
func Write(path string, a *model.Archive) error {
	f, err := Stage(path, a)
	if err != nil {
		return err
	}
	return f.Commit()
}

// Stage writes a saved model to a complete file that is not yet named path, for callers that commit several files
// together.
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
	if a.Provenance != nil {
		header = fmt.Appendf(header, `,"made":%s`, a.Provenance)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, fmt.Appendf(nil, `{"format":%q,"version":%d,%s,"data":%s}`, Format, Version, header[1:], data), "", "  "); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return archive.StageIn(files, path, &archive.Archive{Meta: text.Bytes(), Arrays: a.Arrays})
}

// archiveOf returns the archive in a file.
func archiveOf(file *archive.Archive) (*model.Archive, error) {
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
	a := &model.Archive{Header: fmt.Appendf(nil, "{%s}", header), Data: data.Bytes(), Provenance: meta.Made, Arrays: file.Arrays}
	return a, nil
}
