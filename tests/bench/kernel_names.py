#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What kernel_names.sh has brought out of a guest, against its kallsyms.
kernel_names.py BUILD DIR VMLINUX [MODULES]; exit 1 when under 99.9 % of names are right."""
import bisect, collections, json, os, re, subprocess, sys

build, work, vmlinux, modules = (sys.argv[1:] + [''])[:4]
report = build + '/fold-report'
probe = build + '/tests/unit/report_symbols_probe'
image, by_module = collections.defaultdict(set), collections.defaultdict(lambda: collections.defaultdict(set))
for line in open(work + '/kallsyms'):
    address, _, name, *owner = line.split()
    (by_module[owner[0].strip('[]')] if owner else image)[int(address, 16)].add(name)
addresses = sorted(image)
text = next(a for a, names in image.items() if '_text' in names)

def names_at(address):
    i = bisect.bisect_right(addresses, address)
    return image[addresses[i - 1]] if i else set()

def offsets(file):
    """Distinct offsets of the recording's kernel frames."""
    items = [json.loads(line) for line in subprocess.run([report, 'dump', file], capture_output=True, text=True).stdout.splitlines()]
    kernel = next(i for i in items if i['is'] == 'module' and i['kind'] == 0)
    return {f - kernel['base'] for i in items if i['is'] == 'kstack' for f in i['frames']
            if isinstance(f, int) and 0 <= f - kernel['base'] < kernel['span']}

def interrupts(names):
    return any(re.match(r'asm_(sysvec|exc|common_int|spurious)|(end_repeat|first)_nmi', n) for n in names)

def compare(what, file, base, options):
    """`base` is the guest's address of offset 0."""
    total = unnamed = 0
    wrong = collections.Counter()
    out = subprocess.run([report, '-q', '--no-system', '-f', 'script', '--no-demangle', *options, file], capture_output=True, text=True, errors='replace').stdout
    for stack in out.split('\n\n'):
        callee = set()
        for i, (offset, name) in enumerate(re.findall(r'^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(\[kernel\.kallsyms\]\)$', stack, re.M)):
            address = base + int(offset, 16)
            # a leaf, and what an interrupt stopped, is where it is; a caller is one byte before
            exact = not i or interrupts(callee) and not interrupts(names_at(address))
            callee = names_at(address if exact else address - 1)
            total += 1
            unnamed += name.startswith('[')
            if name not in callee and not name.startswith('['):
                wrong[name, ' '.join(sorted(callee))] += 1
    print('%s: %d kernel frames, %d wrong, %d without a name' % (what, total, sum(wrong.values()), unnamed))
    for (name, truth), n in wrong.most_common(10):
        print('  %d x %s, which is %s' % (n, name, truth))
    return total and (total - unnamed - sum(wrong.values())) / total >= 0.999

def compare_modules():
    files = {}
    for folder, _, found in os.walk(modules):
        for f in found:
            if re.search(r'\.ko(\.\w+)?$', f):
                files[f.split('.ko')[0].replace('-', '_')] = os.path.join(folder, f)
    bases = {line.split()[0]: int(line.split()[5], 16) for line in open(work + '/modules')}
    total = good = 0
    for name, symbols in by_module.items():
        if name not in files or name not in bases:
            continue
        where = {a - bases[name]: names for a, names in symbols.items()}
        out = subprocess.run([probe, '-k', '-n', '-s', os.path.dirname(files[name]), files[name]], input=''.join('%#x\n' % a for a in where),
                             capture_output=True, text=True).stdout.split('\n')
        got = {int(a, 16): n for a, n in zip(out[::2], out[1::2])}
        right = sum(got.get(a) in names for a, names in where.items())
        total += len(where); good += right
        if right < len(where):
            print('  %s: %d of %d' % (name, right, len(where)))
    print('modules: %d symbols, %d where their files say' % (total, good))
    return good == total

hidden, shown = offsets(work + '/hidden.foldrec'), offsets(work + '/shown.foldrec')
# where the hidden one counts from, without asking any code: the same places are hit again
anchor = max(range(-(64 << 20), 256 << 20, 2 << 20), key=lambda d: len({o - d for o in hidden} & shown))
ok = [compare('addresses hidden, named by vmlinux', work + '/hidden.foldrec', text - anchor, ['--symbols', os.path.dirname(os.path.realpath(vmlinux))]),
      compare('addresses shown, named when recorded', work + '/shown.foldrec', text, [])]
if modules:
    ok.append(compare_modules())
sys.exit(not all(ok))
