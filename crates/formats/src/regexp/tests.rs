use super::linear::Linear;
use super::*;

#[test]
fn groups_fill_the_template() {
    let regexp = Regexp::new("([a-z]+)=([0-9]+)").unwrap();
    assert_eq!(regexp.extract("x=12", r"\2-\1-\3").unwrap().unwrap(), "12-x-");
    assert_eq!(regexp.extract("(x=12)", "").unwrap().unwrap(), "(x=12)");
    assert_eq!(regexp.extract("none", "").unwrap(), None);
}

#[test]
fn an_explosive_pattern_ends_in_an_error() {
    let text = format!("{}!", "a".repeat(200));
    let regexp = Regexp::new(r"^(a+)+\1$").unwrap();
    assert!(matches!(regexp.is_match(&text), Err(RegexpError::Match(_))));
    // This one is linear.
    assert_eq!(Regexp::new("^(a+)+$").unwrap().is_match(&text), Ok(false));
}

#[test]
fn anchors_match_at_lines() {
    assert!(Regexp::new("^b$").unwrap().is_match("a\nb\nc").unwrap());
    let whole = Regexp::new_whole("^b$").unwrap();
    assert!(!whole.is_match("a\nb\nc").unwrap() && whole.is_match("b\n").unwrap());
}

#[test]
fn a_bad_pattern_says_where() {
    let Err(RegexpError::Compile(text)) = Regexp::new("([0-9+)") else { panic!("compiled") };
    assert!(text.contains("position"), "{text}");
}

/// PCRE2 alone, with no limit that matters.
fn by_pcre(pattern: &str, flags: Flags, text: &str) -> Option<Spans> {
    let mut builder = pcre2::bytes::RegexBuilder::new();
    builder.utf(true).multi_line(!flags.whole).caseless(flags.caseless).jit_if_available(true);
    let regex = builder.build(pattern).unwrap();
    let mut found = regex.capture_locations();
    regex.captures_read_at(&mut found, text.as_bytes(), 0).unwrap()?;
    Some((0..found.len()).map(|it| found.get(it)).collect())
}

const PARTS: &[&str] = &[
    "a",
    "b",
    "k",
    "s",
    "S",
    "K",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\W",
    "\\S",
    "\\D",
    "[ab]",
    "[^a]",
    "[^k\\n]",
    "[a-z]",
    "[\\w-]",
    "[^\\s,]",
    "[\\s\\S]",
    "^",
    "$",
    "\\b",
    "é",
    "[à-ü]",
    "\\.",
    "\\n",
    "(a)",
    "(b|ab)",
    "(?:a|)",
    "(a*)",
    "(k+)s",
    "(^|,)a",
    "(a|$)",
    "1",
    "[[:alpha:]]",
    "[^[:digit:]]",
    " ",
    "\\x41",
    "(?:a|b|ab)",
    "{",
    "]",
    "-",
    "([^,]*),",
    "(.*)",
    "(a|(b))",
    "\\A",
    "\\z",
];
const LOOPS: &[&str] =
    &["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}?", "{0,2}"];
const CHARS: &[&str] = &[
    "a", "b", "k", "s", "K", "S", "\n", " ", ",", "1", "é", "É", "ſ", "\u{212a}", "\u{85}", "ß",
    ".", "\r", "A", "-", "{",
];

/// A sequence of numbers that looks random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn text(&mut self, of: &[&str], len_max: usize) -> String {
        (0..self.below(len_max + 1)).map(|_| of[self.below(of.len())]).collect()
    }
}

#[test]
fn linear_patterns_match_as_in_pcre() {
    let (mut numbers, mut n_linear) = (Numbers(0x5eed_1234_5678_9abc), 0);
    for _ in 0..3_000 {
        let n_parts = 1 + numbers.below(5);
        let mut pattern = String::new();
        for _ in 0..n_parts {
            pattern.push_str(PARTS[numbers.below(PARTS.len())]);
            pattern.push_str(LOOPS[numbers.below(LOOPS.len())]);
            pattern.push_str(["", "", "", "", "|"][numbers.below(5)]);
        }
        pattern.push_str(["", "$"][numbers.below(2)]);
        pattern.insert_str(0, ["", "^"][numbers.below(2)]);
        let flags = Flags { caseless: numbers.below(2) == 0, whole: numbers.below(2) == 0 };
        let Some(linear) = Linear::new(&pattern, flags) else { continue };
        n_linear += 1;
        for _ in 0..20 {
            let text = numbers.text(CHARS, 9);
            let expected = by_pcre(&pattern, flags, &text);
            assert_eq!(linear.spans_at(&text, 0), expected, "{pattern:?} {flags:?} {text:?}");
            assert_eq!(
                linear.is_match(&text),
                expected.is_some(),
                "{pattern:?} {flags:?} {text:?}"
            );
        }
    }
    assert!(1_000 < n_linear, "{n_linear}");
}

