// SPDX-License-Identifier: BSD-2-Clause

// Goroutines that call C, which works on the stack of the thread.
package main

/*
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int sorted(int n, int seed)
{
	int *v = malloc(n * sizeof(*v)), first;

	for (int i = 0; i < n; i++)
		v[i] = (int)((long)i * 7919 + seed) % 10007;
	qsort(v, n, sizeof(*v), order);
	first = v[0];
	free(v);
	return first;
}
*/
import "C"

func work(id int, c chan int) {
	for i := 0; ; i++ {
		c <- int(C.sorted(5000, C.int(id+i)))
	}
}

func main() {
	c := make(chan int)
	for i := 0; i < 3; i++ {
		go work(i, c)
	}
	for s := 0; ; {
		s += <-c
	}
}
