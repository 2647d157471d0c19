package object

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/nystream/nystream/stream"
)

// Redirects from https to http, or into a private network, are refused.
func TestRedirectsStayPublicAndEncrypted(t *testing.T) {
	request := func(address string) *http.Request {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		from, to string
		want     string // "" for a redirect that is followed
	}{
		{"http://203.0.113.1/a", "http://203.0.113.2/b", ""},
		{"http://203.0.113.1/a", "https://203.0.113.1/a", ""},
		{"http://10.0.0.1/a", "http://127.0.0.1/a", ""},
		{"https://203.0.113.1/a", "http://203.0.113.1/a", "without encryption"},
		{"http://203.0.113.1/a", "http://169.254.169.254/latest", "within this network"},
		{"http://203.0.113.1/a", "http://127.0.0.1:8080/", "within this network"},
		{"http://203.0.113.1/a", "http://[::1]/", "within this network"},
		{"http://203.0.113.1/a", "http://192.168.0.1/", "within this network"},
	} {
		err := Redirect(request(c.to), []*http.Request{request(c.from)})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, c.want)
		}
	}
}

// Network errors have readable texts, and temporary ones are retried.
func TestNetworkErrors(t *testing.T) {
	for _, c := range []struct {
		err       error
		want      string
		temporary bool
	}{
		{&net.DNSError{Err: "no such host", Name: "nowhere", IsNotFound: true}, "there is no host nowhere", false},
		{&net.DNSError{Err: "i/o timeout", Name: "slow", IsTimeout: true}, "no answer came in time", true},
		{http.ErrSchemeMismatch, "does not speak TLS", false},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), "the connection broke off", true},
		{io.ErrUnexpectedEOF, "the connection broke off", true},
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), "refuses the connection", true},
		{errors.New("other"), "the connection failed: other", true},
	} {
		err := NetworkError(&url.Error{Op: "Get", URL: "http://h/?secret", Err: c.err})
		var failed *stream.DataError
		if IsTemporary(err) != c.temporary || !errors.As(err, &failed) || failed.Kind != stream.Unreachable || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, temporary %v", c.err, err, IsTemporary(err))
		}
	}
}
