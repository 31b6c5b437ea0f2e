#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare symbolizers on random addresses of one ELF file.

  compare.py PROBE FILE [-n ADDRESSES] [--seed N] [-s DIR] [--debug FILE] [--show N]

Truth is what the other tools say (eu-addr2line, llvm-symbolizer, binutils'
addr2line, those that are installed).  Prints shares: for how many addresses the
function's name, and the whole inline chain with lines, equal those of each tool
and of at least two of them.  Exit 1 when no tool agrees as often as --min-name and
--min-chain ask for, or a name is not that of a symbol at the address.
"""
import argparse, os, random, re, shutil, subprocess, sys, time

ap = argparse.ArgumentParser()
ap.add_argument('probe'); ap.add_argument('file')
ap.add_argument('-n', type=int, default=2000)
ap.add_argument('--seed', type=int, default=1)
ap.add_argument('-s', action='append', default=[])
ap.add_argument('--debug', help='the file other tools are given')
ap.add_argument('--show', type=int, default=0, help='differences to print')
ap.add_argument('--min-name', type=float, default=0); ap.add_argument('--min-chain', type=float, default=0)
ap.add_argument('--eu-max', type=int, default=300, help='addresses for eu-addr2line, which can take a tenth of a second for each')
ap.add_argument('--names-only', action='store_true', help='show differences of names only')
ap.add_argument('--tools', default='eu,llvm,bfd')
a = ap.parse_args()
a.file = os.path.realpath(a.file)
debug = os.path.realpath(a.debug or a.file)

def functions(path):
    """Sized functions (address, size, names) by nm: where random addresses are taken from."""
    by = {}
    for line in subprocess.run(['nm', '-S', '--defined-only', path], capture_output=True, text=True, errors='replace').stdout.splitlines():
        f = line.split(None, 3)
        if len(f) == 4 and f[2] in 'tTwWi' and int(f[1], 16):
            by.setdefault((int(f[0], 16), int(f[1], 16)), set()).add(f[3].split('@')[0])
    return by

funcs = functions(debug)
rnd = random.Random(a.seed)
keys = sorted(funcs)
weights = [k[1] for k in keys]
picked = rnd.choices(keys, weights, k=a.n)
addresses = sorted({lo + rnd.randrange(size) for lo, size in picked})
names_at = {}
for (lo, size), names in funcs.items():
    names_at.setdefault(lo, set()).update(names)

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

def run(label, command, addresses=addresses):
    t = time.time()
    text = ''.join('0x%x\n' % x for x in addresses)
    p = subprocess.run(command, input=text, capture_output=True, text=True, errors='replace')
    out = {k: clean(v) for k, v in parse(p.stdout).items()}
    print('%-6s %6d answers, %.2f s' % (label, len(out), time.time() - t))
    return out

dirs = [x for d in a.s for x in ('-s', d)]
ours = run('ours', [a.probe, '-i', '-l'] + dirs + [a.file])
others = {}
tools = a.tools.split(',')
if 'eu' in tools and shutil.which('eu-addr2line'):
    others['eu'] = run('eu', ['eu-addr2line', '-afi', '-e', debug], rnd.sample(addresses, min(len(addresses), a.eu_max)))
if 'llvm' in tools and shutil.which('llvm-symbolizer'):
    others['llvm'] = run('llvm', ['llvm-symbolizer', '--output-style=GNU', '-afi', '--no-demangle', '-e', debug])
if 'bfd' in tools and shutil.which('addr2line'):
    others['bfd'] = run('bfd', ['addr2line', '-afi', '-e', debug])
if not others:
    print('no other tool is installed'); sys.exit(77)

def same_function(address, mine, theirs):
    """Equal, or two names of one function: aliases are everyone's own choice."""
    if mine == theirs:
        return True
    for (lo, size), names in at(address):
        if mine in names:
            aliases = names_at[lo]
            return theirs in aliases or theirs == re.sub(r'\.(cold|part|isra|constprop|lto_priv|llvm|localalias|warm).*', '', mine)
    return False

import bisect
starts = [k[0] for k in keys]
def at(address):
    i = bisect.bisect_right(starts, address)
    for k in keys[max(0, i - 8):i]:
        if k[0] <= address < k[0] + k[1]:
            yield k, funcs[k]

def chain(frames):
    """Without the outermost name, which may be an alias: inlined names, places of all frames."""
    return [f[0] for f in frames[:-1]], [f[1:] for f in frames]

asked = {t: 0 for t in others}; named = dict(asked); chained = dict(asked)
own_name = two = named_two = chain_two = shown = 0
for x in addresses:
    mine = ours.get(x) or [('??', '??', 0)]
    true_names = set().union(*(names for _, names in at(x)))
    own_name += mine[-1][0] in true_names
    votes_n = votes_c = votes = 0
    for t, out in others.items():
        if t == 'eu' and x not in out:
            continue
        theirs = out.get(x) or [('??', '??', 0)]
        ok_n = same_function(x, mine[-1][0], theirs[-1][0])
        ok_c = ok_n and chain(mine) == chain(theirs)
        asked[t] += 1; named[t] += ok_n; chained[t] += ok_c
        votes += 1; votes_n += ok_n; votes_c += ok_c
    if votes == len(others): # everybody was asked
        two += 1; named_two += votes_n >= min(2, votes); chain_two += votes_c >= min(2, votes)
    worst = votes_n if a.names_only else min(votes_n, votes_c)
    if worst < (2 if votes > 2 else 1) and shown < a.show:
        shown += 1
        print('0x%x symbols %s' % (x, sorted(true_names)))
        print('   ours', mine)
        for t in others:
            print('   %-4s' % t, others[t].get(x))
share = lambda part, whole: 100 * part / whole if whole else 100.0
print('%d addresses of %s' % (len(addresses), a.file))
print('name is a symbol that covers the address: %.3f %%' % share(own_name, len(addresses)))
for t in others:
    print('like %-5s of %6d: name %.3f %%  chain and lines %.3f %%' % (t, asked[t], share(named[t], asked[t]), share(chained[t], asked[t])))
asked_all = [t for t in others if asked[t] * 2 > len(addresses)] or list(others)
best_name = max(share(named[t], asked[t]) for t in asked_all); best_chain = max(share(chained[t], asked[t]) for t in asked_all)
if len(others) > 1:
    print('like two   of %6d: name %.3f %%  chain and lines %.3f %%' % (two, share(named_two, two), share(chain_two, two)))
sys.exit(1 if share(own_name, len(addresses)) < a.min_name or best_name < a.min_name or best_chain < a.min_chain else 0)
