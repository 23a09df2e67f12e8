//! Text tables with aligned columns, for terminals and Markdown.

/// Table of text: column titles, and rows with one cell per column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table from its column titles and its rows, one cell per column.
    pub fn new<const N: usize>(
        head: [&'static str; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> Self {
        Self { head: head.into(), rows: rows.into_iter().map(Vec::from).collect() }
    }

    /// Returns the table without the column titled `column`. If there is no such column, the table
    /// is returned unchanged.
    pub fn without(mut self, column: &str) -> Self {
        if let Some(i) = self.head.iter().position(|name| *name == column) {
            self.head.remove(i);
            for row in &mut self.rows {
                row.remove(i);
            }
        }
        self
    }

    /// Returns the table as plain text: titles in lower case, columns two spaces apart, one line
    /// per row.
    pub fn to_text(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        let head = self.head.iter().map(|cell| cell.to_lowercase()).collect();
        for row in std::iter::once(&head).chain(&self.rows) {
            let line: Vec<String> =
                row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            text.push_str(line.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// Returns the table in Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let escape = |cell: &String| cell.replace('|', "\\|");
        let mut text = line(self.head.iter().map(|cell| (*cell).to_owned()).collect());
        text.push('|');
        text.push_str(&"---|".repeat(self.head.len()));
        text.push('\n');
        for row in &self.rows {
            text.push_str(&line(row.iter().map(escape).collect()));
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].as_str());
            std::iter::once(self.head[column]).chain(cells).map(|c| c.chars().count()).max()
        };
        (0..self.head.len()).map(|column| width(column).unwrap_or(0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> Table {
        Table::new(
            ["Name", "Cost"],
            [["rk4", "1 µs"], ["euler|x", "900 ns"]].map(|row| row.map(str::to_owned)),
        )
    }

    #[test]
    fn columns_are_aligned_by_characters_not_bytes() {
        assert_eq!(two_rows().to_text(), "name     cost\nrk4      1 µs\neuler|x  900 ns\n");
    }

    #[test]
    fn markdown_escapes_its_own_separator() {
        let expected = "| Name | Cost |\n|---|---|\n| rk4 | 1 µs |\n| euler\\|x | 900 ns |\n";
        assert_eq!(two_rows().to_markdown(), expected);
    }
}
