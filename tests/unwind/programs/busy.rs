// SPDX-License-Identifier: BSD-2-Clause
// Threads that sort, hash and allocate, through generic code and trait objects.
use std::collections::HashMap;
use std::thread;

trait Work {
    fn run(&self, seed: u64) -> u64;
}

struct Sort;
struct Count;

impl Work for Sort {
    fn run(&self, seed: u64) -> u64 {
        let mut v: Vec<String> = (0..2000u64).map(|i| format!("{}", i * 7919 % (9973 + seed))).collect();
        v.sort_by(|a, b| b.cmp(a));
        v[0].len() as u64
    }
}

impl Work for Count {
    fn run(&self, seed: u64) -> u64 {
        let mut m = HashMap::new();
        for i in 0..5000u64 {
            *m.entry(i * seed % 97).or_insert(0u64) += i;
        }
        m.values().sum()
    }
}

fn deeper(n: u64, work: &dyn Work) -> u64 {
    if n == 0 {
        return work.run(3);
    }
    deeper(n - 1, work) + n
}

fn main() {
    let threads: Vec<_> = (0..2u64)
        .map(|t| {
            thread::spawn(move || {
                let works: Vec<Box<dyn Work>> = vec![Box::new(Sort), Box::new(Count)];
                let mut sum = 0u64;
                loop {
                    for w in &works {
                        sum = sum.wrapping_add(deeper(20 + t, w.as_ref()));
                    }
                    std::hint::black_box(sum);
                }
            })
        })
        .collect();
    for t in threads {
        let _ = t.join();
    }
}
