// SPDX-License-Identifier: BSD-2-Clause

// Goroutines that sort, hash, allocate and call the system: deep and shallow frames,
// functions without a frame, the collector on the stacks of the runtime.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"sort"
	"strings"
)

type node struct {
	l, r *node
	s    string
}

func grow(n int) *node {
	if n == 0 {
		return &node{s: strings.Repeat("x", 8)}
	}
	return &node{grow(n - 1), grow(n - 1), fmt.Sprint(n)}
}

func work(id int, c chan int) {
	for {
		v := make([]int, 20000)
		for i := range v {
			v[i] = (i*7919 + id) % 10007
		}
		sort.Slice(v, func(a, b int) bool { return v[a] < v[b] })
		h := sha256.Sum256([]byte(fmt.Sprint(v[:1000])))
		t := grow(12)
		os.Stat("/proc/self/stat")
		c <- int(h[0]) + len(t.s)
	}
}

func main() {
	c := make(chan int)
	for i := 0; i < 3; i++ {
		go work(i, c)
	}
	s := 0
	for {
		s += <-c
	}
}
