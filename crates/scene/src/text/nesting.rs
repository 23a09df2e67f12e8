//! Limit on the depth of nested brackets. It is checked before the text is parsed, because the time
//! that the RON reader takes grows with the square of the depth.

use super::skipped::end_of_skipped;
use ron::error::Position;

/// Greatest depth. A typical scene has about ten levels.
const DEEPEST: usize = 100;

pub(crate) const TOO_DEEP: &str =
    "brackets are nested too deeply here, expected fewer than 100 levels";

/// Returns an error at the first bracket that is nested too deeply. Brackets in strings, character
/// literals and comments do not count.
pub(crate) fn check(text: &str) -> Result<(), (Position, String)> {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0usize, 0);
    while let Some(byte) = bytes.get(i) {
        if let Some(end) = end_of_skipped(text, i) {
            i = end;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' if depth == DEEPEST => {
                return Err((position(text, i), TOO_DEEP.to_owned()));
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        i += 1;
    }
    Ok(())
}

fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = 1 + before.bytes().filter(|&b| b == b'\n').count();
    Position { line, col: 1 + before[line_start..].chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brackets_that_are_brackets_count() {
        let many = "(".repeat(200);
        for text in [
            format!("(name: \"{many}\")"),
            format!("(name: \"\\\"{many}\")"),
            format!("(name: r#\"\"{many}\"#)"),
            format!("// {many}\n()"),
            format!("/* /* {many} */ {many} */ ()"),
            "('(', '\\'', \"'\")".repeat(200),
        ] {
            assert_eq!(check(&text), Ok(()), "{text}");
        }
        let (place, _) = check(&format!("(\n  \"ä\" /* ( */ {many}")).unwrap_err();
        assert_eq!((place.line, place.col), (2, 15 + 99));
    }
}
