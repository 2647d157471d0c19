package program

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/nystream/nystream"

// Root returns the folder of the repository. The working directory must be inside it.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("the folder of %s is not found: %w; run inside the repository", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Build builds a program in dir, without symbols, and returns its path. The source may be a folder of a nested module.
func Build(ctx context.Context, dir, source string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, filepath.Base(source))
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", path, ".")
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", source, err, out)
	}
	return path, nil
}
