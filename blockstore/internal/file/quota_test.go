package file

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// A copy counts against its quota until it is discarded, even if it was not completed, and is given back once.
func TestCopyGivesQuotaBack(t *testing.T) {
	q := NewQuota(10)
	files := &Session{SpoolDir: t.TempDir(), Quota: q}
	in := func() *strings.Reader { return strings.NewReader("12345678") }
	s, err := files.Copy(context.Background(), "a", "a", in())
	if err != nil {
		t.Fatal(err)
	}
	var over *OverQuotaError
	if _, err := files.Copy(context.Background(), "b", "b", in()); !errors.As(err, &over) || over.Limit != 10 || over.Others != 8 {
		t.Errorf("%v, want an error about 10 bytes of which others have 8", err)
	}
	f, err := s.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), s.Discard(), s.Discard()); err != nil {
		t.Error(err)
	}
	broken := iotest.TimeoutReader(iotest.OneByteReader(in()))
	if _, err := files.Copy(context.Background(), "c", "c", broken); !errors.Is(err, iotest.ErrTimeout) || errors.As(err, new(*SpoolError)) {
		t.Errorf("%v, want the error of reading", err)
	}
	if q.used != 0 || q.Most() != 8 {
		t.Errorf("%d bytes are counted, at most %d were; want 0 and 8", q.used, q.Most())
	}
	if left := names(t, files.SpoolDir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Concurrent writers stay within one quota, and each byte is counted.
func TestQuotaIsShared(t *testing.T) {
	const limit, writers = 1000, 8
	q := NewQuota(limit)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			f, err := (&Session{Quota: q}).createUnlinked("a", removed)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Discard()
			for err == nil {
				_, err = f.Write(make([]byte, 7))
			}
			if !errors.As(err, new(*OverQuotaError)) || f.counted%7 != 0 {
				t.Errorf("after %d bytes: %v", f.counted, err)
			}
		})
	}
	all.Wait()
	if q.Most() > limit || q.Most() <= limit-7*writers || q.used != 0 {
		t.Errorf("%d bytes at one time, %d are left", q.Most(), q.used)
	}
}