#[test]
fn texts_of_a_host_are_matched_in_one_pass() {
    let line = format!("ERROR {}\n", "code=1 user=a ".repeat(215));
    let text = line.repeat(20);
    let regexp = Regexp::new(r"ERROR.*code=(\d+).*user=(\w+).*done").unwrap();
    assert!(regexp.is_linear());
    assert_eq!(regexp.is_match(&text), Ok(false));
    // The search was not begun by PCRE2, whose limit restarts at each position.
    assert!(!regexp.search.begins_with_pcre(&text));
}

#[test]
fn the_budget_is_for_all_places_together() {
    // Each place takes less than PCRE2's limit, all together more than the budget.
    let regexp = Regexp::new(r"(?=a*?a*?c)[xy]").unwrap();
    let text = "a".repeat(20_000);
    assert!(!regexp.is_linear());
    assert!(matches!(regexp.is_match(&text), Err(RegexpError::Match(_))));
    // A pattern that needs more at each place than the first search grants.
    let regexp = Regexp::new(r"(?=(a*?)c)(?!x)").unwrap();
    let text = format!("{}c", "a".repeat(600));
    assert_eq!(regexp.groups(&text).unwrap().unwrap().span(), (0, 0));
    assert_eq!(regexp.groups(&text).unwrap().unwrap().get(1).len(), 600);
    let text = format!("{}bac", "a".repeat(600));
    assert_eq!(regexp.groups(&text).unwrap().unwrap().span(), (601, 601));
}

#[test]
fn places_one_by_one_find_what_one_search_finds() {
    let mut numbers = Numbers(77);
    for pattern in
        [r"(?<=a)b+", r"(a+)\1", r"(?!ab)a.", r"a++b", r"\Bk", r"(?>a|ab)c?$", r"(?i)(é)\1"]
    {
        for flags in [Flags::default(), Flags { caseless: true, whole: true }] {
            let search = Search::new(pattern, flags).unwrap();
            assert!(!search.is_linear());
            for _ in 0..300 {
                let text = numbers.text(CHARS, 12);
                let expected = by_pcre(pattern, flags, &text);
                assert_eq!(
                    search.by_places(pattern, &text, 0),
                    Ok(expected.clone()),
                    "{pattern} {text:?}"
                );
                assert_eq!(search.spans_at(pattern, &text, 0), Ok(expected), "{pattern} {text:?}");
            }
        }
    }
}

#[test]
fn searches_of_a_turn_share_a_budget() {
    let cheap = Regexp::new(r"(?=a)ab").unwrap();
    let dear = Regexp::new(r"(?=a*?a*?c)[xy]").unwrap();
    let text = "a".repeat(200);
    let n_alone = (0..100).filter(|_| dear.is_match(&text).is_ok()).count();
    let searched = || {
        let turn = MatchTurn::begin();
        let n_ok = (0..100).take_while(|_| dear.is_match(&text).is_ok()).count();
        // A used-up budget stays so, also in a nested turn, and for cheap patterns.
        drop(MatchTurn::begin());
        assert_eq!(turn::left(), Some(0));
        assert!(matches!(cheap.is_match("ab"), Err(RegexpError::Match(_))));
        assert_eq!(Regexp::new("a+b").unwrap().is_match("ab"), Ok(true), "in one pass");
        drop(turn);
        n_ok
    };
    assert_eq!(n_alone, 100, "each by itself is within its budget");
    let n_ok = searched();
    assert!((1..100).contains(&n_ok), "{n_ok}");
    assert_eq!(searched(), n_ok, "the same each time");
    assert_eq!(turn::left(), None);
    assert_eq!(cheap.is_match("ab"), Ok(true));
}

#[test]
fn many_texts_of_usual_length_fit_into_a_turn() {
    let regexp = Regexp::new(r"^(?!.*(debug|trace)).*failed").unwrap();
    assert!(!regexp.is_linear());
    let line = format!("2026-11-28 12:00:00 app[12]: {} failed", "request of a user ".repeat(10));
    let turn = MatchTurn::begin();
    let n_found = (0..10_000).filter(|_| regexp.is_match(&line) == Ok(true)).count();
    assert_eq!(n_found, 10_000, "{:?}", turn::left());
    drop(turn);
}
