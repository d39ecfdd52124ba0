//! Telling text from binary data by its first bytes, and naming what binary data it is.

/// As many bytes of the start as are looked at.
pub const SAMPLE: usize = 8192;

/// Well-known first bytes.
const MAGIC: [(&[u8], &str); 20] = [
    (b"\x7fELF", "an ELF executable"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-zip archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0asm", "a WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O file"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O executable"),
    (b"!<arch>\n", "an ar archive"),
    (b"wOF2", "a web font"),
    (b"OggS", "Ogg media"),
];

/// What kind of binary data starts with `bytes`; `None` for text. Text may have some bytes that are not
/// UTF-8 and some NULs (as a separator), but not both.
pub fn binary_kind(bytes: &[u8]) -> Option<&'static str> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let (nuls, odd) = odd_bytes(sample);
    let is_binary = (nuls > 0 && odd > 0) || nuls * 3 > sample.len() || odd * 10 > sample.len() * 3;
    let known = MAGIC.iter().find(|(magic, _)| sample.starts_with(magic)).map(|(_, kind)| *kind);
    match known {
        // Some of these begin like a text could; then something else must be odd as well.
        Some(kind) if nuls + odd > 0 || sample.starts_with(b"%PDF-") => Some(kind),
        _ => is_binary.then_some("binary data"),
    }
}

/// Counts NULs, and bytes that are neither UTF-8 nor usual in text.
fn odd_bytes(sample: &[u8]) -> (usize, usize) {
    let (mut nuls, mut odd) = (0, 0);
    for chunk in sample.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\0' => nuls += 1,
                '\t' | '\n' | '\r' | '\x08' | '\x0b' | '\x0c' | '\x1b' | '\x07' => {}
                other if other.is_ascii_control() => odd += 1,
                _ => {}
            }
        }
        odd += chunk.invalid().len();
    }
    // A character cut by the sample's end is no sign of anything.
    let cut = sample.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    (nuls, if sample.len() == SAMPLE { odd - cut.min(odd) } else { odd })
}
