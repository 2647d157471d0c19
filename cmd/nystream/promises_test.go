package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
)

// promise is a sentence of README, docs or the help that a change has broken before, and what holds it.
type promise struct {
	says  string
	where string
	check func(t *testing.T)
}

var promises = []promise{
	{"Every low-rank fit prints an estimate of its error; nystream verify measures it.", "README", estimates},
	{"ssrsvd, landmark and auto take every kernel, symmetric or not, of one source or two.", "nystream help methods", takesEveryKernel},
	{"Rows and columns that are no landmarks tell fit ksvd its error; verify measures it.", "docs/methods.md", ksvdErrors},
	{"Every error has a standard error.", "docs/methods.md", standardErrors},
}

// TestPromises holds the command to what its pages say.
func TestPromises(t *testing.T) {
	t.Chdir(t.TempDir())
	random := uniformRows(60, 3)
	if err := writeTable("x.csv", []string{"a", "b", "y"}, random); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("x.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile("z.csv", []byte(rows[0]+strings.Join(rows[20:], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range promises {
		t.Run(p.where+": "+p.says, func(t *testing.T) { p.check(t) })
	}
}

// report returns what a command line says as JSON.
func report(t *testing.T, words ...string) (r map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(succeeds(t, append(words, "--format", "json")...)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func estimates(t *testing.T) {
	for _, m := range lowrankMethods {
		r := report(t, "fit", m.name, "x.csv", "--kernel", "rbf(gamma=1)", "--rank", "4", "-o", "m.npz")
		errors, _ := r["errors"].([]any)
		if len(errors) == 0 {
			t.Errorf("%s: the report has no error", m.name)
		}
		for _, e := range errors {
			if v, is := e.(map[string]any)["value"].(float64); !is || !(v >= 0 && v < 1) {
				t.Errorf("%s: the error is %v", m.name, e)
			}
		}
		measured := report(t, "verify", "m.npz", "x.csv")
		if v, is := measured["relative_spectral_error"].(float64); !is || !(v >= 0 && v < 1) {
			t.Errorf("%s: verify measures %v", m.name, measured["relative_spectral_error"])
		}
	}
}

func ksvdErrors(t *testing.T) {
	r := report(t, "fit", "ksvd", "x.csv", "--right", "z.csv", "--kernel", "sne(gamma=1)", "--rank", "3", "--landmarks", "9", "-o", "m.npz")
	measured := report(t, "verify", "m.npz", "x.csv", "--right", "z.csv")
	if v, is := r["direction_error"].(float64); !is || !(v > 0 && v < 2) {
		t.Errorf("the error of the directions is %v", r["direction_error"])
	}
	for i, key := range []string{"relative_spectral_error", "relative_frobenius_error"} {
		said, _ := r["errors"].([]any)[i].(map[string]any)["value"].(float64)
		if v, is := measured[key].(float64); !is || !(math.Abs(v-said) < 0.01*v) {
			t.Errorf("%s is %v, and the fit said %v", key, measured[key], said)
		}
	}
	for i, said := range r["estimated_residuals"].([]any) {
		if v := measured["residuals"].([]any)[i].(float64); !(math.Abs(v-said.(float64)) < 0.01*v) {
			t.Errorf("residual %d is %v, and the fit said %v", i, v, said)
		}
	}
}

func takesEveryKernel(t *testing.T) {
	for _, k := range kernelgen.Builtins() {
		text, parsed := kernelOf(t, k.Name)
		if parsed.CheckPlain() != nil { // of ism alone: a scale for each row
			continue
		}
		for _, method := range []string{"ssrsvd", "landmark", "auto"} {
			for _, right := range [][]string{nil, {"--right", "z.csv"}} {
				words := append([]string{"fit", method, "x.csv", "--kernel", text, "--rank", "3", "-o", "m.npz"}, right...)
				r := report(t, words...)
				if values, _ := r["values"].([]any); len(values) == 0 {
					t.Errorf("%s of kernel %s: no values", method, text)
				}
			}
		}
	}
}

// kernelOf returns a kernel with its defaults, or with a number where it has none.
func kernelOf(t *testing.T, name string) (text string, k kernelgen.Kernel) {
	for _, text := range []string{name, name + "(sigma2=median)", name + "(gamma=1)"} {
		if k, err := kernelgen.Parse(text); err == nil {
			return text, k
		}
	}
	t.Fatalf("kernel %s needs other parameters", name)
	return "", k
}

func standardErrors(t *testing.T) {
	r := report(t, "fit", "ridge", "x.csv", "--target", "y", "-o", "m.npz")
	figure := r["scores"].([]any)[0].(map[string]any)
	for _, key := range []string{"rmse_error", "r2_error"} {
		if v, is := figure[key].(float64); !is || !(v > 0) || math.IsInf(v, 0) {
			t.Errorf("%s is %v", key, figure[key])
		}
	}
	if v, is := report(t, "predict", "m.npz", "x.csv", "--label", "y", "-o", "p.csv")["rmse_error"].(float64); !is || !(v > 0) {
		t.Error("predict has no standard error of the RMSE")
	}
}
