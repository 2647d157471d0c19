package s3_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/blockstore/object/s3"
)

// A program that registers the store opens s3:// URLs like files. Here a server of one object takes the place of S3.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, r.URL.Path, time.Time{}, strings.NewReader("x,y\n1,2\n3,4\n"))
	}))
	defer server.Close()
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"} {
		os.Setenv(name, value)
	}
	ctx := context.Background()
	object.Register(ctx, "s3", s3.New(), object.Patience{})
	src, err := blockstore.Open(ctx, []string{"s3://bucket/rows.csv"}, blockstore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(src.Info().Rows, "rows of", src.Info().Columns)
	// Output: 2 rows of [x y]
}
