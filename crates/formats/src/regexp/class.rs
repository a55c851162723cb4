//! Classes of characters, as PCRE2 reads them in UTF mode without Unicode properties.

/// Characters as ranges, in no order.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranges(Vec<(char, char)>);

/// The meaning of an escape.
pub(super) enum Escape {
    One(char),
    Many(Ranges),
}

/// A class in brackets.
pub(super) struct Class {
    ranges: Ranges,
    is_negated: bool,
    /// Letters that stand in it themselves, in ranges as well: case matters to these.
    has_letters: bool,
    /// Letters by a name: case does not matter to these.
    has_named_letters: bool,
    is_ascii: bool,
}

/// The character as the other engine reads it.
pub(super) fn written(text: char) -> String {
    if text.is_ascii_alphanumeric() {
        text.to_string()
    } else {
        format!("\\x{{{:X}}}", u32::from(text))
    }
}

impl Ranges {
    fn negated(&self) -> Self {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let (mut out, mut from) = (Vec::new(), 0);
        for (first, last) in sorted {
            push(&mut out, (from, u32::from(first)));
            from = from.max(u32::from(last) + 1);
        }
        push(&mut out, (from, u32::from(char::MAX) + 1));
        Self(out)
    }

    /// As the other engine reads it, whatever the case.
    pub(super) fn write(&self, is_negated: bool) -> String {
        let mut out = String::from(if is_negated { "(?-i:[^" } else { "(?-i:[" });
        self.write_inside(&mut out);
        out.push_str("])");
        out
    }

    fn write_inside(&self, out: &mut String) {
        for (first, last) in &self.0 {
            out.push_str(&written(*first));
            out.push('-');
            out.push_str(&written(*last));
        }
    }
}

/// Adds the characters from `from` to before `end`; there are none where surrogates are.
fn push(out: &mut Vec<(char, char)>, (from, end): (u32, u32)) {
    let mut add = |from: u32, end: u32| {
        if from < end
            && let (Some(first), Some(last)) = (char::from_u32(from), char::from_u32(end - 1))
        {
            out.push((first, last));
        }
    };
    add(from, end.min(0xD800));
    add(from.max(0xE000), end);
}

/// The meaning of `\letter`, in brackets or not; takes the rest of the escape from `rest`.
pub(super) fn escape(letter: char, rest: &mut &str) -> Option<Escape> {
    let one = |it: char| Some(Escape::One(it));
    match letter {
        'n' => one('\n'),
        'r' => one('\r'),
        't' => one('\t'),
        'f' => one('\x0c'),
        'e' => one('\x1b'),
        'a' => one('\x07'),
        'x' => {
            let digits = rest.get(..2)?;
            let code = digits.bytes().all(|it| it.is_ascii_hexdigit()).then_some(digits)?;
            *rest = rest.get(2..)?;
            one(char::from(u8::from_str_radix(code, 16).ok()?))
        }
        'd' | 'w' | 's' => Some(Escape::Many(named(letter)?)),
        'D' | 'W' | 'S' => Some(Escape::Many(named(letter.to_ascii_lowercase())?.negated())),
        _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => one(letter),
        _ => None,
    }
}

fn named(letter: char) -> Option<Ranges> {
    Some(Ranges(match letter {
        'd' => vec![('0', '9')],
        'w' => vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        's' => vec![('\t', '\r'), (' ', ' ')],
        _ => return None,
    }))
}

fn posix(name: &str) -> Option<Ranges> {
    Some(Ranges(match name {
        "alpha" => vec![('A', 'Z'), ('a', 'z')],
        "lower" => vec![('a', 'z')],
        "upper" => vec![('A', 'Z')],
        "digit" => vec![('0', '9')],
        "alnum" => vec![('0', '9'), ('A', 'Z'), ('a', 'z')],
        "xdigit" => vec![('0', '9'), ('A', 'F'), ('a', 'f')],
        "word" => named('w')?.0,
        "space" => named('s')?.0,
        "blank" => vec![('\t', '\t'), (' ', ' ')],
        _ => return None,
    }))
}

impl Class {
    /// Reads what follows the opening bracket.
    pub(super) fn parse(rest: &mut &str) -> Option<Self> {
        let mut class = Self {
            ranges: Ranges::default(),
            is_negated: false,
            has_letters: false,
            has_named_letters: false,
            is_ascii: true,
        };
        if let Some(after) = rest.strip_prefix('^') {
            (class.is_negated, *rest) = (true, after);
        }
        let mut is_first = true;
        loop {
            let found = next(rest)?;
            if found == ']' && !is_first {
                return Some(class);
            }
            is_first = false;
            class.part(found, rest)?;
        }
    }

    fn part(&mut self, found: char, rest: &mut &str) -> Option<()> {
        let first = match found {
            '[' if rest.starts_with(['.', '=']) => return None,
            '[' if rest.starts_with(':') => {
                let (name, after) = rest.get(1..)?.split_once(":]")?;
                let ranges = posix(name)?;
                *rest = after;
                return self.add_many(ranges, rest);
            }
            '\\' => match in_brackets(rest)? {
                Escape::Many(ranges) => return self.add_many(ranges, rest),
                Escape::One(it) => it,
            },
            other => other,
        };
        if !rest.starts_with('-') || rest.starts_with("-]") {
            return self.add(first, first);
        }
        *rest = rest.get(1..)?;
        let last = match next(rest)? {
            '[' => return None,
            '\\' => match in_brackets(rest)? {
                Escape::Many(_) => return None,
                Escape::One(it) => it,
            },
            other => other,
        };
        (first <= last).then_some(())?;
        self.add(first, last)
    }

    fn add(&mut self, first: char, last: char) -> Option<()> {
        // Nothing but letters has another case in ASCII.
        let has_case = (first..=last).take(128).any(|it| it.is_ascii_alphabetic());
        self.has_letters |= has_case;
        self.is_ascii &= last.is_ascii();
        if first == '\0' {
            return None;
        }
        // Surrogates are in no text.
        push(&mut self.ranges.0, (u32::from(first), u32::from(last) + 1));
        Some(())
    }

    fn add_many(&mut self, ranges: Ranges, rest: &str) -> Option<()> {
        // A hyphen after it is one, but who reads so?
        if rest.starts_with('-') && !rest.starts_with("-]") {
            return None;
        }
        self.has_named_letters |=
            ranges.0.iter().any(|(first, last)| *last >= 'A' && *first <= 'z');
        self.ranges.0.extend(ranges.0);
        Some(())
    }

    /// As the other engine reads it; `None`: it is not known how case matters.
    pub(super) fn written(&self, caseless: bool) -> Option<String> {
        if self.is_negated && self.ranges.negated().0.is_empty() {
            return None;
        }
        if !caseless || !self.has_letters && self.is_ascii {
            return Some(self.ranges.write(self.is_negated));
        }
        if self.has_named_letters || !self.is_ascii {
            return None;
        }
        let mut out = String::from(if self.is_negated { "[^" } else { "[" });
        self.ranges.write_inside(&mut out);
        out.push(']');
        Some(out)
    }
}

fn in_brackets(rest: &mut &str) -> Option<Escape> {
    match next(rest)? {
        'b' => Some(Escape::One('\x08')),
        letter => escape(letter, rest),
    }
}

fn next(rest: &mut &str) -> Option<char> {
    let found = rest.chars().next()?;
    *rest = rest.get(found.len_utf8()..)?;
    Some(found)
}
