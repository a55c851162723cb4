//! HTTP requests that leave the server: those of items are futures; threads wait for those of
//! scripts, exports, media and the vault. One client makes all of them.

use std::fmt;
use std::future::ready;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use collect::DnsCache;
use collect::ports::{HttpAnswer, HttpClient, HttpExchange, HttpRequest, HttpTls};
use http_client::{Addresses, Client, Error, HttpMetrics, Identity, Verify};
use model::networks::Destinations;
use rt::clock::{Clock, nanos};
use rt::metrics::Registry;
use rt::reading::Readings;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use script::HostRequest;
use tokio::runtime::Handle;
use tokio::time::timeout;
use wire::http::{Asked, ConnectionAuth, DIGEST, Fetch, Jar, NEGOTIATE, NTLM, Response};

/// The operator's settings for requests.
#[derive(Clone, Debug)]
pub struct OutgoingSettings {
    /// Destinations that requests of users may have.
    pub destinations: Destinations,
    /// How scripts check certificates.
    pub script_verify: Verify,
    /// Connections of each client at once.
    pub connections_max: usize,
    /// Memory of all answers together.
    pub answers_bytes_max: u64,
    /// The folder with the client certificates.
    pub certificates: Option<PathBuf>,
    /// The folder with their keys; `None`: that of the certificates.
    pub keys: Option<PathBuf>,
    /// Trusted authorities instead of the system's.
    pub authorities: Option<PathBuf>,
}

impl Default for OutgoingSettings {
    fn default() -> Self {
        Self {
            destinations: Destinations::default(),
            script_verify: Verify::BOTH,
            connections_max: 10,
            answers_bytes_max: 256 << 20,
            certificates: None,
            keys: None,
            authorities: None,
        }
    }
}

/// The clients of everything that makes requests.
#[derive(Clone)]
pub struct Outgoing {
    /// Names for these clients and for the collectors.
    pub names: DnsCache,
    /// Does not connect to addresses in `outgoing.denied`.
    guarded: Client,
    /// Memory of answers, also of those of collectors with other protocols.
    pub readings: Readings,
    /// For addresses of the operator, in settings that users do not see.
    operated: Client,
    runtime: Handle,
    /// Ends waiting requests when the runtime is about to end.
    ending: Shutdown,
    /// How scripts check certificates.
    script_verify: Verify,
    identities: Identities,
    clock: Clock,
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outgoing")
    }
}

impl Outgoing {
    /// Clients whose names are resolved in `tasks`.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn new(
        settings: OutgoingSettings,
        registry: &Registry,
        clock: &Clock,
        tasks: &Tasks,
    ) -> Self {
        let readings = Readings::new(settings.answers_bytes_max, clock, registry);
        let metrics = HttpMetrics::register(registry);
        let names = DnsCache::new(clock.clone(), tasks.clone());
        let client = |destinations, authorities| {
            let of_client: Box<dyn http_client::Names> = Box::new(Names(names.clone()));
            let measured = (metrics.clone(), readings.clone());
            let of = (clock.clone(), tasks);
            Client::new(
                settings.connections_max,
                destinations,
                (of_client, authorities),
                measured,
                of,
            )
        };
        Self {
            guarded: client(settings.destinations, settings.authorities),
            operated: client(Destinations::default(), None),
            names: names.clone(),
            readings: readings.clone(),
            runtime: Handle::current(),
            ending: tasks.shutdown().clone(),
            script_verify: settings.script_verify,
            identities: Identities::of(settings.certificates, settings.keys),
            clock: clock.clone(),
        }
    }

    /// For scripts and other requests to addresses that users name.
    #[must_use]
    pub fn exchanger(&self) -> Exchanger {
        self.waiting(&self.guarded, self.script_verify)
    }

    /// For addresses of settings.
    #[must_use]
    pub fn operated(&self) -> Exchanger {
        self.waiting(&self.operated, Verify::BOTH)
    }

    fn waiting(&self, client: &Client, verify: Verify) -> Exchanger {
        Exchanger {
            client: client.clone(),
            verify,
            runtime: self.runtime.clone(),
            ending: self.ending.clone(),
            identities: self.identities.clone(),
            clock: self.clock.clone(),
        }
    }

    /// For items.
    #[must_use]
    pub fn items(&self) -> ItemHttp {
        ItemHttp { client: self.guarded.clone(), identities: self.identities.clone() }
    }
}

struct Names(DnsCache);

impl http_client::Names for Names {
    fn addresses<'a>(&'a self, name: &'a str, time: Duration) -> Addresses<'a> {
        Box::pin(async move {
            let found: Option<Arc<[IpAddr]>> = self.0.addresses(name, time).await.ok();
            found
        })
    }
}

/// Folders with client certificates and keys, which items and connectors name by their files.
#[derive(Clone, Debug, Default)]
struct Identities {
    certificates: Option<PathBuf>,
    keys: Option<PathBuf>,
}

