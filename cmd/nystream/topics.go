package main

import (
	"embed"
	"path"
	"strings"

	"github.com/spf13/cobra"
)

// topicFiles are texts of help: the first line says what the text is about.
//
//go:embed topics/*.txt
var topicFiles embed.FS

// newTopics returns help that is no command's.
func newTopics() []*cobra.Command {
	entries, err := topicFiles.ReadDir("topics")
	mustRegister(err)
	list := []*cobra.Command{newKernelsTopic(), newMapsTopic(), newPythonTopic()}
	for _, e := range entries {
		text, err := topicFiles.ReadFile("topics/" + e.Name())
		mustRegister(err)
		short, long, _ := strings.Cut(string(text), "\n")
		list = append(list, &cobra.Command{Use: strings.TrimSuffix(path.Base(e.Name()), ".txt"), Short: short, Long: strings.TrimRight(long, "\n")})
	}
	return list
}
