package main

import "github.com/nystream/nystream/blockstore"

// spoolRoom is the flag --max-spool-size: the room that all copies of a run share.
type spoolRoom struct {
	byteSize
	*blockstore.SpoolRoom
}

func newSpoolRoom() spoolRoom { return spoolRoom{SpoolRoom: blockstore.NewSpoolRoom(0)} }

// Set reads sizes as those of --memory; 0 is any.
func (s *spoolRoom) Set(text string) error {
	if err := s.byteSize.Set(text); err != nil {
		return err
	}
	s.SpoolRoom = blockstore.NewSpoolRoom(int64(s.byteSize))
	return nil
}
