//! `?1` → `$1`, leaving quoted texts and names alone.

/// The statement with PostgreSQL's placeholders.
pub(super) fn to_dollars(statement: &str) -> String {
    let mut rewritten = String::with_capacity(statement.len());
    let mut quote = None;
    let mut chars = statement.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '?' && chars.peek().is_some_and(char::is_ascii_digit) => {
                rewritten.push('$');
                continue;
            }
            _ => {}
        }
        rewritten.push(c);
    }
    rewritten
}

#[cfg(test)]
mod tests {
    use super::to_dollars;

    #[test]
    fn placeholders_become_dollars_and_quoted_question_marks_stay() {
        let cases = [
            (
                "select a from t where b = ?1 and c < ?12",
                "select a from t where b = $1 and c < $12",
            ),
            ("select '?1' from t where a = ?2", "select '?1' from t where a = $2"),
            ("select \"a?1\" from t where a = ?1", "select \"a?1\" from t where a = $1"),
            ("select 'it''s ?1', ?1", "select 'it''s ?1', $1"),
            ("select a ? 'key'", "select a ? 'key'"),
            ("", ""),
        ];
        for (written, expected) in cases {
            assert_eq!(to_dollars(written), expected);
        }
    }
}
