package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const python = "/usr/bin/python3"

// madeHere makes a wheel of this machine's program, and returns its path.
func madeHere(t *testing.T) string {
	t.Helper()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if tags[platform] == "" {
		t.Skipf("there are no wheels for %s", platform)
	}
	wheel, err := run("../..", "", platform, "", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return wheel
}

// execute runs a program to its end and returns its standard output.
func execute(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PYTHONPATH=")
	var failure strings.Builder
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, failure.String())
	}
	return string(out)
}

// TestInstall installs a wheel in a fresh virtual environment without a network. The package and
// the command work there, though no other nystream is on PATH.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command and an environment of Python: run without -short")
	}
	if err := exec.Command(python, "-c", "import ensurepip, numpy, venv").Run(); err != nil {
		t.Skipf("%s has no venv or no numpy: apt-get install python3-venv python3-numpy", python)
	}
	wheel := madeHere(t)
	env := filepath.Join(t.TempDir(), "env")
	execute(t, python, "-m", "venv", "--system-site-packages", env)
	bin := filepath.Join(env, "bin")
	execute(t, filepath.Join(bin, "pip"), "install", "--quiet", "--no-index", "--no-deps", wheel)
	if v := execute(t, filepath.Join(bin, "nystream"), "--version"); !strings.Contains(v, "nystream version "+version(t)+",") {
		t.Errorf("nystream --version prints %q", v)
	}
	t.Setenv("PATH", "/nowhere")
	got := execute(t, filepath.Join(bin, "python"), "-c", `
import os, nystream, numpy as np
x = np.random.default_rng(1).normal(size=(200, 2))
m = nystream.Ridge(n_landmarks=50).fit(x, x[:, 0] ** 2)
print(m.score(x, x[:, 0] ** 2) > 0.95, os.path.dirname(nystream.command.find()), nystream.__version__)`)
	real, err := filepath.EvalSymlinks(bin)
	if err != nil {
		t.Fatal(err)
	}
	if want := "True " + real + " " + version(t) + "\n"; got != want {
		t.Errorf("a fit prints %q, want %q", got, want)
	}
}

// TestMembers: the program may be run, and the same input makes the same bytes.
func TestMembers(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("a program"), 0o666); err != nil {
		t.Fatal(err)
	}
	for platform, tag := range tags {
		var before []byte
		for range 2 {
			wheel, err := write("../..", "1.2.3", platform, program, "", t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if base := filepath.Base(wheel); base != "nystream-1.2.3-py3-none-"+tag+".whl" {
				t.Errorf("%s: the wheel is called %s", platform, base)
			}
			b, err := os.ReadFile(wheel)
			if err != nil {
				t.Fatal(err)
			}
			if before != nil && string(b) != string(before) {
				t.Errorf("%s: the second wheel has other bytes", platform)
			}
			before = b
			checkProgram(t, platform, wheel)
		}
	}
	if _, err := write("../..", "1.2.3", "plan9/amd64", program, "", t.TempDir()); err == nil {
		t.Error("a wheel for plan9 was made")
	}
}

func checkProgram(t *testing.T, platform, wheel string) {
	t.Helper()
	z, err := zip.OpenReader(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	want := "nystream-1.2.3.data/scripts/nystream"
	if strings.HasPrefix(platform, "windows") {
		want += ".exe"
	}
	for _, f := range z.File {
		if f.Name == want {
			if f.Mode().Perm() != 0o755 {
				t.Errorf("%s: %s has mode %v", platform, f.Name, f.Mode())
			}
			return
		}
	}
	t.Errorf("%s: there is no %s", platform, want)
}

// version returns the version of the package.
func version(t *testing.T) string {
	t.Helper()
	v, err := ownVersion("../..")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVersion: package and command have one version.
func TestVersion(t *testing.T) {
	source, err := os.ReadFile("../../cmd/nystream/internal/app/build.go")
	if want := `const Version = "` + version(t) + `"`; err != nil || !strings.Contains(string(source), want) {
		t.Errorf("cmd/nystream/internal/app/build.go does not have %s: %v", want, err)
	}
}
