#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare symbolizers on random addresses of one ELF file.

  compare.py PROBE FILE [-n ADDRESSES] [--seed N] [-s DIR] [--debug FILE] [--classes N]

Truth is what the other tools say (eu-addr2line, llvm-symbolizer, binutils'
addr2line, those that are installed).  Prints shares: for how many addresses the
function's name, and the whole inline chain with lines, equal those of each tool
and of at least two of them; and every kind of difference with how often it occurs.
eu-addr2line, which can take a tenth of a second for an address, is asked for a
sample, and for each address where the others do not both agree, and with
--eu-names for the symbol at every address; then the judge (judge.py, where
pyelftools is installed) where still fewer than two agree.  --other adds a program
that is asked and answers like addr2line -afi.

Exit 1 when too few agree (--min-*), or a name is not that of a symbol there.
"""
import argparse, bisect, collections, os, random, re, shutil, subprocess, sys, time

ap = argparse.ArgumentParser()
ap.add_argument('probe'); ap.add_argument('file')
ap.add_argument('-n', type=int, default=2000)
ap.add_argument('--seed', type=int, default=1)
ap.add_argument('-s', action='append', default=[])
ap.add_argument('-k', action='store_true', help='FILE is a kernel')
ap.add_argument('--debug', help='the file other tools are given')
ap.add_argument('--classes', type=int, default=0, metavar='N', help='show kinds of differences with N examples of each')
ap.add_argument('--min-name', type=float, default=0, help='%% that have the name of at least one tool')
ap.add_argument('--min-chain', type=float, default=0, help='the same of chain and lines')
ap.add_argument('--min-two', type=float, default=0, help='%% that have chain and lines of at least two tools')
ap.add_argument('--eu-max', type=int, default=300, help='addresses for eu-addr2line, beside those in dispute')
ap.add_argument('--eu-names', action='store_true', help='ask it for the symbol at every address, too')
ap.add_argument('--other', action='append', default=[], metavar='NAME=COMMAND', help='another tool; the file is its last argument')
ap.add_argument('--judge', type=int, default=0, metavar='N', help='ask it for N disputed addresses at most; 0: not at all')
ap.add_argument('--tools', default='eu,llvm,bfd')
a = ap.parse_args()
a.file = os.path.realpath(a.file)
debug = os.path.realpath(a.debug or a.file)

# ---- where: random addresses in the sized functions that nm tells of
def functions(path):
    """{(address, size): names}, and {address: names} of labels without size"""
    sized, labels = {}, {}
    for line in subprocess.run(['nm', '-S', '--defined-only', path], capture_output=True, text=True, errors='replace').stdout.splitlines():
        f = line.split(None, 3)
        if len(f) == 4 and f[2] in 'tTwWi' and int(f[1], 16):
            sized.setdefault((int(f[0], 16), int(f[1], 16)), set()).add(f[3].split('@')[0])
        elif len(f) == 3 and f[1] in 'tTwW':
            labels.setdefault(int(f[0], 16), set()).add(f[2].split('@')[0])
    return sized, labels

funcs, labels = functions(debug)
keys = sorted(funcs)
starts = [k[0] for k in keys]
label_starts = sorted(labels)
names_at = {}
for (lo, size), names in funcs.items():
    names_at.setdefault(lo, set()).update(names)
rnd = random.Random(a.seed)
addresses = sorted({lo + rnd.randrange(size) for lo, size in rnd.choices(keys, [k[1] for k in keys], k=a.n)})

def at(address):
    """Names of sized functions there."""
    i = bisect.bisect_right(starts, address)
    return [(k[0], funcs[k]) for k in keys[max(0, i - 8):i] if k[0] <= address < k[0] + k[1]]

def label_at(address):
    """Names of the last label before it."""
    i = bisect.bisect_right(label_starts, address)
    return labels[label_starts[i - 1]] if i else set()

def symbols_at(address):
    there = set().union(*(names for _, names in at(address)))
    return there | label_at(address) if a.k else there

# ---- what each tool says
def parse(out):
    """addr2line -afi output: {address: [(name, file:line), ...]}"""
    result, lines, i, cur = {}, out.splitlines(), 0, None
    while i < len(lines):
        if re.fullmatch(r'0x[0-9a-f]+', lines[i]):
            cur = result.setdefault(int(lines[i], 16), []); i += 1
        elif cur is None or not lines[i]:
            i += 1
        else:
            cur.append((lines[i], lines[i + 1] if i + 1 < len(lines) else '')); i += 2
    return result

def clean(frames):
    out = []
    for name, place in frames:
        name = re.sub(r' inlined at .*', '', name).split('@')[0] # eu-addr2line says where
        name = re.sub(r'\+0x[0-9a-f]+$', '', name)
        m = re.match(r'(.*?):(\d+|\?)(:\d+)?( \(discriminator \d+\))?$', place)
        path, line = (m.group(1), m.group(2)) if m else (place, '0')
        line = 0 if line == '?' else int(line)
        # without a line some tools still name the symbol table's file
        out.append((name, os.path.basename(path) if line else '??', line))
    return out

def ask(label, command, addresses):
    t = time.time()
    text = ''.join('0x%x\n' % x for x in addresses)
    p = subprocess.run(command, input=text, capture_output=True, text=True, errors='replace')
    out = {k: clean(v) for k, v in parse(p.stdout).items()}
    print('%-6s %6d answers, %.2f s' % (label, len(out), time.time() - t))
    return {x: out.get(x) or [('??', '??', 0)] for x in addresses}

commands = {
    'eu': ['eu-addr2line', '-afi', '-e', debug],
    'llvm': ['llvm-symbolizer', '--output-style=GNU', '-afi', '--no-demangle', '-e', debug],
    'bfd': ['addr2line', '-afi', '-e', debug],
}
tools = [t for t in a.tools.split(',') if shutil.which(commands[t][0])]
if not tools:
    print('no other tool is installed'); sys.exit(77)
more = dict(o.split('=', 1) for o in a.other)
ours = ask('ours', [a.probe, '-i', '-l'] + (['-k'] if a.k else []) + [x for d in a.s for x in ('-s', d)] + [a.file], addresses)
others = {t: ask(t, commands[t], addresses) for t in tools if t != 'eu'}
others.update({t: ask(t, [*more[t].split(), debug], addresses) for t in more})

# ---- comparison
def dwarf_names(name):
    """What a symbol's function can be called in DWARF: there parts and clones are the
    whole, and a constructor's or destructor's variants are one"""
    whole = re.sub(r'\.(cold|part|isra|constprop|lto_priv|llvm|localalias|warm).*', '', name)
    return {whole, re.sub(r'\.(cold|abi0)$', '', name), re.sub(r'([CD])\dE', r'\g<1>4E', whole)}

def same_function(address, mine, theirs):
    """Equal, or two names of one function: aliases are everyone's own choice, and some
    tools call it by its name in DWARF, which for a static function is not mangled."""
    if mine == theirs or mine.startswith('_Z') and '%d%s' % (len(theirs), theirs) in mine:
        return True
    for lo, names in at(address):
        if mine in names:
            return theirs in names_at[lo] or theirs in dwarf_names(mine)
    return a.k and mine in label_at(address) and theirs in label_at(address)

def same_chain(mine, theirs):
    """Without the outermost name, which may be an alias: inlined names, places of all frames."""
    return [f[0] for f in mine[:-1]] == [f[0] for f in theirs[:-1]] and [f[1:] for f in mine] == [f[1:] for f in theirs]

def name_difference(address, mine, theirs):
    if theirs == '??':
        return 'name: none'
    if theirs in symbols_at(address):
        return 'name: another symbol there'
    if theirs in label_at(address):
        return 'name: a label without size in or before the function'
    if any(theirs == n.split('.')[0] or theirs + '.cold' in names for _, names in at(address) for n in names):
        return 'name: without the suffix of a part or clone'
    return 'name: no symbol there'

def difference(address, mine, theirs):
    if not same_function(address, mine[-1][0], theirs[-1][0]):
        return name_difference(address, mine[-1][0], theirs[-1][0])
    if len(mine) != len(theirs):
        return 'chain: %s frames' % ('fewer' if len(theirs) < len(mine) else 'more')
    for m, t in zip(mine[:-1], theirs[:-1]):
        if m[0] != t[0]:
            return 'chain: an inlined function is called by the name of the function' if t[0] == theirs[-1][0] else 'chain: another inlined function'
    m, t = next((m, t) for m, t in zip(mine, theirs) if m[1:] != t[1:])
    what = 'no line' if not t[2] else 'a line where we have none' if not m[2] else 'another file, same line' if m[2] == t[2] else 'another line'
    return 'place of the %s: %s' % ('leaf' if mine[0][1:] != theirs[0][1:] else 'caller', what)

def agreement(t, x):
    theirs = others[t][x]
    named = same_function(x, ours[x][-1][0], theirs[-1][0])
    return named, named and same_chain(ours[x], theirs)

if 'eu' in tools:
    disputed = [x for x in addresses if len(others) >= 2 and sum(agreement(t, x)[1] for t in others) < 2]
    sample = rnd.sample(addresses, min(len(addresses), a.eu_max))
    disputed = rnd.sample(disputed, min(len(disputed), 10 * a.eu_max + 100))
    others['eu'] = ask('eu', commands['eu'], sorted(set(sample + disputed)))
    sample = set(sample)
if 'eu' in tools and a.eu_names:
    symbols = ask('eu -S', ['eu-addr2line', '-aS', '-e', debug], addresses)
    differ = collections.Counter(name_difference(x, ours[x][-1][0], symbols[x][0][0]) for x in addresses
                                 if not same_function(x, ours[x][-1][0], symbols[x][0][0]))
    print('like eu -S of %d: name %.3f %%%s' % (len(addresses), 100 - 100 * sum(differ.values()) / len(addresses),
                                              ''.join('; %d %s' % (n, kind) for kind, n in differ.most_common())))
if a.judge:
    open_case = lambda x: sum(agreement(t, x)[1] for t in others if x in others[t]) < 2
    disputed = [x for x in addresses if open_case(x)]
    disputed = rnd.sample(disputed, min(len(disputed), a.judge))
    judge = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'judge.py'), debug]
    if disputed:
        others['judge'] = ask('judge', judge, disputed)
        for x, frames in others['judge'].items(): # it reads DWARF only, which calls parts and clones by the name of the whole
            frames[-1] = (ours[x][-1][0], *frames[-1][1:])

share = lambda part, whole: 100 * part / whole if whole else 100.0
print('%d addresses of %s' % (len(addresses), a.file))
own_name = share(sum(ours[x][-1][0] in symbols_at(x) for x in addresses), len(addresses))
print('name is a symbol that covers the address: %.3f %%' % own_name)
best_name = best_chain = 0
for t in others:
    of = [x for x in addresses if x in others[t] and (t != 'eu' or x in sample)]
    if t == 'judge': # asked for the hardest only
        print('judge agrees with %d of %d that fewer than two tools agree with, of %d' % (sum(agreement(t, x)[1] for x in of), len(of), sum(1 for x in addresses if open_case(x) or x in others[t])))
        continue
    named, chained = (share(sum(agreement(t, x)[i] for x in of), len(of)) for i in (0, 1))
    print('like %-5s of %6d: name %.3f %%  chain and lines %.3f %%' % (t, len(of), named, chained))
    if len(of) * 2 > len(addresses) or len(others) == 1:
        best_name, best_chain = max(best_name, named), max(best_chain, chained)
two_name = two_chain = 100.0
if len(others) > 1:
    votes = {x: [agreement(t, x) for t in others if x in others[t]] for x in addresses}
    need = lambda x, i: sum(v[i] for v in votes[x]) >= 2
    two_name, two_chain = (share(sum(need(x, i) for x in addresses), len(addresses)) for i in (0, 1))
    print('like two   of %6d: name %.3f %%  chain and lines %.3f %%' % (len(addresses), two_name, two_chain))
if a.classes:
    for t in others:
        kinds = collections.defaultdict(list)
        for x in others[t]:
            if not agreement(t, x)[1]:
                kinds[difference(x, ours[x], others[t][x])].append(x)
        for kind in sorted(kinds, key=lambda k: -len(kinds[k])):
            alone = sum(sum(v[1] for v in votes[x]) < 2 for x in kinds[kind]) if len(others) > 2 else 0
            print('%-5s %6d of %6d  %s%s' % (t, len(kinds[kind]), len(others[t]), kind, '; in %d of them ours has no second' % alone if alone else ''))
            for x in rnd.sample(kinds[kind], min(a.classes, len(kinds[kind]))):
                print('      0x%x\n        ours   %s\n        theirs %s' % (x, ours[x], others[t][x]))
sys.exit(1 if own_name < a.min_name or best_name < a.min_name or best_chain < a.min_chain or two_chain < a.min_two else 0)
