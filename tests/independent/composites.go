// Composite checksums of multipart uploads, computed by an S3 client, one line each: `ALGORITHM LENGTH HEXADECIMAL-PARTS`.
// usage: go run composites.go FILE LENGTH..
package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	const part = 5 << 20
	checksums := []minio.ChecksumType{minio.ChecksumSHA256, minio.ChecksumSHA1, minio.ChecksumCRC32, minio.ChecksumCRC32C}
	for _, checksum := range checksums {
		name := "s3-" + strings.ToLower(checksum.String())
		for _, word := range os.Args[2:] {
			length, err := strconv.Atoi(word)
			if err != nil {
				panic(err)
			}
			var parts []minio.ObjectPart
			for start := 0; start < length; start += part {
				encoded := checksum.ChecksumBytes(data[start:min(start+part, length)]).Encoded()
				one := minio.ObjectPart{PartNumber: len(parts) + 1}
				switch checksum {
				case minio.ChecksumSHA256:
					one.ChecksumSHA256 = encoded
				case minio.ChecksumSHA1:
					one.ChecksumSHA1 = encoded
				case minio.ChecksumCRC32:
					one.ChecksumCRC32 = encoded
				case minio.ChecksumCRC32C:
					one.ChecksumCRC32C = encoded
				}
				parts = append(parts, one)
			}
			whole, err := checksum.CompositeChecksum(parts)
			if err != nil {
				panic(err)
			}
			digest, err := base64.StdEncoding.DecodeString(strings.Split(whole.Encoded(), "-")[0])
			if err != nil {
				panic(err)
			}
			fmt.Printf("minio-go %s;part=5MiB %d %s-%d\n", name, length, hex.EncodeToString(digest), len(parts))
		}
	}
}
