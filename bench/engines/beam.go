package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// beamFolder is that of the command for Beam, a module of its own.
const beamFolder = "cmd/nystream-beam"

// beamAbsent says why Beam is not here.
func beamAbsent() string {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return err.Error()
	}
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(out)), "github.com", "apache", "beam")); err != nil {
		return "it is not in the module cache: go build in " + beamFolder + " fetches it"
	}
	return ""
}

// startBeam builds the command for Beam.
func startBeam(ctx context.Context, l *lab) (func(), error) {
	return func() {}, l.build(ctx, "nystream-beam", beamFolder)
}

// beam makes a fit by nystream-beam. There what a worker does not do, or does twice, is an
// element of the pipeline that is not there, or is there twice.
func beam(ctx context.Context, r *trial) error {
	fold := []string{r.path("bin", "nystream-beam"), "--shards=" + fmt.Sprint(r.parts)}
	if r.fails {
		fold = append(fold, "--nystream="+r.in("bin", "nystream"))
	}
	fold = append(fold, "fold")
	if r.lines != "" {
		filter := fmt.Sprintf("sed '%s' | \"$@\"\n", r.lines)
		if err := os.WriteFile(r.in("lines.sh"), []byte(filter), 0o666); err != nil {
			return err
		}
		fold = append([]string{"sh", r.in("lines.sh")}, fold...)
	}
	return r.asked(ctx, fold)
}
