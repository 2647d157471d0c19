package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/bench/internal/program"
)

// page is README.md or a page of docs.
type page struct {
	name, dir, text string
}

// pages returns the root of the repository and its pages.
func pages(t *testing.T) (root string, all []page) {
	t.Helper()
	root, err := program.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names, err := documents(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page{filepath.Base(name), filepath.Dir(name), string(text)})
	}
	return root, all
}

// fences returns the code blocks of a language.
func (p page) fences(language string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(p.text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// commands returns the lines of shell blocks, without prompts and comments.
func (p page) commands() (lines []string) {
	for _, block := range p.fences("sh") {
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
			line, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "$ "), " #")
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// TestLinks: each relative link of a page refers to an existing file.
func TestLinks(t *testing.T) {
	_, all := pages(t)
	for _, p := range all {
		for _, m := range regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`).FindAllStringSubmatch(p.text, -1) {
			if _, err := os.Stat(filepath.Join(p.dir, m[1])); err != nil {
				t.Errorf("%s links to %s: %v", p.name, m[1], err)
			}
		}
	}
}

// TestCommands runs the nystream commands of all pages on small files of the same names. For other commands it checks
// the program and its flags.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command and runs it for each line of the pages: run without -short")
	}
	root, all := pages(t)
	bin, ran := buildCommand(t, root), 0
	for _, p := range all {
		work := t.TempDir()
		writeData(t, work)
		for _, line := range p.commands() {
			if !strings.Contains(line, "nystream ") || strings.HasPrefix(line, "go ") {
				checkProgram(t, root, p.name, line)
				continue
			}
			ran++
			c := exec.Command("sh", "-c", line)
			c.Dir = work
			c.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", p.name, line, err, out)
			}
			if strings.Contains(line, "demo --csv") {
				writeData(t, work) // restore the small files
			}
		}
	}
	if ran < 15 {
		t.Errorf("%d commands were run: the pages have more", ran)
	}
}

// checkProgram checks that a Go program, script or package exists, and that the source of a program of bench declares
// its flags.
func checkProgram(t *testing.T, root, page, line string) {
	t.Helper()
	words := strings.Fields(line)
	i := slices.IndexFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "./") || strings.HasPrefix(w, ".ci/") || strings.HasPrefix(w, "bench/")
	})
	if i < 0 {
		t.Errorf("%s: %s: neither nystream nor a path of the repository", page, line)
		return
	}
	path := filepath.Join(root, strings.TrimSuffix(words[i], "..."))
	info, err := os.Stat(path)
	if err != nil {
		t.Errorf("%s: %s: %v", page, line, err)
		return
	}
	if words[0] == "go" && words[1] == "test" {
		return
	}
	source := sourceOf(t, path, info.IsDir())
	for _, w := range words[i+1:] {
		flag, is := strings.CutPrefix(w, "-")
		if is && !regexp.MustCompile(`["\s-]`+regexp.QuoteMeta(strings.TrimPrefix(flag, "-"))+`["\s)]`).MatchString(source) {
			t.Errorf("%s: %s: %s has no flag %s", page, line, words[i], w)
		}
	}
}

// sourceOf returns the text of a script, or of all Go files below a folder.
func sourceOf(t *testing.T, path string, folder bool) string {
	t.Helper()
	files := []string{path}
	if folder {
		var err error
		if files, err = filepath.Glob(filepath.Join(path, "*.go")); err != nil {
			t.Fatal(err)
		}
		below, _ := filepath.Glob(filepath.Join(path, "*", "*.go"))
		files = append(files, below...)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// writeData creates small files with the names on the pages.
func writeData(t *testing.T, dir string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	table := func(rows, columns int, header string, label func(i int) string, first bool) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range rows {
			cells := make([]string, columns)
			for j := range cells {
				cells[j] = fmt.Sprintf("%.4f", float64(i%3)+random.NormFloat64())
			}
			if first {
				cells = append([]string{label(i)}, cells...)
			} else {
				cells = append(cells, label(i))
			}
			b.WriteString(strings.Join(cells, ",") + "\n")
		}
		return b.String()
	}
	class := func(i int) string { return fmt.Sprint(1 + i%3) }
	const letters = "letter,xbox,ybox,width,high,onpix,xbar,ybar,x2bar,y2bar,xybar,x2ybr,xy2br,xege,xegvy,yege,yegvx\n"
	edges, labels := "source,target\n", "node,label\n"
	for i := range 150 {
		labels += fmt.Sprintf("%d,%s\n", i, class(i))
		for range 4 {
			edges += fmt.Sprintf("%d,%d\n", i, (i+3*random.IntN(50))%150)
		}
	}
	var vectors strings.Builder
	for i := range 300 {
		fmt.Fprintf(&vectors, "%s 1:%.3f 2:%.3f 3:%.3f\n", class(i), random.Float64(), random.Float64(), random.Float64())
	}
	for name, text := range map[string]string{
		"satimage.scale":  vectors.String(),
		"train.csv":       table(900, 16, letters, class, true),
		"test.csv":        table(300, 16, letters, class, true),
		"wine.csv":        table(120, 13, "", class, false),
		"x.csv":           table(300, 2, "a,b,c\n", class, true),
		"y.csv":           table(300, 2, "a,b,c\n", class, true),
		"cora.edges.csv":  edges,
		"cora.labels.csv": labels,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstUse: the Python code of README.md equals the script whose output it quotes.
func TestFirstUse(t *testing.T) {
	root, all := pages(t)
	script, err := os.ReadFile(filepath.Join(root, "docs", "letters.py"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := all[0].fences("python")
	if len(blocks) == 0 || !strings.Contains(string(script), blocks[0]) {
		t.Errorf("docs/letters.py does not have the first of %d Python blocks of README.md", len(blocks))
	}
}

// TestPython runs the Python code of the pages that uses the package, block by block. Blocks with pyarrow need it
// installed.
func TestPython(t *testing.T) {
	const python = "/usr/bin/python3"
	if testing.Short() {
		t.Skip("it builds the command: run without -short")
	}
	if exec.Command(python, "-c", "import sklearn").Run() != nil {
		t.Skipf("%s has no scikit-learn: apt-get install python3-sklearn", python)
	}
	arrow := exec.Command(python, "-c", "import pyarrow").Run() == nil
	root, all := pages(t)
	bin, ran := buildCommand(t, root), 0
	for _, p := range all {
		blocks := slices.DeleteFunc(p.fences("python"), func(b string) bool { return strings.Contains(b, "pyarrow") && !arrow })
		script := strings.Join(blocks, "\n")
		if at := strings.Index(script, "import nystream\n"); at >= 0 {
			ran++
			work := t.TempDir()
			writeData(t, work)
			c := exec.Command(python, "-B", "-c", script[at:])
			c.Dir = work
			c.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(root, "python"),
				"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", p.name, err, out)
			}
		}
	}
	if ran < 2 {
		t.Errorf("%d pages use the Python package: there are more", ran)
	}
}

// buildCommand builds nystream and returns its folder.
func buildCommand(t *testing.T, root string) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./cmd/nystream")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}
