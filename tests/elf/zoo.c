/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The animal of the layout zoo: functions that a symbolizer could take for each
 * other.  Built by tests/unit/report_symbols_zoo.c in many layouts; needs no
 * libc with -DFREESTANDING.  Never run.
 */
volatile int sink;

#define KEEP __attribute__((noinline, used))

KEEP static void inner(int n)
{
	sink += n;
}

KEEP void outer(int n)
{
	inner(n);
	sink *= 3;
}

/* Aliases: `write_it` is the name to show. */
KEEP void __zoo_write_it(int n)
{
	sink -= n;
}
void zoo_write_it(int n) __attribute__((weak, alias("__zoo_write_it")));

KEEP __attribute__((section(".text.far"))) void far_away(int n)
{
	sink ^= n;
}

KEEP __attribute__((section(".text.far"))) static void far_static(int n)
{
	sink |= n;
	far_away(n);
}

KEEP __attribute__((cold)) void frozen(void)
{
	far_static(7);
}

KEEP __attribute__((aligned(64))) void after_padding(void)
{
	sink = 1;
}

/* Data in an executable section is not code; a label without size ends where
 * the next symbol begins. */
__asm__(".pushsection .text.far\n"
	".type table_in_text, %object\n"
	"table_in_text: .space 256\n"
	".size table_in_text, 256\n"
	".globl bare_label\n"
	"bare_label: .space 32\n"
	".popsection\n");

#ifdef GO_ID /* a build-id as Go's linker writes it: 83 bytes of text */
__asm__(".pushsection .note.go.buildid, \"a\", %note\n"
	".balign 4\n.long 4, 83, 4\n.asciz \"Go\\0\"\n"
	".fill 82, 1, 0x41\n.ascii \"" GO_ID "\"\n.balign 4\n"
	".popsection\n");
#endif

#ifdef SHORT_ID /* a build-id of 5 bytes, without padding behind it, as some linkers write it */
__asm__(".pushsection .note.short, \"a\", %note\n"
	".balign 4\n.long 4, 5, 3\n.asciz \"GNU\"\n"
	".byte 1, 2, 3, 4, 5\n"
	".popsection\n");
#endif

#ifdef FREESTANDING
KEEP void _start(void)
#else
int main(void)
#endif
{
	outer(1);
	zoo_write_it(2);
	frozen();
	after_padding();
#ifndef FREESTANDING
	return 0;
#endif
}
