//! Parts of a RON text whose brackets have no meaning: strings, character literals and comments.

/// Returns the offset after the string, character literal or comment that begins at byte `i`;
/// `None` if none of them begins there.
pub(crate) fn end_of_skipped(text: &str, i: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    match (bytes.get(i)?, bytes.get(i + 1)) {
        (b'"', _) if is_raw(&bytes[..i]) => Some(after_raw_text(text, i)),
        (b'"', _) => Some(after_text(bytes, i)),
        (b'\'', _) => Some(after_character(bytes, i)),
        (b'/', Some(b'/')) => Some(after(text, i, "\n")),
        (b'/', Some(b'*')) => Some(after_comment(bytes, i)),
        _ => None,
    }
}

/// Returns the offset after the first `end` at or after `start`. If there is none, returns the
/// length of the text.
fn after(text: &str, start: usize, end: &str) -> usize {
    text[start..].find(end).map_or(text.len(), |found| start + found + end.len())
}

/// True if a quotation mark after `before` opens a raw string, as in `r"` or `r##"`.
fn is_raw(before: &[u8]) -> bool {
    let hashes = before.iter().rev().take_while(|&&b| b == b'#').count();
    before.len() > hashes && before[before.len() - 1 - hashes] == b'r'
}

fn after_raw_text(text: &str, quote: usize) -> usize {
    let hashes = text[..quote].bytes().rev().take_while(|&b| b == b'#').count();
    let end = format!("\"{}", "#".repeat(hashes));
    after(text, quote + 1, &end)
}

fn after_text(bytes: &[u8], quote: usize) -> usize {
    let mut i = quote + 1;
    while let Some(byte) = bytes.get(i) {
        match byte {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// Returns the offset after a character literal such as `'('` or `'\''`. A single `'` is skipped,
/// because the RON reader reports it as an error.
fn after_character(bytes: &[u8], quote: usize) -> usize {
    let length = if bytes.get(quote + 1) == Some(&b'\\') { 4 } else { 3 };
    if bytes.get(quote + length - 1) == Some(&b'\'') { quote + length } else { quote + 1 }
}

/// Returns the offset after a block comment. Block comments can be nested.
fn after_comment(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut i) = (0usize, start);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => {
                depth += 1;
                i += 2;
            }
            b"*/" => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    bytes.len()
}
