//! Checksums of files. They find damage, but do not protect against a change that also updates the checksum.
//!
//! A JSON file is sealed by its last entry, `"checksum"`: the checksum of all bytes before its digits.

use xxhash_rust::xxh3::xxh3_64;

/// The number of hexadecimal digits of a checksum.
pub const DIGITS: usize = 16;

const ENTRY: &str = "\"checksum\": \"";
const END: &str = "\"\n}\n";

/// The checksum of some bytes.
pub fn checksum(content: &[u8]) -> String {
    format!("{:016x}", xxh3_64(content))
}

/// The result of checking a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The content is what was sealed.
    Intact,
    /// The content does not end with a checksum.
    Missing,
    /// The content has changed.
    Broken,
}

/// Adds a checksum to the text of a JSON object with at least one entry.
///
/// # Panics
/// If the text does not end with a closing brace.
pub fn seal_json(text: &str) -> String {
    let entries = text.trim_end().strip_suffix('}').expect("the text is a JSON object").trim_end();
    let sealed = format!("{entries},\n {ENTRY}");
    let digits = checksum(sealed.as_bytes());
    format!("{sealed}{digits}{END}")
}

/// Checks the seal of a JSON file.
pub fn check_json(content: &[u8]) -> Seal {
    let parts = content.strip_suffix(END.as_bytes()).and_then(|rest| rest.split_last_chunk::<DIGITS>());
    match parts {
        Some((sealed, digits)) if sealed.ends_with(ENTRY.as_bytes()) => {
            if checksum(sealed).as_bytes() == digits {
                Seal::Intact
            } else {
                Seal::Broken
            }
        }
        _ => Seal::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n \"version\": 2,\n \"nodes\": []\n}\n";

    #[test]
    fn a_sealed_object_keeps_its_entries() {
        let sealed: serde_json::Value = serde_json::from_str(&seal_json(TEXT)).expect("it is JSON");
        let before: serde_json::Value = serde_json::from_str(TEXT).expect("it is JSON");
        let mut entries = sealed.as_object().expect("it is an object").clone();
        assert!(entries.remove("checksum").is_some());
        assert_eq!(serde_json::Value::Object(entries), before);
    }

    #[test]
    fn no_changed_byte_leaves_a_seal_intact() {
        let sealed = seal_json(TEXT).into_bytes();
        assert_eq!(check_json(&sealed), Seal::Intact);
        assert_eq!(check_json(TEXT.as_bytes()), Seal::Missing);
        for place in 0..sealed.len() {
            for flipped in 1..=u8::MAX {
                let mut changed = sealed.clone();
                changed[place] ^= flipped;
                assert_ne!(check_json(&changed), Seal::Intact, "byte {place}");
            }
        }
    }
}
