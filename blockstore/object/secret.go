package object

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Parts of web addresses are credentials: the query of a presigned URL, a password before the host.
// Hide removes them from output and stored text, and Reveal restores them for requests.

// secret matches an address with user information or a query. A path may have a blank before the
// value of a query, and a ? in the key of an object begins a query only if it signs.
var secret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)https?://(?:[^/?#\s]*@|[^?#\s]*\?|[^/?#\s]*/[^?#\n"':]*\?[^\s=]*=)\S*` +
		`|s3://(?:[^/?#\s]*@|[^?#\n"':]*\?X-Amz-)\S*`)
})

// hidden maps substitutes to addresses.
var hidden struct {
	sync.Mutex
	byName map[string]string
}

// Hide replaces web addresses in a text by printable substitutes, without query, user name and
// password. Within this process they are equivalent.
func Hide(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return secret().ReplaceAllStringFunc(text, hide)
}

func hide(url string) string {
	hidden.Lock()
	defer hidden.Unlock()
	scheme, rest, _ := strings.Cut(url, "://")
	bare, _, _ := strings.Cut(rest, "?")
	host, path, slash := strings.Cut(bare, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = host[at+1:]
	}
	if bare = host; slash {
		bare += "/" + path
	}
	if hidden.byName == nil {
		hidden.byName = make(map[string]string)
	}
	for n := 1; ; n++ {
		name := scheme + "://" + bare
		if last := strings.LastIndex(bare, "/"); n > 1 { // keeps the extension
			name = fmt.Sprintf("%s://%s/(%d)%s", scheme, bare[:max(0, last)], n, bare[max(0, last):])
		}
		if other, taken := hidden.byName[name]; !taken || other == url {
			hidden.byName[name] = url
			return name
		}
	}
}

// Reveal returns the address for a substitute of Hide.
func Reveal(name string) string {
	hidden.Lock()
	defer hidden.Unlock()
	if url, ok := hidden.byName[name]; ok {
		return url
	}
	return name
}
