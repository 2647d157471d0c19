package main

import (
	"errors"
	"io"
	"os"
)

const (
	fileBytes = 128 << 20
	readBytes = 256 << 10 // stays in the second-level cache
)

// A scratchFile is a temporary file of which each thread reads its part.
type scratchFile struct {
	f       *os.File
	part    int64
	buffers [][]byte
	errs    []error
}

func newScratchFile(size, threads int) (*scratchFile, error) {
	f, err := os.CreateTemp("", "nystream-roofline-*")
	if err != nil {
		return nil, err
	}
	s := &scratchFile{f: f, part: int64(size / threads / readBytes * readBytes), errs: make([]error, threads)}
	for range threads {
		s.buffers = append(s.buffers, make([]byte, readBytes))
	}
	for written := 0; written < size; written += readBytes {
		if _, err := f.Write(s.buffers[0]); err != nil {
			s.remove()
			return nil, err
		}
	}
	return s, nil
}

// read reads the thread's part from beginning to end.
func (s *scratchFile) read(thread int) (bytes int) {
	for at := int64(0); at < s.part; at += readBytes {
		n, err := s.f.ReadAt(s.buffers[thread], int64(thread)*s.part+at)
		if err != nil && err != io.EOF {
			s.errs[thread] = err
		}
		bytes += n
	}
	return bytes
}

// err is what went wrong in any of the reads.
func (s *scratchFile) err() error { return errors.Join(s.errs...) }

func (s *scratchFile) remove() {
	s.f.Close()
	os.Remove(s.f.Name())
}
