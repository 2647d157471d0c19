package modelfile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nystream/nystream"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/modelfile"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// server answers a request with rows, a JSON list of lists of numbers, by a prediction for each.
type server struct{ embedders atomic.Pointer[sync.Pool] } // of the current model

// load replaces the model. Requests in progress finish with the previous one.
func (s *server) load(path string) error {
	m, err := modelfile.Open(path)
	if err != nil {
		return err
	}
	first, err := m.Embedder(model.Request{Outputs: []model.Output{model.Value}})
	if err != nil {
		return err // the model does not predict numbers
	}
	s.embedders.Store(&sync.Pool{New: func() any { return first.Clone() }})
	return nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var rows [][]float64
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&rows); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pool := s.embedders.Load()
	e := pool.Get().(*modelfile.Embedder)
	defer pool.Put(e)
	predictions := make([][]float64, len(rows))
	for i, row := range rows {
		predictions[i] = make([]float64, e.Width())
		if err := e.Embed(predictions[i], row); err != nil {
			http.Error(w, fmt.Sprintf("row %d: %v", i, err), http.StatusBadRequest)
			return
		}
	}
	_ = json.NewEncoder(w).Encode(predictions) // fails only if the client has disconnected
}

// Serve predictions of a model from its file, which is replaced while the server runs. Requests use the model
// concurrently.
func ExampleModel_Embedder() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path, s := filepath.Join(dir, "m.npz"), new(server)
	web := httptest.NewServer(s)
	defer web.Close()
	for _, slope := range []float64{2, 3} {
		saveRegression(path, slope)
		if err := s.load(path); err != nil {
			log.Fatal(err)
		}
		for _, rows := range []string{"[[3.5], [7.5]]", "[[1, 2]]"} {
			answer, err := http.Post(web.URL, "application/json", strings.NewReader(rows))
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
	}
	// Output:
	// [[7.000] [15.000]]
	// 400 Bad Request
	// [[10.500] [22.500]]
	// 400 Bad Request
}

// saveRegression writes the file of a model of y = slope·x.
func saveRegression(path string, slope float64) {
	x, y := stream.NewMatrix(20, 1), make([]float64, 20)
	for i := range y {
		x.Data[i], y[i] = float64(i), slope*float64(i)
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
	if err := modelfile.Save(path, fit.Model); err != nil {
		log.Fatal(err)
	}
}
