package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestMuchMemoryTightens: collections become frequent while much memory is live, and a request for less frequent ones
// does not undo it.
func TestMuchMemoryTightens(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set")
	}
	percent := func() int {
		p := debug.SetGCPercent(loose)
		debug.SetGCPercent(p)
		return p
	}
	large := make([]byte, 257<<20) // never written, so it takes no memory of the machine
	for end := time.Now().Add(5 * time.Second); percent() > 20 && time.Now().Before(end); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	runtime.KeepAlive(large)
	if Tighten(); percent() != 20 {
		t.Errorf("the percentage is %d", percent())
	}
	if Loosen(); percent() != loose {
		t.Errorf("the percentage is %d after Loosen", percent())
	}
}
