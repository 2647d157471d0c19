package stream

import (
	"runtime/debug"
	"testing"
)

// Builds whose bits may differ have different descriptions.
func TestBuildWords(t *testing.T) {
	gonum := func(version string) []*debug.Module {
		return []*debug.Module{{Path: "gonum.org/v1/gonum", Version: version}, {Path: "example.org/other", Version: version}}
	}
	level := func(v string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "GOAMD64", Value: v}, {Key: "vcs.time", Value: v}}
	}
	seen := make(map[string]bool)
	for _, words := range []string{
		describeBuild("go1.26", nil),
		describeBuild("go1.27", nil),
		describeBuild("go1.26", &debug.BuildInfo{Settings: level("v1")}),
		describeBuild("go1.26", &debug.BuildInfo{Settings: level("v3")}),
		describeBuild("go1.26", &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "-tags", Value: "noasm"}}}),
		describeBuild("go1.26", &debug.BuildInfo{Deps: gonum("v0.16.0")}),
		describeBuild("go1.26", &debug.BuildInfo{Deps: gonum("v0.17.0")}),
	} {
		if seen[words] {
			t.Errorf("two builds are called %q", words)
		}
		seen[words] = true
	}
	if got := describeBuild("go1.26", &debug.BuildInfo{Settings: level("v3"), Deps: gonum("v0.16.0")}); got != ", go1.26, GOAMD64=v3, gonum.org/v1/gonum v0.16.0" {
		t.Errorf("words %q", got)
	}
}
