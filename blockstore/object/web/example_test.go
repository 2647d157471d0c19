package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/web"
)

// A session reads a file of a web server. Register serves all sessions of a program instead.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "rows.csv", time.Time{}, strings.NewReader("x,y\n1,2\n3,4\n"))
	}))
	defer server.Close()
	stores := &object.Stores{ByScheme: map[string]object.Store{"http": web.New()}}
	session := &blockstore.Session{Stores: stores}
	defer session.Close()
	src, err := session.Open(context.Background(), []string{server.URL + "/rows.csv"}, blockstore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(src.Info().Rows, "rows of", src.Info().Columns)
	// Output: 2 rows of [x y]
}