impl Identities {
    fn of(certificates: Option<PathBuf>, keys: Option<PathBuf>) -> Self {
        Self { keys: keys.or_else(|| certificates.clone()), certificates }
    }

    /// The files that a request names. A key alone is of no use, as with curl, and a certificate
    /// without a key has it in its file.
    ///
    /// # Errors
    /// If there is no such file, judged by the names in its folder.
    fn find(
        &self,
        (cert_file, key_file, password): (&str, &str, &str),
    ) -> Result<Option<Arc<Identity>>, String> {
        if cert_file.is_empty() {
            return Ok(None);
        }
        let certificate = file_in(self.certificates.as_deref(), cert_file, "outgoing.ssl_certs")?;
        let key = if key_file.is_empty() {
            certificate.clone()
        } else {
            file_in(self.keys.as_deref(), key_file, "outgoing.ssl_keys")?
        };
        Ok(Some(Arc::new(Identity { certificate, key, password: password.to_owned() })))
    }
}

fn file_in(folder: Option<&Path>, name: &str, setting: &str) -> Result<PathBuf, String> {
    let problem = "Problem with the local SSL certificate:";
    let folder =
        folder.ok_or_else(|| format!("{problem} the setting {setting} names no folder"))?;
    // A path may lead into folders below, and never out of this one.
    let is_below = Path::new(name).components().all(|it| matches!(it, Component::Normal(_)));
    if !is_below {
        return Err(format!("{problem} \"{name}\" is not a file name"));
    }
    Ok(folder.join(name))
}

/// The HTTP client of items.
pub struct ItemHttp {
    client: Client,
    identities: Identities,
}

impl fmt::Debug for ItemHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemHttp")
    }
}

impl HttpClient for ItemHttp {
    fn exchange(&self, request: HttpRequest) -> HttpAnswer<'_> {
        let HttpRequest { method, url, headers, body, proxy, tls, auth, time, body_bytes_max } =
            request;
        let verify = Verify { peer: tls.verify_peer, host: tls.verify_host };
        let HttpTls { cert_file, key_file, key_password, .. } = &tls;
        let identity = match self.identities.find((cert_file, key_file, key_password)) {
            Ok(it) => it,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        let request = http_client::ClientRequest {
            method,
            url,
            headers,
            body,
            proxy,
            verify,
            identity,
            auth,
            time,
            body_bytes_max,
        };
        Box::pin(async move {
            let made = self.client.exchange_timed(request).await;
            let made = made.map_err(|it| it.to_string())?;
            let http_client::Exchange { answer, time, reading } = made;
            Ok(HttpExchange { answer, time, reading })
        })
    }
}

/// Makes single HTTP exchanges for threads, which wait for each.
#[derive(Clone)]
pub struct Exchanger {
    client: Client,
    verify: Verify,
    runtime: Handle,
    ending: Shutdown,
    identities: Identities,
    clock: Clock,
}

impl fmt::Debug for Exchanger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exchanger")
    }
}

impl Exchanger {
    /// Blocks for at most the request's time, including the wait for its turn: scripts and messages
    /// have a total time.
    ///
    /// # Errors
    /// As [`script::Host::exchange`].
    ///
    /// # Panics
    /// In a task of the runtime.
    pub fn exchange(&self, asked: &HostRequest<'_>) -> Result<Response, String> {
        self.exchange_verifying(asked, self.verify)
    }

    /// As [`Exchanger::exchange`].
    ///
    /// # Errors
    /// As there.
    pub fn exchange_verifying(
        &self,
        asked: &HostRequest<'_>,
        verify: Verify,
    ) -> Result<Response, String> {
        self.exchange_as(asked, verify, None)
    }

    fn exchange_as(
        &self,
        asked: &HostRequest<'_>,
        verify: Verify,
        identity: Option<Arc<Identity>>,
    ) -> Result<Response, String> {
        let request = http_client::ClientRequest {
            method: asked.method.to_owned(),
            url: asked.url.to_owned(),
            headers: asked.headers.to_vec(),
            body: asked.body.map(<[u8]>::to_vec),
            proxy: asked.proxy.to_owned(),
            verify,
            identity,
            auth: asked.auth.cloned(),
            time: asked.time,
            body_bytes_max: asked.body_bytes_max,
        };
        let asking = async {
            let answer = timeout(asked.time, self.client.exchange(request)).await;
            answer.unwrap_or(Err(Error::Late)).map_err(|it| it.to_string())
        };
        self.runtime.block_on(async {
            // First, because the runtime's timers must not be used once it has ended.
            tokio::select! {
                biased;
                () = self.ending.cancelled() => Err("the server is stopping".to_owned()),
                answer = asking => answer,
            }
        })
    }
}

