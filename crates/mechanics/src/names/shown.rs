//! Text of others as it may be shown: no control characters, no end of it out of sight.

/// With control characters and those that turn the direction of writing as `\u{1b}`: a terminal
/// or a window would obey them instead of showing them.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(' '),
            c if c.is_control() || turns(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Text as [`visible`], with the lines and tabs of a longer text left as they are.
pub fn visible_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    lines.map(visible).collect::<Vec<_>>().join("\n")
}

/// Text of at most `most` characters: of a longer one the beginning and the end.
pub fn shortened(text: &str, most: usize) -> String {
    let Some((end_of_most, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let half = most / 2;
    let head = text[..end_of_most].char_indices().nth(half).map_or(end_of_most, |(i, _)| i);
    let tail = text.char_indices().rev().nth(half.saturating_sub(2)).map_or(0, |(i, _)| i);
    format!("{}…{}", &text[..head], &text[tail..])
}

/// The marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm (UAX #9),
/// and the separators of lines and paragraphs.
fn turns(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_shown_instead() {
        assert_eq!(visible("a\u{1b}]0;title\u{7}b"), "a\\u{1b}]0;title\\u{7}b");
        assert_eq!(visible("rope\u{202e}nor.exe"), "rope\\u{202e}nor.exe");
        assert_eq!(visible("Seilbrücke 繩"), "Seilbrücke 繩");
        assert_eq!(visible_lines("one\r\ntwo\u{9b}"), "one\ntwo\\u{9b}");
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("0123456789", 6), "012…89");
        let long = "ä".repeat(1_000_000);
        assert_eq!(shortened(&long, 100).chars().count(), 100);
    }
}
