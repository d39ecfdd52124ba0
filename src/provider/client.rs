//! The HTTP client of an endpoint. TLS is set up from compiled-in roots, so that no system store is
//! read at start; `SSL_CERT_FILE` adds to them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::catalog;

/// How long an idle connection is kept for the next turn.
const KEEP_IDLE: Duration = Duration::from_secs(90);

/// A client for the server at `base_url`.
///
/// # Errors
/// A sentence, where the certificates cannot be read or the system refuses.
pub(super) fn build(base_url: &str) -> Result<reqwest::Client, String> {
    let is_secure = base_url.trim_start().to_ascii_lowercase().starts_with("https:");
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(is_secure)?)
        .tcp_nodelay(true)
        // A redirected POST loses its body; the person should write the right address instead.
        .redirect(Policy::none())
        .pool_idle_timeout(KEEP_IDLE)
        .default_headers(HeaderMap::new())
        .user_agent(concat!("bareagent/", env!("CARGO_PKG_VERSION")));
    if is_loopback(base_url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| format!("Cannot set up the HTTP client: {error}."))
}

/// Whether an address is on this machine, where no proxy has any business.
pub(super) fn is_loopback(base_url: &str) -> bool {
    let host = catalog::host(base_url);
    host == "localhost" || host == "::1" || host.starts_with("127.")
}

/// The TLS configuration. Plain addresses get one without roots: nothing is loaded that is not used.
fn tls(is_secure: bool) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    if is_secure {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        if let Some(file) = std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty()) {
            add_file(&mut roots, Path::new(&file))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("Cannot set up TLS: {error}."))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn add_file(roots: &mut RootCertStore, file: &Path) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| {
        format!("Cannot read the certificates in {} (SSL_CERT_FILE): {error}.", file.display())
    };
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))? {
        let certificate = certificate.map_err(|error| failed(&error))?;
        // Stores hold the odd certificate that cannot serve as a root; the others still count.
        let _ = roots.add(certificate);
    }
    Ok(())
}
