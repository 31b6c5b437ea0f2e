#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Names of kernel frames against the kernel's own kallsyms, in a guest without KVM:
# recorded with addresses hidden and named here with a vmlinux, and recorded with
# addresses shown and named from the recording.  By hand: a minute.
#   tests/bench/kernel_names.sh VMLINUZ VMLINUX     of one build, such as Debian's linux-image-V and linux-image-V-dbg
# With MODULES=DIR, a tree of kernel modules (DIR/lib/modules/V), those in MODULE_NAMES are
# loaded, and each of their symbols is looked up in its .ko file.
set -eu
[ $# = 2 ] || { echo "by hand: $0 VMLINUZ VMLINUX"; exit 77; }
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
for tool in qemu-system-x86_64 cpio python3; do command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }; done
busybox=$(command -v busybox) && ldd "$busybox" 2>&1 | grep -q 'not a dynamic' || { echo "needs a static busybox"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

mkdir -p "$work"/root/{bin,dev,proc,sys,tmp,lib/modules} && chmod 755 "$work/root"
cp "$busybox" "$BUILD/fold-record" "$work/root/bin/"
for applet in sh mount echo cat; do ln -s busybox "$work/root/bin/$applet"; done
mknod -m 600 "$work/root/dev/console" c 5 1
[ -z "${MODULES:-}" ] || { cp -r "$MODULES"/lib/modules/* "$work/root/lib/modules/"; find "$work/root/lib/modules" -name '*.ko.xz' -exec xz -d {} +; }
cat >"$work/root/init" <<END
#!/bin/sh
names="${MODULE_NAMES:-xfs btrfs nf_conntrack nf_tables nf_nat}"
END
cat >>"$work/root/init" <<'END'
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev; mount -t tmpfs t /tmp
B=busybox
cd /tmp
echo 1 >/proc/sys/kernel/printk; echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
load() {
	while :; do
		$B dd if=/dev/zero of=/tmp/x bs=4k count=2000; $B find /proc /sys -maxdepth 4; $B gzip -c /tmp/x; $B cat /proc/*/maps
		$B cp /tmp/x /tmp/y; $B rm /tmp/y; (true) | $B cat; $B ls -lR /sys/devices
	done >/dev/null 2>&1
}
load & a=$!
echo 2 >/proc/sys/kernel/kptr_restrict
fold-record -q -F 499 -d 12 --no-kernel-symbols -o hidden.foldrec || echo FAILED
echo 0 >/proc/sys/kernel/kptr_restrict
fold-record -q -F 499 -d 12 -o shown.foldrec || echo FAILED
kill $a
[ -d /lib/modules/$($B uname -r) ] && $B depmod && for m in $names; do $B modprobe $m; done
$B cat /proc/modules >modules
$B grep -i ' [tw] ' /proc/kallsyms >kallsyms
$B tar c hidden.foldrec shown.foldrec modules kallsyms | $B gzip >all.tgz
echo BEGIN; $B base64 all.tgz; echo END
$B reboot -f
END
chmod 755 "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$work/initrd"
# one thread for all CPUs: more of them hang when the kernel patches itself
timeout -k 5 600 qemu-system-x86_64 -accel tcg,thread=single -M pc -cpu max -m 1024 -smp 2 -nodefaults -no-user-config -display none -no-reboot \
	-serial "file:$work/log" -kernel "$1" -initrd "$work/initrd" -append "console=ttyS0 panic=-1 quiet no_timer_check" </dev/null
tr -d '\r' <"$work/log" | sed -n '/^BEGIN$/,/^END$/{//d;p}' | base64 -d | tar xz -C "$work" || { tail "$work/log"; exit 1; }
grep -a -m 3 -e FAILED -e modprobe "$work/log" || true
python3 "$SRC/tests/bench/kernel_names.py" "$BUILD" "$work" "$2" "${MODULES:-}"
