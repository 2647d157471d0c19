package modelfile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"

	"github.com/nystream/nystream"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// serve answers rows, a JSON list of lists of numbers, with a prediction for each.
func serve(m *modelfile.Model) (http.Handler, error) {
	request := model.Request{Outputs: []model.Output{model.Value}}
	if _, err := m.Embedder(request); err != nil {
		return nil, err // the model predicts no numbers
	}
	embedders := sync.Pool{New: func() any { e, _ := m.Embedder(request); return e }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var rows [][]float64
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&rows); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e := embedders.Get().(*modelfile.Embedder)
		defer embedders.Put(e)
		predictions := make([][]float64, len(rows))
		for i, row := range rows {
			predictions[i] = make([]float64, e.Width())
			if err := e.Embed(predictions[i], row); err != nil {
				http.Error(w, fmt.Sprintf("row %d: %v", i, err), http.StatusBadRequest)
				return
			}
		}
		_ = json.NewEncoder(w).Encode(predictions) // the client has gone
	}), nil
}

// Serve predictions of a model from its file. Several requests use the model at a time.
func ExampleModel_Embedder() {
	path := savedRegression()
	defer os.RemoveAll(filepath.Dir(path))
	m, err := modelfile.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	handler, err := serve(m)
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, rows := range []string{"[[3.5], [7.5]]", "[[1, 2]]"} {
		answer, err := http.Post(server.URL, "application/json", bytes.NewBufferString(rows))
		if err != nil {
			log.Fatal(err)
		}
		var predictions [][]float64
		if err := json.NewDecoder(answer.Body).Decode(&predictions); err != nil {
			fmt.Println(answer.Status)
		} else {
			fmt.Printf("%.3f\n", predictions)
		}
		answer.Body.Close()
	}
	// Output:
	// [[7.000] [15.000]]
	// 400 Bad Request
}

// savedRegression returns the file of a model of y = 2x.
func savedRegression() string {
	x, y := stream.NewMatrix(20, 1), make([]float64, 20)
	for i := range y {
		x.Data[i], y[i] = float64(i), 2*float64(i)
	}
	rows, err := stream.Beside(stream.FromMatrix("x", x), []stream.Field{{Name: "y"}}, stream.Column{Floats: y})
	if err != nil {
		log.Fatal(err)
	}
	data := &ridge.Data{Rows: rows, Targets: []string{"y"}}
	fit, err := nystream.FitData(context.Background(), data, kernelgen.Linear(), ridge.Solver{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "m.npz")
	if err := modelfile.Save(path, fit.Model); err != nil {
		log.Fatal(err)
	}
	return path
}
