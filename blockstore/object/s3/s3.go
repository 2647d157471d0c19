// Package s3 reads and writes objects in Amazon S3 and compatible stores, with the AWS SDK:
// s3://BUCKET/KEY.
//
// Credentials, region and endpoint come from the usual places of the SDK: the environment
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, AWS_REGION,
// AWS_ENDPOINT_URL_S3), ~/.aws, or the role of the machine. If an endpoint is set, buckets are part
// of the path.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// Store is an S3 store. Its client is created on first use.
type Store struct {
	once   sync.Once
	client *s3.Client
	failed error
}

// New returns a store of s3:// URLs.
func New() *Store { return &Store{} }

// begin returns the client.
func (s *Store) begin(ctx context.Context) (*s3.Client, error) {
	s.once.Do(func() {
		var c aws.Config
		c, s.failed = config.LoadDefaultConfig(context.WithoutCancel(ctx),
			config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }), // object.Patience retries instead
			config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = 16 })),
			config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired), // other servers than Amazon reject them
			config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired))
		if c.Region == "" {
			c.Region = "us-east-1"
		}
		s.client = s3.NewFromConfig(c, func(o *s3.Options) {
			if client, ok := o.HTTPClient.(*awshttp.BuildableClient); ok { // it would follow redirects without limit
				o.HTTPClient = &http.Client{Transport: client.GetTransport(), CheckRedirect: redirect}
			}
			o.UsePathStyle = c.BaseEndpoint != nil || os.Getenv("AWS_ENDPOINT_URL_S3") != "" || o.BaseEndpoint != nil
			o.Logger = logging.Nop{}
			o.DisableLogOutputChecksumValidationSkipped = true
		})
	})
	if s.failed != nil {
		return nil, stream.NewDataError("", "the configuration of AWS cannot be used: %w", s.failed)
	}
	return s.client, nil
}

// redirect follows only redirects that keep the method.
func redirect(r *http.Request, via []*http.Request) error {
	switch r.Response.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return object.Redirect(r, via)
	}
	return http.ErrUseLastResponse
}

// locate splits a URL into bucket and key.
func locate(address string) (bucket, key string, err error) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	if bucket == "" {
		return "", "", stream.NewDataError("", "it names no bucket").WithRemedy("write s3://BUCKET/KEY")
	}
	return bucket, key, nil
}

// version is one version of an object.
type version struct {
	client            *s3.Client
	bucket, key, etag string
	size              int64
}

// Size implements object.Object.
func (v *version) Size() int64 { return v.size }

// Version returns the ETag.
func (v *version) Version() string { return v.etag }

// Open implements object.Store. It requests the first bytes together with size and version.
func (s *Store) Open(ctx context.Context, address string, head int64) (object.Object, []byte, error) {
	bucket, key, err := locate(address)
	if err == nil && key == "" {
		return nil, nil, fs.ErrNotExist // a bucket is a folder
	}
	if err != nil {
		return nil, nil, err
	}
	client, err := s.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	v := &version{client: client, bucket: bucket, key: key}
	answer, err := v.get(ctx, 0, max(1, head))
	if code(err) == http.StatusRequestedRangeNotSatisfiable {
		return v.describe(ctx) // the object is empty
	}
	if err != nil {
		return nil, nil, shortError(err)
	}
	defer answer.Body.Close()
	if v.etag = aws.ToString(answer.ETag); v.etag == "" {
		return nil, nil, errNoVersion
	}
	_, size, _ := strings.Cut(aws.ToString(answer.ContentRange), "/")
	if v.size, err = strconv.ParseInt(size, 10, 64); err != nil || !isRange(answer, 0) {
		return v.describe(ctx) // the server does not support ranges
	}
	first, err := io.ReadAll(io.LimitReader(object.Body(answer.Body), min(head, v.size)))
	return v, first, err
}

var errNoVersion = stream.NewDataError("", "the server names no size or no version (ETag) of it, so that a change would go unseen").
	WithRemedy("copy it to a file")

// describe requests only size and version.
func (v *version) describe(ctx context.Context) (object.Object, []byte, error) {
	head, err := v.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &v.bucket, Key: &v.key})
	if err != nil {
		return nil, nil, shortError(err)
	}
	if aws.ToString(head.ETag) == "" || head.ContentLength == nil {
		return nil, nil, errNoVersion
	}
	v.etag, v.size = *head.ETag, *head.ContentLength
	return v, nil, nil
}

