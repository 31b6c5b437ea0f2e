// SPDX-License-Identifier: BSD-2-Clause
// Known call structure and known CPU shares: main -> ring::turn -> {half<int>,
// third, sixth}, which spin for 50 %, 33.3 % and 16.7 % of the thread's CPU time.
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace ring {

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void burn(uint64_t ns)
{
	timespec now;
	uint64_t until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	until = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec + ns;
	do {
		for (int i = 0; i < 20000; i++)
			sink = sink + i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * UINT64_C(1000000000) + now.tv_nsec < until);
}

template <typename T> __attribute__((noinline)) void half(T unit) { burn(3 * unit); sink = sink + 1; }
__attribute__((noinline)) void third(long unit) { burn(2 * unit); sink = sink + 1; }
__attribute__((noinline)) void sixth(long unit) { burn(unit); sink = sink + 1; }
__attribute__((noinline)) void turn(long unit)
{
	half<long>(unit);
	third(unit);
	sixth(unit);
	sink = sink + 1;
}

} // namespace ring

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 100;

	while (turns--)
		ring::turn(5000000);
	return 0;
}
