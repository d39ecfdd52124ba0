//! HTTP/1.1 by hand: reading a request, and playing an answer with its faults.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Recorded;
use super::render::{Answer, Head, Piece};

/// How an answer went.
pub(super) enum Played {
    /// Sent whole; the connection can be used again.
    Whole,
    /// Broken off by the script.
    Broken,
    /// The client left before the end.
    HungUp,
}

/// The next request, or `None` when the client closed the connection.
pub(super) async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Recorded> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        fill(stream, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let header = |line: &str| line.split_once(':').map(|(k, v)| (k.to_lowercase(), v.trim().to_owned()));
    let headers: Vec<_> = lines.filter_map(header).collect();
    let value = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(value("transfer-encoding"), None, "requests are expected to carry their length");
    let length: usize = value("content-length").map_or(0, |length| length.parse().unwrap());
    while buffer.len() < end + length {
        fill(stream, buffer).await?;
    }
    let body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Recorded { method, path, headers, json, body, connection: 0 })
}

async fn fill(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    match stream.read_buf(buffer).await {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(()),
    }
}

/// Sends an answer, watching for the client to hang up meanwhile.
pub(super) async fn play(stream: &mut TcpStream, answer: &Answer) -> Played {
    let (mut read, mut write) = stream.split();
    let mut byte = [0; 1];
    tokio::select! {
        biased;
        step = send(&mut write, answer) => match step {
            Ok(Step::On) => return Played::Whole,
            Ok(Step::Close) => return Played::Broken,
            Ok(Step::Reset) => {}
            Err(_) => return Played::HungUp,
        },
        _ = read.read(&mut byte) => return Played::HungUp,
    }
    // With a zero linger the close sends RST.
    let _ = stream.set_zero_linger();
    Played::Broken
}

enum Step {
    On,
    Close,
    Reset,
}

async fn send(write: &mut (impl AsyncWriteExt + Unpin), answer: &Answer) -> std::io::Result<Step> {
    for piece in &answer.before {
        step(write, piece, false).await?;
    }
    let chunked = answer.head.as_ref().is_some_and(|head| head.length.is_none());
    if let Some(head) = &answer.head {
        write.write_all(render_head(head).as_bytes()).await?;
    }
    for piece in &answer.body {
        match step(write, piece, chunked).await? {
            Step::On => {}
            end => return Ok(end),
        }
    }
    if chunked {
        write.write_all(b"0\r\n\r\n").await?;
    }
    Ok(Step::On)
}

async fn step(write: &mut (impl AsyncWriteExt + Unpin), piece: &Piece, chunked: bool) -> std::io::Result<Step> {
    match piece {
        Piece::Bytes(bytes) if chunked && !bytes.is_empty() => {
            let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
            chunk.extend_from_slice(bytes);
            chunk.extend_from_slice(b"\r\n");
            write.write_all(&chunk).await?;
        }
        Piece::Bytes(bytes) => write.write_all(bytes).await?,
        Piece::Gate(gate) => gate.pass().await,
        Piece::Sleep(time) => tokio::time::sleep(*time).await,
        Piece::Stall => std::future::pending().await,
        Piece::Reset => return Ok(Step::Reset),
        Piece::Close => return Ok(Step::Close),
    }
    Ok(Step::On)
}

fn render_head(head: &Head) -> String {
    let mut text = format!("HTTP/1.1 {} scripted\r\n", head.status);
    for (name, value) in &head.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match head.length {
        Some(length) => text.push_str(&format!("content-length: {length}\r\n\r\n")),
        None => text.push_str("transfer-encoding: chunked\r\n\r\n"),
    }
    text
}
