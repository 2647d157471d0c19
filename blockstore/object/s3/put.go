package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

const (
	// partBytes is the size of a part; a smaller object is sent in one request.
	partBytes = 16 << 20
	// mostParts is the maximal number of parts of an object.
	mostParts = 10000
	// abortTime bounds the time for aborting an upload.
	abortTime = 10 * time.Second
	// markName is the metadata key that identifies an upload.
	markName = "nystream-upload"
)

// Put implements object.Store. An object of several parts appears when the last request completes
// it; after an earlier failure the upload is aborted.
func (s *Store) Put(ctx context.Context, address string, content io.ReaderAt, size int64, p object.Patience) error {
	client, bucket, key, err := s.target(ctx, address)
	if err != nil {
		return err
	}
	removeAbandoned(ctx, client, p, bucket, key)
	if size <= partBytes {
		return p.Retry(ctx, func(ctx context.Context, beat func()) error {
			_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, ContentLength: &size,
				Body: progressReader(beat, content, 0, size)})
			return written(err)
		})
	}
	u := &upload{client: client, patience: p, bucket: bucket, key: key, mark: rand.Text()}
	err = p.Retry(ctx, func(ctx context.Context, _ func()) error {
		started, err := client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key,
			Metadata: map[string]string{markName: u.mark}})
		if err == nil {
			u.id = aws.ToString(started.UploadId)
		}
		return written(err)
	})
	if err != nil {
		return err
	}
	if err = u.parts(ctx, content, size); err == nil {
		err = p.Retry(ctx, func(ctx context.Context, _ func()) error { return u.complete(ctx) })
	}
	if err != nil { // the object cannot appear later
		return errors.Join(err, abort(ctx, client, p, bucket, key, u.id))
	}
	return nil
}

// removeAbandoned aborts uploads of the same object that killed runs have left, if it may list
// them. It ignores errors.
func removeAbandoned(ctx context.Context, client *s3.Client, p object.Patience, bucket, key string) {
	_ = p.Retry(ctx, func(ctx context.Context, _ func()) error {
		list, err := client.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &bucket, Prefix: &key})
		if err != nil {
			return shortError(err)
		}
		for _, u := range list.Uploads {
			if aws.ToString(u.Key) == key {
				_ = abort(ctx, client, p, bucket, key, aws.ToString(u.UploadId))
			}
		}
		return nil
	})
}

// progressReader returns a part of content that reports progress when it is read.
func progressReader(beat func(), content io.ReaderAt, at, size int64) io.ReadSeeker {
	return &reportingReader{io.NewSectionReader(content, at, size), beat}
}

type reportingReader struct {
	*io.SectionReader
	beat func()
}

// Read implements io.Reader.
func (r *reportingReader) Read(p []byte) (int, error) {
	r.beat()
	return r.SectionReader.Read(p)
}

// upload is a multipart upload.
type upload struct {
	client            *s3.Client
	patience          object.Patience
	bucket, key, id   string
	mark              string // metadata that identifies the upload
	sent              []types.CompletedPart
	completionUnknown bool // an earlier attempt to complete it failed
}

// parts sends all parts, and retries each.
func (u *upload) parts(ctx context.Context, content io.ReaderAt, size int64) error {
	length := max(partBytes, (size+mostParts-1)/mostParts)
	for at := int64(0); at < size; at += length {
		number, n := int32(len(u.sent)+1), min(length, size-at)
		err := u.patience.Retry(ctx, func(ctx context.Context, beat func()) error {
			done, err := u.client.UploadPart(ctx, &s3.UploadPartInput{Bucket: &u.bucket, Key: &u.key, UploadId: &u.id,
				PartNumber: &number, Body: progressReader(beat, content, at, n), ContentLength: &n})
			if err == nil {
				u.sent = append(u.sent, types.CompletedPart{ETag: done.ETag, PartNumber: &number})
			}
			return written(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// complete completes the upload. If an earlier attempt got no answer, the upload may be gone
// because the object exists.
func (u *upload) complete(ctx context.Context) error {
	_, err := u.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: &u.bucket, Key: &u.key, UploadId: &u.id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: u.sent}})
	if isCode(err, "NoSuchUpload") && u.completionUnknown {
		head, failed := u.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &u.bucket, Key: &u.key})
		if failed == nil && head.Metadata[markName] == u.mark {
			return nil
		}
	}
	u.completionUnknown = err != nil
	return written(err)
}

// abort aborts an upload, even if ctx has ended.
func abort(ctx context.Context, client *s3.Client, p object.Patience, bucket, key, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	err := p.Retry(ctx, func(ctx context.Context, _ func()) error {
		_, err := client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &bucket, Key: &key, UploadId: &id})
		if isCode(err, "NoSuchUpload") {
			return nil
		}
		return written(err)
	})
	if err != nil {
		return stream.NewDataError("", "and the parts that were sent could not be removed: %w", err)
	}
	return nil
}

// written wraps a write error.
func written(err error) error {
	switch {
	case err == nil:
		return nil
	case isCode(err, "NoSuchUpload"):
		return object.Failure(stream.NewDataError("", "the server has given up the upload").WithRemedy("is another run writing this object?"))
	case isCode(err, "NoSuchBucket"), code(err) == http.StatusNotFound:
		return stream.NewDataError("", "there is no such bucket").WithRemedy("make it first")
	}
	return shortError(err)
}

// isCode reports whether an error is an S3 error with the given code.
func isCode(err error, code string) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == code
}

// target returns the client, bucket and key for writing an object.
func (s *Store) target(ctx context.Context, address string) (client *s3.Client, bucket, key string, err error) {
	bucket, key, err = locate(address)
	if err == nil && key == "" {
		err = stream.NewDataError("", "it names a bucket and no object").WithRemedy("write s3://BUCKET/KEY")
	}
	if err == nil {
		client, err = s.begin(ctx)
	}
	return client, bucket, key, err
}

// CanPut implements object.Store: it checks that the bucket exists. Write permission shows only on
// writing.
func (s *Store) CanPut(ctx context.Context, address string) error {
	client, bucket, _, err := s.target(ctx, address)
	if err != nil {
		return err
	}
	_, err = client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &bucket})
	if err == nil || code(err) == http.StatusForbidden {
		return nil
	}
	return written(err)
}
