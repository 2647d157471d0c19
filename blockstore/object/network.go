package object

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/nystream/nystream/stream"
)

// mostRedirects bounds the redirects of a request.
const mostRedirects = 10

// Redirect is the CheckRedirect function for HTTP clients of stores. It rejects more than ten
// redirects, a redirect from https to http, and one from a public to a private address.
func Redirect(r *http.Request, via []*http.Request) error {
	first, last := via[0].URL, via[len(via)-1].URL
	switch {
	case len(via) > mostRedirects:
		return errRedirect{stream.NewDataError("", "the server redirects more than ten times").WithRemedy("is the address right?")}
	case last.Scheme == "https" && r.URL.Scheme != "https":
		return errRedirect{stream.NewDataError("", "the server redirects from https to an address without encryption").WithRemedy("name that address")}
	case isInner(r.Context(), r.URL) && !isInner(r.Context(), first):
		return errRedirect{stream.NewDataError("", "the server redirects to an address within this network").WithRemedy("name that address")}
	}
	return nil
}

// errRedirect explains why a redirect is rejected.
type errRedirect struct{ *stream.DataError }

// isInner reports whether a host is this machine or in a private network.
func isInner(ctx context.Context, u *url.URL) bool {
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, u.Hostname())
	if err != nil {
		return false // a proxy may resolve it
	}
	for _, a := range addresses {
		if ip := a.IP; ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() {
			return true
		}
	}
	return false
}

// NetworkError removes the address, which may contain credentials, from a network error. The result
// is [Temporary] unless the host, its certificate or a redirect is the cause.
func NetworkError(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var redirect errRedirect
	var host *net.DNSError
	var certificate *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	var alert tls.AlertError
	var timeout net.Error
	switch {
	case errors.As(err, &redirect):
		return Failure(redirect.DataError)
	case errors.As(err, &host) && !host.IsTimeout && !host.IsTemporary:
		return Failure(stream.NewDataError("", "there is no host %s", host.Name).WithRemedy("is the address right?"))
	case errors.As(err, &certificate):
		return Failure(stream.NewDataError("", "the certificate of the server is not trusted: %w", certificate.Err).WithRemedy("is the address right?"))
	case errors.As(err, &plain), errors.As(err, &alert), errors.Is(err, http.ErrSchemeMismatch):
		return Failure(stream.NewDataError("", "the server does not speak TLS as it should").WithRemedy("write http:// if it has no encryption"))
	case errors.Is(err, syscall.ECONNREFUSED):
		return Temporary(stream.NewDataError("", "the server refuses the connection").WithRemedy("does it run?"))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Temporary(errors.New("the connection broke off"))
	case errors.As(err, &timeout) && timeout.Timeout():
		return Temporary(errors.New("no answer came in time"))
	}
	return Temporary(stream.NewDataError("", "the connection failed: %w", err))
}
