package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/nystream/nystream/blockstore/object"
)

const (
	// partBytes is the length of a part; a smaller object is sent in one request.
	partBytes = 16 << 20
	// mostParts is how many parts an object may have.
	mostParts = 10000
	// partAttempts is how often a part is sent.
	partAttempts = 4
	// abortTime is how long giving up an upload may take.
	abortTime = 10 * time.Second
)

// Put implements object.Store. An object of several parts appears when the last request
// puts them together; before that it is given up if anything fails.
func (s *Store) Put(ctx context.Context, address string, content io.ReaderAt, size int64) error {
	client, bucket, key, err := s.target(ctx, address)
	if err != nil {
		return err
	}
	if size <= partBytes {
		_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: io.NewSectionReader(content, 0, size), ContentLength: &size})
		return written(err)
	}
	u := &upload{client: client, bucket: bucket, key: key}
	started, err := client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return written(err)
	}
	u.id = aws.ToString(started.UploadId)
	if err := u.parts(ctx, content, size); err != nil {
		return errors.Join(err, u.abort(ctx))
	}
	return u.complete(ctx)
}

// upload is an object on its way, part after part.
type upload struct {
	client          *s3.Client
	bucket, key, id string
	sent            []types.CompletedPart
}

// parts sends all parts.
func (u *upload) parts(ctx context.Context, content io.ReaderAt, size int64) error {
	length := max(partBytes, (size+mostParts-1)/mostParts)
	for at := int64(0); at < size; at += length {
		if err := u.part(ctx, io.NewSectionReader(content, at, min(length, size-at))); err != nil {
			return err
		}
	}
	return nil
}

// part sends a part, again if it fails: the parts before need not be sent again then.
func (u *upload) part(ctx context.Context, content *io.SectionReader) error {
	number, length := int32(len(u.sent)+1), content.Size()
	for n := 1; ; n++ {
		if _, err := content.Seek(0, io.SeekStart); err != nil {
			return err
		}
		done, err := u.client.UploadPart(ctx, &s3.UploadPartInput{Bucket: &u.bucket, Key: &u.key, UploadId: &u.id, PartNumber: &number, Body: content, ContentLength: &length})
		if err == nil {
			u.sent = append(u.sent, types.CompletedPart{ETag: done.ETag, PartNumber: &number})
			return nil
		}
		if err = written(err); ctx.Err() != nil || n == partAttempts || !object.IsTemporary(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(n) * 250 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// complete puts the parts together. If the answer is an error, or none comes, the upload
// is given up, and nothing appears later.
func (u *upload) complete(ctx context.Context) error {
	_, err := u.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: &u.bucket, Key: &u.key, UploadId: &u.id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: u.sent}})
	if err != nil {
		return errors.Join(written(err), u.abort(ctx))
	}
	return nil
}

// abort gives the upload up, although ctx may have ended.
func (u *upload) abort(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	_, err := u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &u.bucket, Key: &u.key, UploadId: &u.id})
	if err != nil && code(err) != http.StatusNotFound {
		return fmt.Errorf("and the parts that were sent could not be removed: %w", written(err))
	}
	return nil
}

// written returns an error of writing.
func written(err error) error {
	if err == nil {
		return nil
	}
	if code(err) == http.StatusNotFound {
		return errors.New("there is no such bucket; make it first")
	}
	return plain(err)
}

// target returns where an object is to be put.
func (s *Store) target(ctx context.Context, address string) (client *s3.Client, bucket, key string, err error) {
	bucket, key, err = locate(address)
	if err == nil && key == "" {
		err = errors.New("it names a bucket and no object; write s3://BUCKET/KEY")
	}
	if err == nil {
		client, err = s.begin(ctx)
	}
	return client, bucket, key, err
}

// CanPut implements object.Store: it asks for the bucket. That it may be written to is
// seen only when it is.
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

// Remove implements object.Store.
func (s *Store) Remove(ctx context.Context, address string) error {
	bucket, key, err := locate(address)
	if err != nil {
		return err
	}
	client, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if _, err = client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		return plain(err)
	}
	return nil
}
