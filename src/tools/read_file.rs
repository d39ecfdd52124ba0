//! `read_file`: a text file with line numbers, page by page, or a directory's listing.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::files::{self, Cancellable};
use super::text;
use super::{Output, Tool, ToolContext, ToolError};
use crate::access::{Access, Preview};
use crate::exec::sniff;
use crate::workspace::Workspace;

/// Lines of a page when the call does not say.
const DEFAULT_LINES: u64 = 2_000;
/// Bytes of a page.
const PAGE_BYTES: usize = 50_000;
/// Characters of a line.
const LINE_CHARACTERS: usize = 2_000;
/// A file that goes on for longer than this after the page is not read on just to count its lines.
const COUNTED_BYTES: u64 = 16 << 20;
/// The largest UTF-16 file: it is decoded whole.
const UTF16_BYTES: u64 = 50 << 20;
/// Names of a directory that are shown, and that are read at all.
const LISTED: usize = 200;
const NAMES_READ: usize = 20_000;

/// The tool.
pub(super) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Relative to the workspace, or absolute.
    path: String,
    /// First line, from 1.
    offset: Option<u64>,
    /// Number of lines, default 2000.
    limit: Option<u64>,
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Read a text file, each line after its number and a tab, or list a directory.";
    type Input = Input;

    fn access(&self, input: &Input, workspace: &Workspace) -> Vec<Access> {
        vec![Access::Read(workspace.absolute(&input.path))]
    }

    fn preview(&self, input: &Input, workspace: &Workspace) -> Preview {
        Preview::Text(format!("read {}", workspace.display(&workspace.absolute(&input.path))))
    }

    async fn run(&self, input: Input, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
        let workspace = cx.workspace.clone();
        files::blocking(cx, move |cancel| {
            let path = workspace.absolute(&input.path);
            let text = if path.is_dir() {
                list(&path, &workspace)?
            } else {
                let range = Range {
                    first: input.offset.unwrap_or(1).max(1),
                    lines: input.limit.unwrap_or(DEFAULT_LINES).max(1),
                };
                read(&path, range, &workspace, cancel)?
            };
            Ok(Output::Text(text))
        })
        .await
    }
}

/// Which lines to show.
#[derive(Clone, Copy)]
struct Range {
    first: u64,
    lines: u64,
}

fn read(path: &Path, range: Range, workspace: &Workspace, cancel: &CancellationToken) -> Result<String, ToolError> {
    let shown = workspace.display(path);
    let fail = |error: io::Error| files::unreadable(path, workspace, &error);
    let (mut file, metadata) = files::open(path, workspace)?;
    let mut sample = Vec::new();
    file.by_ref().take(sniff::SAMPLE as u64).read_to_end(&mut sample).map_err(fail)?;
    if sample.is_empty() {
        return Ok(format!("[{shown} is empty]"));
    }
    if let Some(unit) = utf16_unit(&sample) {
        let rest = Cancellable { inner: file, cancel };
        return page_utf16(Cursor::new(sample).chain(rest), unit, range).map_err(fail)?.render(&shown, range);
    }
    if let Some(kind) = sniff::binary_kind(&sample) {
        let size = text::size(metadata.len().max(sample.len() as u64));
        return Err(ToolError::new(format!("{shown} is {kind} ({size}), not text. Use bash to look into it.")));
    }
    rewind(&mut file, &sample, cancel, |reader| page(reader, metadata.len(), range))
        .map_err(fail)?
        .render(&shown, range)
}

/// Reads a file from its start although its first bytes were taken. Not every file can seek.
fn rewind<T>(
    file: &mut File,
    sample: &[u8],
    cancel: &CancellationToken,
    read: impl FnOnce(&mut dyn BufRead) -> io::Result<T>,
) -> io::Result<T> {
    if file.rewind().is_ok() {
        return read(&mut BufReader::with_capacity(64 * 1024, Cancellable { inner: file, cancel }));
    }
    read(&mut BufReader::with_capacity(64 * 1024, Cursor::new(sample).chain(Cancellable { inner: file, cancel })))
}

/// Some lines of a file as they are shown, and what there is to say about the rest.
#[derive(Default)]
struct Page {
    text: String,
    /// Lines shown.
    shown: u64,
    /// All lines, as far as counted.
    total: u64,
    /// Whether the count stopped before the end.
    has_uncounted: bool,
    notes: Vec<String>,
}

fn page(mut reader: impl BufRead, length: u64, range: Range) -> io::Result<Page> {
    let mut page = Page::default();
    let mut position = 0;
    while page.total + 1 < range.first {
        match reader.skip_until(b'\n')? {
            0 => return Ok(page),
            read => position += read as u64,
        }
        page.total += 1;
    }
    let (mut has_invalid, mut has_crlf) = (false, false);
    while page.shown < range.lines {
        let Some(line) = Line::read(&mut reader)? else { break };
        position += line.length;
        has_invalid |= line.is_invalid;
        has_crlf |= line.is_crlf;
        let entry = line.numbered(page.total + 1);
        page.total += 1;
        if page.shown > 0 && page.text.len() + entry.len() > PAGE_BYTES {
            break;
        }
        page.text.push_str(&entry);
        page.shown += 1;
    }
    if has_invalid {
        page.notes.push("some bytes are not UTF-8 and show as \u{fffd}".to_owned());
    }
    if has_crlf {
        page.notes.push("lines end in CRLF".to_owned());
    }
    page.count_rest(reader, length.saturating_sub(position))?;
    Ok(page)
}

