//! Hashes the core's sources, so that records made by two different cores never mix unnoticed.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the core's sources are there") {
        let path = entry.expect("the core's sources can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn main() {
    let core = Path::new("../core/src");
    let mut files = Vec::new();
    sources(core, &mut files);
    files.sort();
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for file in files {
        hash.update(&fs::read(file).expect("the core's sources can be read"));
    }
    println!("cargo::rustc-env=PERMOVE_CORE_HASH={:016x}", hash.digest());
    println!("cargo::rerun-if-changed={}", core.display());
}