// get requests a range of the version, if that is known.
func (v *version) get(ctx context.Context, offset, length int64) (*s3.GetObjectOutput, error) {
	in := &s3.GetObjectInput{Bucket: &v.bucket, Key: &v.key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))}
	if v.etag != "" {
		in.IfMatch = &v.etag
	}
	return v.client.GetObject(ctx, in)
}

// isRange reports whether an answer begins at offset.
func isRange(answer *s3.GetObjectOutput, offset int64) bool {
	return strings.HasPrefix(aws.ToString(answer.ContentRange), fmt.Sprintf("bytes %d-", offset))
}

// Get implements object.Object.
func (v *version) Get(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	answer, err := v.get(ctx, offset, length)
	if err != nil {
		switch code(err) {
		case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusNotFound:
			return nil, object.ErrChanged // a newer or shorter version, or none
		}
		return nil, shortError(err)
	}
	isWhole := answer.ContentRange == nil && offset == 0 && aws.ToInt64(answer.ContentLength) == v.size
	switch {
	case aws.ToString(answer.ETag) != v.etag: // not every server supports If-Match
		err = object.ErrChanged
	case !isWhole && !isRange(answer, offset):
		err = fmt.Errorf("the server gives another range than from byte %d: %q", offset, aws.ToString(answer.ContentRange))
	default:
		return object.Body(answer.Body), nil
	}
	answer.Body.Close()
	return nil, err
}

// List implements object.Store, a thousand objects with each request.
func (s *Store) List(ctx context.Context, prefix string, each func(string, object.Object) error) error {
	bucket, key, err := locate(prefix)
	if err != nil {
		return err
	}
	client, err := s.begin(ctx)
	if err != nil {
		return err
	}
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &key})
	last := ""
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return shortError(err)
		}
		for _, o := range page.Contents {
			v := &version{client, bucket, aws.ToString(o.Key), aws.ToString(o.ETag), aws.ToInt64(o.Size)}
			if v.key <= last {
				return stream.NewDataError("", "the server lists %s after %s, which would never end", v.key, last).WithRemedy("name each object")
			}
			last = v.key
			if err := each("s3://"+bucket+"/"+v.key, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// code returns the HTTP status of the answer behind an error, or 0.
func code(err error) int {
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.HTTPStatusCode()
	}
	return 0
}

// shortError returns a short error, marked if it may be temporary. It omits the address, which may
// contain signatures.
func shortError(err error) error {
	var api smithy.APIError
	var at *url.Error
	status := code(err)
	switch {
	case errors.As(err, &api) && api.ErrorCode() == "NoSuchBucket":
		return stream.NewDataError("", "there is no such bucket").WithRemedy("is its name right?")
	case status == http.StatusNotFound:
		return fs.ErrNotExist
	case status == http.StatusMovedPermanently:
		return stream.NewDataError("", "the bucket is in another region").WithRemedy("set AWS_REGION")
	case status == 0 && isCredentials(err):
		return stream.NewDataError("", "there are no credentials for S3").
			WithRemedy("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or read a public object by its https:// address")
	case errors.As(err, &at), status == 0 && isNet(err), status/100 == 2 && !errors.As(err, &api):
		return object.NetworkError(err)
	}
	short := fmt.Errorf("the server says %d %s", status, http.StatusText(status))
	if errors.As(err, &api) {
		short = fmt.Errorf("the server says %s: %s", api.ErrorCode(), api.ErrorMessage())
		if status == http.StatusForbidden {
			short = fmt.Errorf("the server says %d %s", status, api.ErrorCode())
		}
	}
	switch {
	case status == 0 && api == nil:
		return rootCause(err)
	case status >= 500 && status != http.StatusNotImplemented, status == http.StatusTooManyRequests,
		status == http.StatusRequestTimeout, isCode(err, "SlowDown"), isCode(err, "InternalError"):
		return object.Temporary(short)
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return object.Failure(stream.NewDataError("", "%w", short).WithRemedy("do the credentials in use admit this?"))
	}
	return short
}

// isNet reports whether an error is a connection error.
func isNet(err error) bool {
	var sent *smithyhttp.RequestSendError
	return errors.As(err, &sent) || errors.As(err, new(interface{ Timeout() bool }))
}

// isCredentials reports whether no credentials were found.
func isCredentials(err error) bool {
	return strings.Contains(err.Error(), "get credentials") || strings.Contains(err.Error(), "get identity")
}

// rootCause returns the innermost cause of an error.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
