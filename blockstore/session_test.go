package blockstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/s3"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// A quota limits the copies of a session to the byte. Removing a copy frees its part, and Close removes all copies.
func TestQuotaBoundsCopiesOfASession(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	text := "x,y\n" + strings.Repeat("1,2\n", 500)
	size := int64(len(text))
	piped := func() Options { return Options{Reader: strings.NewReader(text)} }
	s := &Session{SpoolDir: dir, Quota: NewQuota(2*size + 100)}
	for range 2 {
		if _, err := s.Open(ctx, []string{"-"}, piped()); err != nil {
			t.Fatal(err)
		}
	}
	var over *OverQuotaError
	var spool *SpoolError
	_, err := s.Open(ctx, []string{"-"}, piped())
	if !errors.As(err, &over) || over.Limit != 2*size+100 || over.Others != 2*size || !errors.As(err, &spool) {
		t.Errorf("%v, want an error about %d bytes of which others have %d", err, 2*size+100, 2*size)
	}
	if most := s.Quota.Most(); most < 2*size || most > 2*size+100 {
		t.Errorf("at one time copies took %d bytes at most, want %d", most, 2*size)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	src, err := s.Open(ctx, []string{"-"}, piped())
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	filetest.MustRead(t, src, 100)
	// A quota without a limit counts, too, and what was given back remains in Most.
	counted := &Session{SpoolDir: dir, Quota: NewQuota(0)}
	for range 2 {
		if _, _, err := counted.Columns(ctx, []string{"-"}, piped()); err != nil {
			t.Fatal(err)
		}
	}
	if most := counted.Quota.Most(); most != size {
		t.Errorf("one copy after the other took %d bytes at one time, want %d", most, size)
	}
	if _, err := (&Session{SpoolDir: dir + "/none"}).Open(ctx, []string{"-"}, piped()); !errors.As(err, &spool) {
		t.Errorf("%v, want an error about the folder", err)
	}
	// A file that is written where it stays takes none.
	if w, err := (&Session{Quota: NewQuota(1)}).Create(t.TempDir()+"/whole.nys", Schema{Columns: []string{"a", "b", "c"}, Rows: 100}); err != nil {
		t.Error(err)
	} else if err := errors.Join(w.Write(&stream.Batch{X: matrix.New(100, 3)}, 100), w.Commit()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("left behind: %v", left)
	}
}

// Columns removes its own copies, and keeps those of open sources of the session.
func TestColumnsKeepCopies(t *testing.T) {
	ctx, s := context.Background(), new(Session)
	defer s.Close()
	options := func() Options { return Options{Reader: strings.NewReader("1,2\n3,4\n")} }
	src, err := s.Open(ctx, []string{"-"}, options())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Columns(ctx, []string{"-"}, options()); err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, src); !slices.Equal(got, []float64{1, 2, 3, 4}) {
		t.Error(got)
	}
}

// Sessions have separate stores and objects. Each asks for an object once.
func TestSessionsShareNothing(t *testing.T) {
	server := startStore(t)
	server.Put("a.csv", []byte("1,2\n"))
	object.Register(t.Context(), "s3", missingStore{}, object.Patience{})
	reached := &object.Stores{ByScheme: map[string]object.Store{"s3": s3.New()}, Patience: object.Patience{Pause: time.Millisecond}}
	open := func(s *Session) error {
		_, err := s.Open(t.Context(), []string{"s3://bucket/a.csv"}, Options{Layout: Layout{NoHeader: true}})
		return err
	}
	first, second := &Session{Stores: reached}, &Session{Stores: reached}
	var asked []int
	for _, s := range []*Session{first, first, second} {
		before := len(server.Log())
		if err := open(s); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, len(server.Log())-before)
	}
	if asked[0] == 0 || asked[1] != 0 || asked[2] != asked[0] {
		t.Errorf("%d requests; want as many in two sessions, and none for what a session has", asked)
	}
	if err := open(new(Session)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("registered stores: %v", err)
	}
	if err := open(&Session{Stores: &object.Stores{}}); err == nil || !strings.Contains(err.Error(), "objects of s3:// are not reached") {
		t.Errorf("no stores: %v", err)
	}
}

// missingStore is a store without objects.
type missingStore struct{ object.Store }

func (missingStore) Open(context.Context, string, int64) (object.Object, []byte, error) {
	return nil, nil, fs.ErrNotExist
}

func (missingStore) List(context.Context, string, func(string, object.Object) error) error {
	return nil
}
