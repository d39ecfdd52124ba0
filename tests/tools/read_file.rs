//! `read_file`: pages, encodings, directories, and what is no text.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::tool_fixture::{Tools, make_fifo};

#[tokio::test]
async fn shows_numbered_lines_of_the_range_asked_for() {
    let tools = Tools::with_files(&[("f.txt", "one\ntwo\nthree\nfour\n"), ("unended", "a\n\nb"), ("empty", "")]);
    for (input, expected) in [
        (json!({"path": "f.txt"}), "1\tone\n2\ttwo\n3\tthree\n4\tfour"),
        (json!({"path": "./f.txt", "offset": 0}), "1\tone\n2\ttwo\n3\tthree\n4\tfour"),
        (json!({"path": "f.txt", "limit": 2}), "1\tone\n2\ttwo\n[lines 1-2 of 4; go on with offset=3]"),
        (json!({"path": "f.txt", "offset": "2", "limit": "1"}), "2\ttwo\n[lines 2-2 of 4; go on with offset=3]"),
        (json!({"path": "f.txt", "offset": 3}), "3\tthree\n4\tfour\n[lines 3-4 of 4]"),
        (json!({"file_path": "unended"}), "1\ta\n2\t\n3\tb"),
        (json!({"path": "empty"}), "[empty is empty]"),
    ] {
        assert_eq!(tools.ok("read_file", input.clone()).await, expected, "{input}");
    }
    let absolute = tools.path("unended").display().to_string();
    assert_eq!(tools.ok("read_file", json!({ "path": absolute })).await, "1\ta\n2\t\n3\tb");
    let beyond = tools.error("read_file", json!({"path": "f.txt", "offset": 9})).await;
    assert_eq!(beyond, "f.txt has 4 lines; offset 9 is beyond its end.");
}

#[tokio::test]
async fn long_files_and_long_lines_are_cut_and_say_so() {
    let tools = Tools::new();
    tools.put("lines", (1..=5000).map(|number| format!("{number}\n")).collect::<String>());
    let text = tools.ok("read_file", json!({"path": "lines"})).await;
    assert!(text.ends_with("2000\t2000\n[lines 1-2000 of 5000; go on with offset=2001]"), "{text:.80}");

    tools.put("wide", format!("{}\n", "x".repeat(100)).repeat(1500));
    let text = tools.ok("read_file", json!({"path": "wide"})).await;
    assert!(text.len() < 50_100 && text.contains(" of 1500; go on with offset="), "{}", text.len());

    tools.put("line", "é".repeat(3000) + "\nnext\n");
    let text = tools.ok("read_file", json!({"path": "line"})).await;
    let expected = format!("1\t{}… [line cut, 2.0 kB more]\n2\tnext", "é".repeat(2000));
    assert!(text == expected, "{} {}", text.len(), &text[text.len() - 60..]);
}

#[tokio::test]
async fn a_huge_file_costs_what_is_shown() {
    let tools = Tools::with_files(&[("huge", &"text\n".repeat(20_000))]);
    let file = std::fs::OpenOptions::new().write(true).open(tools.path("huge")).unwrap();
    file.set_len(5_000_000_000).unwrap();
    let text = tools.ok("read_file", json!({"path": "huge", "limit": 1})).await;
    assert_eq!(text, "1\ttext\n[lines 1-1 of more; go on with offset=2]");
    tools.put("zeros", "");
    let file = std::fs::OpenOptions::new().write(true).open(tools.path("zeros")).unwrap();
    file.set_len(5_000_000_000).unwrap();
    let text = tools.error("read_file", json!({"path": "zeros"})).await;
    assert_eq!(text, "zeros is binary data (5.0 GB), not text. Use bash to look into it.");
}

#[tokio::test]
async fn encodings() {
    let tools = Tools::new();
    let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
    };
    tools.put("le", utf16("grüße\nb\n", u16::to_le_bytes));
    tools.put("be", utf16("grüße\nb\n", u16::to_be_bytes));
    tools.put("bom", "\u{feff}first\n");
    tools.put("latin1", b"caf\xe9\nplain\n");
    tools.put("dos", "a\r\nb\r\n");
    for (path, expected) in [
        ("le", "1\tgrüße\n2\tb\n[the file is UTF-16, shown as UTF-8]"),
        ("be", "1\tgrüße\n2\tb\n[the file is UTF-16, shown as UTF-8]"),
        ("bom", "1\tfirst"),
        ("latin1", "1\tcaf\u{fffd}\n2\tplain\n[some bytes are not UTF-8 and show as \u{fffd}]"),
        ("dos", "1\ta\n2\tb\n[lines end in CRLF]"),
    ] {
        assert_eq!(tools.ok("read_file", json!({ "path": path })).await, expected, "{path}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_named_and_never_waited_for() {
    let tools = Tools::new();
    tools.put("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    tools.put("blob", b"a\0b\xff\xfe\x01");
    make_fifo(&tools.path("fifo"));
    let _socket = std::os::unix::net::UnixListener::bind(tools.path("socket")).unwrap();
    for (path, expected) in [
        ("image.png", "image.png is a PNG image (16 bytes), not text. Use bash to look into it."),
        ("blob", "blob is binary data (6 bytes), not text. Use bash to look into it."),
        ("fifo", "fifo is a named pipe (FIFO), not a regular file."),
        ("socket", "socket is a socket, not a regular file."),
        ("/dev/zero", "/dev/zero is a device, not a regular file."),
    ] {
        assert_eq!(tools.error("read_file", json!({ "path": path })).await, expected);
    }
}

#[tokio::test]
async fn a_missing_file_suggests_the_nearest_names() {
    let tools = Tools::with_files(&[("src/main.rs", ""), ("src/other.rs", ""), ("README.md", "")]);
    symlink("nowhere", tools.path("dangling")).unwrap();
    for (path, expected) in [
        ("src/mian.rs", "src/mian.rs does not exist. Did you mean src/main.rs?"),
        ("readme.MD", "readme.MD does not exist. Did you mean README.md?"),
        ("src/main.py", "src/main.py does not exist. Did you mean src/main.rs?"),
        ("zzz", "zzz does not exist."),
        ("scr/deep/main.rs", "scr/deep/main.rs does not exist; the nearest directory that does is ."),
        ("src/main.rs/x", "src/main.rs/x does not exist: a part of its path is a file."),
        ("dangling", "dangling is a symbolic link to something that does not exist."),
    ] {
        let text = tools.error("read_file", json!({ "path": path })).await;
        assert_eq!(text.trim_end_matches('.'), expected.trim_end_matches('.'));
    }
}

#[tokio::test]
async fn a_directory_is_listed() {
    let tools = Tools::with_files(&[("b.txt", ""), ("a/x", ""), (".hidden", "")]);
    symlink("b.txt", tools.path("link")).unwrap();
    let text = tools.ok("read_file", json!({"path": "."})).await;
    assert_eq!(text, ". is a directory of 4 entries:\n.hidden\na/\nb.txt\nlink -> b.txt");
    for number in 0..300 {
        tools.put(&format!("many/{number:03}"), "");
    }
    let text = tools.ok("read_file", json!({"path": "many"})).await;
    assert!(text.ends_with("\n199\n[100 more; use glob to find among them]"), "{text}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn files_in_proc_are_read_although_they_have_no_length() {
    let text = Tools::new().ok("read_file", json!({"path": "/proc/self/status", "limit": 1})).await;
    assert!(text.starts_with("1\tName:\t"), "{text}");
}
