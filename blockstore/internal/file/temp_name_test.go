package file

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// inChild is the environment variable that names the folder for a child process of a test.
const inChild = "NYSTREAM_TEST_TEMP"

// child returns a command that runs a test of this program in another process, which works in folder.
func child(t *testing.T, test, folder string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), inChild+"="+folder)
	cmd.Stderr = os.Stderr
	return cmd
}

// names returns the names of the files in a folder.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Temporary files of a killed process are removed by the next process that writes in the folder, but not while their
// process is alive.
func TestAbandonedTempFilesAreRemoved(t *testing.T) {
	if folder := os.Getenv(inChild); folder != "" {
		f, err := new(Session).Create(filepath.Join(folder, "model.npz"))
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("half"))
		os.Stdout.WriteString("written\n")
		time.Sleep(time.Minute)
		return
	}
	folder := t.TempDir()
	cmd := child(t, "TestAbandonedTempFilesAreRemoved", folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	removeAbandoned(folder)
	left := names(t, folder)
	if len(left) != 1 {
		t.Fatalf("of a live process there is %q", left)
	}
	if !strings.HasPrefix(left[0], ".model.npz"+tempMark()) {
		t.Errorf("the name %s does not say of which machine it is", left[0])
	}
	cmd.Process.Kill()
	cmd.Wait()
	removeAbandoned(folder)
	if left := names(t, folder); len(left) > 0 {
		t.Errorf("left of a process that was killed: %q", left)
	}
}

// Files that other processes may use, or that only have similar names, are not removed.
func TestForeignFilesAreNotRemoved(t *testing.T) {
	folder := t.TempDir()
	keep := []string{
		".u.npy.nystream-_elsewhere-abc.tmp",
		"u.npy" + tempMark() + "abc.tmp",
		".u.npy" + tempMark() + "abc.tmp.bak",
		".u.npy.abc.tmp",
	}
	for _, name := range keep {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, ".d"+tempMark()+"abc.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	mine, err := createLocked(folder, strings.Repeat("ä", 120), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	if err := os.WriteFile(filepath.Join(folder, ".v.npy"+tempMark()+"abc.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	removeAbandoned(folder)
	if left := names(t, folder); len(left) != len(keep)+2 {
		t.Errorf("of %d files and a folder there are %q", len(keep)+1, left)
	}
}

// TryFolder succeeds while others search the folder for abandoned files.
func TestManyProcessesTryOneFolder(t *testing.T) {
	dir := t.TempDir()
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 2000 {
			removeAbandoned(dir)
		}
	}()
	for tries := 0; ; tries++ {
		select {
		case <-done:
			t.Logf("%d tries", tries)
			return
		default:
			if err := TryFolder(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A replaced file keeps its mode and owner. A new file has the mode that the umask leaves.
func TestReplacedKeepsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes: run it on Linux or macOS")
	}
	folder := t.TempDir()
	fresh, old := filepath.Join(folder, "fresh"), filepath.Join(folder, "old")
	if err := os.WriteFile(fresh, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	umasked := modeOf(t, fresh)
	os.Remove(fresh)
	if err := os.WriteFile(old, []byte("was"), 0o600); err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{fresh: umasked, old: 0o640}
	const somebody = 12345
	if err := os.Chmod(old, 0o640); err != nil {
		t.Fatal(err)
	}
	chowned := os.Chown(old, somebody, somebody) == nil // which only root may
	for path, mode := range modes {
		f, err := new(Session).Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, f.file.Name()); got != mode {
			t.Errorf("%s: while it is written the mode is %v, want %v", path, got, mode)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, path); got != mode {
			t.Errorf("%s: mode %v, want %v", path, got, mode)
		}
	}
	if info, _ := os.Stat(old); chowned && !ownedBy(info, somebody) {
		t.Error("the owner is another one")
	}
}

// modeOf returns the permissions of a file.
func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// Dangling links, devices and folders are refused as targets.
func TestTargetRefuses(t *testing.T) {
	folder := t.TempDir()
	nowhere, device := filepath.Join(folder, "nowhere"), filepath.Join(folder, "device")
	if os.Symlink("none", nowhere) != nil || os.Symlink(os.DevNull, device) != nil {
		t.Skip("no symbolic links can be made here: run it on Linux or macOS, or with the right to make them")
	}
	for _, path := range []string{nowhere, device, folder} {
		if _, _, err := Target(path); err == nil {
			t.Errorf("%s is taken", path)
		}
		if f, err := new(Session).Create(path); err == nil {
			f.Abort()
			t.Errorf("%s is written", path)
		}
	}
}
