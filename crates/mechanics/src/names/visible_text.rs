//! Safe display of text from outside the program, such as file names: control characters are
//! escaped and long texts shortened.

/// Returns the text with control characters and bidirectional formatting characters escaped, as in
/// `\u{1b}`, because a terminal or window would interpret them. Line breaks and tabs become spaces.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(' '),
            c if c.is_control() || changes_direction(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Applies [`visible`] to each line of a text and keeps the line breaks. Removes carriage returns
/// at the ends of lines.
pub fn visible_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    lines.map(visible).collect::<Vec<_>>().join("\n")
}

/// Returns a text of at most `most` characters. A longer text keeps its beginning and its end, with
/// `…` between them.
pub fn shortened(text: &str, most: usize) -> String {
    let Some((end_of_most, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let half = most / 2;
    let head = text[..end_of_most].char_indices().nth(half).map_or(end_of_most, |(i, _)| i);
    let tail = text.char_indices().rev().nth(half.saturating_sub(2)).map_or(0, |(i, _)| i);
    format!("{}…{}", &text[..head], &text[tail..])
}

/// True for bidirectional marks, embeddings, overrides and isolates (Unicode UAX #9), and for line
/// and paragraph separators.
fn changes_direction(c: char) -> bool {
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
