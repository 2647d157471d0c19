package blockstore

import (
	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/blockstore/graph"
)

// What moved to packages archive and graph, until every caller has followed.
type (
	Archive      = archive.Archive
	Array        = archive.Array
	Graph        = graph.Graph
	GraphOptions = graph.Options
	SelfLoops    = graph.SelfLoops
)

var (
	ReadArchive  = archive.Read
	WriteArchive = archive.Write
	ReadGraph    = graph.Read
	ReadNodes    = graph.ReadNodes
)