impl Page {
    fn count_rest(&mut self, mut reader: impl BufRead, left: u64) -> io::Result<()> {
        if left > COUNTED_BYTES {
            self.has_uncounted = true;
            return Ok(());
        }
        // A limit of its own, because the length may be wrong: files in /proc have none, others grow.
        let mut reader = reader.by_ref().take(COUNTED_BYTES);
        while reader.skip_until(b'\n')? > 0 {
            self.total += 1;
        }
        self.has_uncounted = reader.limit() == 0;
        Ok(())
    }

    fn render(self, shown: &str, range: Range) -> Result<String, ToolError> {
        let Self { mut text, shown: lines, total, has_uncounted, mut notes } = self;
        if lines == 0 {
            let total = text::count(total, "line");
            let first = range.first;
            return Err(ToolError::new(format!("{shown} has {total}; offset {first} is beyond its end.")));
        }
        let last = range.first + lines - 1;
        if has_uncounted || last < total {
            let of = if has_uncounted { "more".to_owned() } else { total.to_string() };
            notes.insert(0, format!("lines {}-{last} of {of}; go on with offset={}", range.first, last + 1));
        } else if range.first > 1 {
            notes.insert(0, format!("lines {}-{last} of {total}", range.first));
        }
        if !notes.is_empty() {
            text.push_str(&format!("[{}]\n", notes.join("; ")));
        }
        text.pop();
        Ok(text)
    }
}

/// One line, of which no more is kept than is shown.
struct Line {
    bytes: Vec<u8>,
    /// With what is not kept, and the line end.
    length: u64,
    is_crlf: bool,
    is_invalid: bool,
}

impl Line {
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let most = (LINE_CHARACTERS * 4 + 2) as u64;
        let mut length = reader.by_ref().take(most).read_until(b'\n', &mut bytes)? as u64;
        if length == 0 {
            return Ok(None);
        }
        let mut is_crlf = false;
        if bytes.ends_with(b"\n") {
            bytes.pop();
            is_crlf = bytes.pop_if(|last| *last == b'\r').is_some();
        } else if length == most {
            length += reader.skip_until(b'\n')? as u64;
        }
        Ok(Some(Self { bytes, length, is_crlf, is_invalid: false }.checked()))
    }

    /// Notes whether there are bytes that are no text; a character cut by our own limit is dropped.
    fn checked(mut self) -> Self {
        if let Err(error) = std::str::from_utf8(&self.bytes) {
            if error.error_len().is_none() && self.length > self.bytes.len() as u64 + 2 {
                self.bytes.truncate(error.valid_up_to());
            } else {
                self.is_invalid = true;
            }
        }
        self
    }

    fn numbered(&self, number: u64) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        // The byte order mark is part of no line.
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        match text::first(text, LINE_CHARACTERS) {
            (start, true) => {
                let rest = self.length.saturating_sub(start.len() as u64);
                format!("{number}\t{start}… [line cut, {} more]\n", text::size(rest))
            }
            (text, false) => format!("{number}\t{text}\n"),
        }
    }
}

/// How two bytes make a unit, if the file begins with the mark of UTF-16.
fn utf16_unit(start: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match start {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

fn page_utf16(file: impl Read, unit: fn([u8; 2]) -> u16, range: Range) -> io::Result<Page> {
    let mut bytes = Vec::new();
    file.take(UTF16_BYTES + 1).read_to_end(&mut bytes)?;
    let units = bytes.chunks_exact(2).skip(1).map(|pair| unit([pair[0], pair[1]]));
    let decoded = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    let text: String = decoded.collect();
    let mut page = page(Cursor::new(text.as_bytes()), text.len() as u64, range)?;
    page.notes.push("the file is UTF-16, shown as UTF-8".to_owned());
    if bytes.len() as u64 > UTF16_BYTES {
        page.notes.push(format!("only its first {} are decoded", text::size(UTF16_BYTES)));
    }
    Ok(page)
}

/// A directory's names, sorted; directories end in `/`, links show where they lead.
fn list(path: &Path, workspace: &Workspace) -> Result<String, ToolError> {
    let shown = workspace.display(path);
    let entries = path.read_dir().map_err(|error| files::unreadable(path, workspace, &error))?;
    let mut entries: Vec<PathBuf> =
        entries.take(NAMES_READ).filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    entries.sort();
    let total = entries.len();
    let more = if total == NAMES_READ { "at least " } else { "" };
    let mut text = format!("{shown} is a directory of {more}{total} entries:\n");
    for entry in entries.iter().take(LISTED) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let mark = match entry.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => "/".to_owned(),
            Ok(metadata) if metadata.is_symlink() => {
                entry.read_link().map(|target| format!(" -> {}", target.display())).unwrap_or_default()
            }
            _ => String::new(),
        };
        text.push_str(&format!("{name}{mark}\n"));
    }
    if total > LISTED {
        text.push_str(&format!("[{more}{} more; use glob to find among them]\n", total - LISTED));
    }
    text.pop();
    Ok(text)
}
