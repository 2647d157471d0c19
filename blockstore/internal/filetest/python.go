package filetest

import (
	"os/exec"
	"testing"
)

// Python runs a script with numpy and returns its output. It skips the test without numpy.
func Python(t *testing.T, script string, args ...string) string {
	t.Helper()
	const interpreter = "/usr/bin/python3"
	if err := exec.Command(interpreter, "-c", "import numpy").Run(); err != nil {
		t.Skipf("%s has no numpy, which pip install numpy brings: %v", interpreter, err)
	}
	out, err := exec.Command(interpreter, append([]string{"-c", script}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
