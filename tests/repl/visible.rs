//! Text from outside is shown so that nothing in it acts or hides.

use bareagent::ui::visible::{fit, visible, visible_line};

#[test]
fn what_acts_or_hides_is_shown() {
    let cases = [
        ("plain\n\ttext é 語 👩‍💻", "plain\n\ttext é 語 👩‍💻"),
        ("\u{1b}[31mred\u{7}", "\\e[31mred\\u{7}"),
        ("over\rwritten", "overwritten"),
        ("abc\u{202e}cba", "abc\\u{202e}cba"),
        ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
        ("\u{9b}2J", "\\u{9b}2J"),
    ];
    for (text, shown) in cases {
        assert_eq!(visible(text), shown);
    }
    assert_eq!(visible_line("a\nb\tc"), "a b c");
}

#[test]
fn a_line_is_cut_by_columns() {
    assert_eq!(fit("short", 10), "short");
    assert_eq!(fit("0123456789", 5), "0123…");
    assert_eq!(fit("語語語語", 5), "語語…");
}
