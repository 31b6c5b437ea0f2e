// SPDX-License-Identifier: BSD-2-Clause
// Rust for tests/elf/truth.sh: generics, closures, trait objects, the standard
// library's collections and formatting.
use std::collections::HashMap;

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

fn main() {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for word in std::env::args().flat_map(|a| a.split(' ').map(str::to_owned).collect::<Vec<_>>()) {
        *seen.entry(word).or_insert(0) += 1;
    }
    let shapes: Vec<Box<dyn Shape>> = (0..seen.len()).map(|n| Box::new(Square(n as f64)) as Box<dyn Shape>).collect();
    println!("{} {:?}", shapes.iter().map(|s| s.area()).sum::<f64>(), seen);
}
