package main

import "github.com/nystream/nystream/blockstore"

// spoolRoom is the flag --max-spool-size: the room that all copies of a run share.
type spoolRoom struct {
	byteSize
	room *blockstore.Quota // nil until it is needed or set
}

// in returns the room for copies in a folder: unless the flag was given, half of what is free
// there when it is first asked for.
func (s *spoolRoom) in(folder string) *blockstore.Quota {
	if s.room == nil {
		s.room = blockstore.HalfFree(folder)
	}
	return s.room
}

// Set reads sizes as those of --memory; 0 is any.
func (s *spoolRoom) Set(text string) error {
	if err := s.byteSize.Set(text); err != nil {
		return err
	}
	s.room = blockstore.NewQuota(int64(s.byteSize))
	return nil
}
