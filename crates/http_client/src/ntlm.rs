//! An exchange with a server that authenticates clients by NTLM.
//!
//! The server authenticates a connection, not a request. The connection is therefore opened for the
//! exchange and closed after it: a later request on it would be taken for the same user.

use wire::http::Response;
use wire::http::ntlm::{Challenge, NtlmLogin, hello};

use super::connection::Connection;
use super::error::Error;
use super::request::Prepared;

/// `wall_ns`: since 1970.
pub(crate) async fn exchange(
    mut connection: Connection,
    request: &Prepared,
    (login, wall_ns): (&NtlmLogin, u64),
) -> Result<Response, Error> {
    // Without the body: the first answer is a challenge in any case.
    let first = request.with_message("NTLM", &hello(), false)?;
    let answer = connection.exchange(&first).await.map_err(|it| it.error)?;
    let mut asked =
        answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate"));
    let challenge = asked.find_map(|(_, value)| Challenge::parse(value));
    let next = match challenge.filter(|_| answer.status == 401) {
        Some(challenge) => {
            let mut own = [0; 8];
            openssl::rand::rand_bytes(&mut own).map_err(|it| Error::Handshake(it.to_string()))?;
            request.with_message("NTLM", &challenge.answer(login, own, wall_ns), true)?
        }
        // The server does not ask for authentication.
        None if answer.status != 401 && request.has_body() => request.clone(),
        None => return Ok(answer),
    };
    if !connection.is_ready() {
        return Err(Error::NtlmClosed);
    }
    connection.exchange(&next).await.map_err(|it| it.error)
}
