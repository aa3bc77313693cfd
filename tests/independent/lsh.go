// Digests of prefixes of a file by the shortest LSH over 64-bit words, which no other library used here has, one line each:
// `krypto ALGORITHM LENGTH HEXADECIMAL`.
// usage: go run lsh.go FILE LENGTH..
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/RyuaNerin/go-krypto/lsh512"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	for _, word := range os.Args[2:] {
		length, err := strconv.Atoi(word)
		if err != nil {
			panic(err)
		}
		hash := lsh512.New224()
		hash.Write(data[:length])
		fmt.Printf("krypto lsh512-224 %d %x\n", length, hash.Sum(nil))
	}
}