impl export::DeliveryClient for Exchanger {
    fn exchange(
        &self,
        request: &export::DeliveryRequest<'_>,
    ) -> Result<export::DeliveryResponse, String> {
        let export::TlsVerify { peer, host } = request.tls_verify;
        let verify = Verify { peer, host };
        let identity = match request.certificate {
            Some(export::ClientCertificate { cert_file, key_file, key_password }) => {
                self.identities.find((cert_file, key_file, key_password))?
            }
            None => None,
        };
        let one = |url: &str, headers: &[_], auth: Option<&ConnectionAuth>, time: Duration| {
            let asked = HostRequest {
                method: request.method,
                url,
                headers,
                body: Some(request.body),
                proxy: request.proxy,
                auth,
                time,
                body_bytes_max: request.answer_bytes_max,
            };
            self.exchange_as(&asked, verify, identity.clone())
        };
        let Some(login) = request.login else {
            let answer = one(request.url, request.headers, None, request.time)?;
            return Ok(export::DeliveryResponse { status: answer.status, body: answer.body });
        };
        let asked = asked_with(login, request);
        let (mut jar, mut fetch) = (Jar::default(), Fetch::new(&asked)?);
        let deadline_ns = self.clock.mono_ns().saturating_add(nanos(request.time));
        loop {
            let made = fetch.next(&jar)?;
            let left = Duration::from_nanos(deadline_ns.saturating_sub(self.clock.mono_ns()));
            let answer = one(&made.url, &made.headers, made.auth.as_ref(), left)?;
            if fetch.take(&mut jar, &answer, self.clock.mono_ns())? {
                return Ok(export::DeliveryResponse { status: answer.status, body: answer.body });
            }
        }
    }
}

/// The common part of the steps of a login. Its body is the request's, which is lent to each of
/// them.
fn asked_with(login: &export::ReceiverLogin, request: &export::DeliveryRequest<'_>) -> Asked {
    let (auth, user, password) = match login {
        export::ReceiverLogin::Digest { user, password } => {
            (DIGEST, user.as_str(), password.as_str())
        }
        export::ReceiverLogin::Ntlm { user, password } => (NTLM, user.as_str(), password.as_str()),
        export::ReceiverLogin::Kerberos => (NEGOTIATE, "", ""),
    };
    Asked {
        method: request.method.to_owned(),
        url: request.url.to_owned(),
        headers: request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect(),
        body: Some(Vec::new()),
        auth,
        user: user.to_owned(),
        password: password.to_owned(),
        // Redirects are not followed: the message stays with the receiver that the user named.
        stays: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a runtime that is never ended.
    fn outgoing() -> Outgoing {
        let runtime = rt::task::runtime(1).expect("threads");
        let _inside = runtime.enter();
        let (registry, clock) = (Registry::new(), Clock::real());
        let tasks = Tasks::new("test", &registry);
        let made = Outgoing::new(OutgoingSettings::default(), &registry, &clock, &tasks);
        std::mem::forget(runtime);
        made
    }

    #[test]
    fn waiting_request_ends_when_the_server_stops() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/", silent.local_addr().expect("bound"));
        let outgoing = outgoing();
        let exchanger = outgoing.exchanger();
        let ask = move || {
            exchanger.exchange(&HostRequest {
                method: "GET",
                url: &url,
                headers: &[],
                body: None,
                proxy: "",
                auth: None,
                time: Duration::from_secs(600),
                body_bytes_max: 1,
            })
        };
        let waiting = std::thread::spawn(move || (ask(), ask()));
        let (_asking, _) = silent.accept().expect("a connection");
        outgoing.ending.cancel();
        let (first, second) = waiting.join().expect("an answer");
        assert_eq!(first.expect_err("stopped"), "the server is stopping");
        assert_eq!(second.expect_err("stopped"), "the server is stopping");
    }

    #[test]
    fn certificates_are_found_by_names_in_their_folders() {
        let find = |certs: Option<&str>, keys: Option<&str>, cert_file: &str, key_file: &str| {
            let identities = Identities::of(certs.map(PathBuf::from), keys.map(PathBuf::from));
            let found = identities.find((cert_file, key_file, ""));
            found.map(|it| it.map(|it| (it.certificate.clone(), it.key.clone())))
        };
        let files = |cert: &str, key: &str| Ok(Some((PathBuf::from(cert), PathBuf::from(key))));
        assert_eq!(find(None, None, "", "a.key"), Ok(None));
        assert_eq!(find(Some("/c"), None, "a.pem", ""), files("/c/a.pem", "/c/a.pem"));
        assert_eq!(find(Some("/c"), None, "a.pem", "a.key"), files("/c/a.pem", "/c/a.key"));
        assert_eq!(find(Some("/c"), Some("/k"), "x/a", "a.key"), files("/c/x/a", "/k/a.key"));
        let error = find(None, Some("/k"), "a.pem", "").expect_err("no folder");
        assert_eq!(
            error,
            "Problem with the local SSL certificate: the setting outgoing.ssl_certs names no folder"
        );
        for name in ["../a", "/etc/shadow", "x/../../a", "./a"] {
            let error = find(Some("/c"), None, "a", name).expect_err(name);
            assert!(error.ends_with("is not a file name"), "{error}");
        }
    }
}
