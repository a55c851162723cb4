//! HTTP requests as curl makes them, without sockets: redirects, cookies and authentication around
//! single exchanges. The owner of the sockets makes the exchanges:
//!
//! ```
//! # use wire::http::{Asked, Fetch, Jar, Response};
//! # fn exchange(_: &wire::http::Exchange) -> Response { Response { status: 200, ..Response::default() } }
//! # fn main() -> Result<(), String> {
//! let asked = Asked { method: "GET".to_owned(), url: "http://localhost/".to_owned(), ..Asked::default() };
//! let (mut jar, mut fetch) = (Jar::default(), Fetch::new(&asked)?);
//! let answer = loop {
//!     let answer = exchange(&fetch.next(&jar)?);
//!     if fetch.take(&mut jar, &answer, 0)? {
//!         break answer;
//!     }
//! };
//! # assert_eq!(answer.status, 200);
//! # Ok(())
//! # }
//! ```

pub mod codes;
mod cookies;
mod digest;
mod fetch;
pub mod ntlm;
mod url;

pub use cookies::Jar;
pub use fetch::{Asked, BASIC, ConnectionAuth, DIGEST, Exchange, Fetch, NEGOTIATE, NTLM, Response};
