package object

import "testing"

// Hidden addresses have no query or password. Different addresses stay different, and each can be recovered.
func TestSecretsAreHidden(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"https://h/a.csv?X-Amz-Signature=abc", "https://h/a.csv"},
		{"https://h/a.csv?X-Amz-Signature=def", "https://h/(2)/a.csv"},
		{"https://h/a.csv?X-Amz-Signature=abc", "https://h/a.csv"},
		{"--right=http://me:word@h:80/b?c=d", "--right=http://h:80/b"},
		{"http://me@h", "http://h"},
		{"https://h/plain.csv", "https://h/plain.csv"},
		{"s3://bucket/a?.csv", "s3://bucket/a?.csv"},
		{"https://h/a b.csv?X-Amz-Signature=abc", "https://h/a b.csv"},
		{"HTTPS://h/c.csv?sig=abc", "HTTPS://h/c.csv"},
		{"s3://KEY:SECRET@bucket/d.csv", "s3://bucket/d.csv"},
		{"s3://bucket/e.csv?X-Amz-Signature=abc", "s3://bucket/e.csv"},
		{"https://h/f.csv is not there: is it https://me:word@h/f.csv?", "https://h/f.csv is not there: is it https://h/f.csv"},
		{"data/a@b?.csv", "data/a@b?.csv"},
	} {
		if got := Hide(c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	if got := Reveal("https://h/(2)/a.csv"); got != "https://h/a.csv?X-Amz-Signature=def" {
		t.Errorf("revealed %s", got)
	}
	if got := Reveal("https://h/plain.csv"); got != "https://h/plain.csv" {
		t.Errorf("revealed %s", got)
	}
}

// Scheme distinguishes URLs from paths.
func TestSchemes(t *testing.T) {
	for path, want := range map[string]string{"s3://b/k": "s3", "https://h": "https", "C://x": "", "a/b://c": "", "x.csv": "", "://": "", "file:///x": "file"} {
		if got := Scheme(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if _, err := Registered().Of("gs://b/o"); err == nil {
		t.Error("there is a store for gs://")
	}
}
