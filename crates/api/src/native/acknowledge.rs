//! The page behind a link of [`alerting::acknowledge_links`]: it asks, and a click acknowledges.
//!
//! Opening the link changes nothing, as mail scanners open links. A login is not needed: the link is enough.
//! A user who is logged in acts as the link's user all the same.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::content::RoleAction;
use serde_json::json;

use crate::error::{ApiError, ErrorClass};
use crate::http::sender;
use crate::objects::problems::acknowledge::acknowledge;
use crate::objects::problems::visibility::readable_problem;
use crate::shared::{ApiState, Caller, Ctx};
use alerting::acknowledge_links::{AcknowledgeLink, LinkFault};

/// The answer: a heading and a line below it.
struct Page {
    status: StatusCode,
    title: &'static str,
    text: String,
    asks: bool,
}

impl Page {
    fn message(status: StatusCode, title: &'static str, text: impl Into<String>) -> Self {
        Self { status, title, text: text.into(), asks: false }
    }

    fn gone() -> Self {
        let text = "The problem no longer exists, or you cannot access it.";
        Self::message(StatusCode::NOT_FOUND, "Nothing to acknowledge", text)
    }

    fn of_error(error: &ApiError) -> Self {
        let status = match error.class {
            ErrorClass::System | ErrorClass::Internal => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::FORBIDDEN,
        };
        Self::message(status, "Not acknowledged", error.data().to_string())
    }

    fn of_fault(fault: LinkFault) -> Self {
        match fault {
            LinkFault::Wrong => Self::message(
                StatusCode::NOT_FOUND,
                "This link is invalid",
                "It was cut off or changed, or it is from another server.",
            ),
            LinkFault::Expired => Self::message(
                StatusCode::GONE,
                "This link has expired",
                "Log in to acknowledge the problem.",
            ),
            LinkFault::TooMany => Self::message(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many wrong links",
                "Try again in a minute.",
            ),
        }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let form = if self.asks {
            "<form method=\"post\"><button type=\"submit\">Acknowledge</button></form>"
        } else {
            ""
        };
        let (title, text) = (escaped(self.title), escaped(&self.text));
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <meta name=\"robots\" content=\"noindex\"><title>{title}</title></head>\
             <body><h1>{title}</h1><p>{text}</p>{form}</body></html>"
        );
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        (self.status, headers, html).into_response()
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            it => out.push(it),
        }
    }
    out
}

/// Asks.
pub(super) async fn ask(
    State(shared): State<Arc<ApiState>>,
    Path(token): Path<String>,
    request: Request<Body>,
) -> Response {
    let from = sender::ip(request.extensions());
    let link = match read(&shared, &token, &from) {
        Ok(it) => it,
        Err(fault) => return Page::of_fault(fault).into_response(),
    };
    let of_work = Arc::clone(&shared);
    let page = shared.blocking(&shared.calls, move || shown(&of_work, link, from)).await;
    page.unwrap_or_else(|error| Page::of_error(&error)).into_response()
}

/// Acknowledges.
pub(super) async fn confirm(
    State(shared): State<Arc<ApiState>>,
    Path(token): Path<String>,
    request: Request<Body>,
) -> Response {
    let from = sender::ip(request.extensions());
    let link = match read(&shared, &token, &from) {
        Ok(it) => it,
        Err(fault) => return Page::of_fault(fault).into_response(),
    };
    let of_work = Arc::clone(&shared);
    let page = shared.blocking(&shared.edits, move || acknowledged(&of_work, link, from)).await;
    page.unwrap_or_else(|error| Page::of_error(&error)).into_response()
}

fn read(shared: &ApiState, token: &str, from: &str) -> Result<AcknowledgeLink, LinkFault> {
    let link = shared.ports.links.read(token, from, shared.clock.wall().clock());
    if link.is_err() {
        shared.metrics.acknowledge_links_refused_total.inc();
    }
    link
}

/// As the link's user, if that one may still use the system.
fn ctx_of(shared: &Arc<ApiState>, link: AcknowledgeLink, ip: String) -> Option<Ctx> {
    let identity = shared.db.identity(link.user)?;
    shared.ctx(Caller { identity, credential: String::new(), is_cookie: false, ip })
}

fn shown(shared: &Arc<ApiState>, link: AcknowledgeLink, ip: String) -> Page {
    let Some(ctx) = ctx_of(shared, link, ip) else { return Page::gone() };
    let problem = match readable_problem(&ctx, link.event) {
        Ok(it) => it,
        Err(error) if matches!(error.class, ErrorClass::System | ErrorClass::Internal) => {
            return Page::of_error(&error);
        }
        Err(_) => return Page::gone(),
    };
    let name = problem.event.name.clone();
    if problem.acknowledged {
        return Page::message(StatusCode::OK, "Acknowledged already", name);
    }
    Page { status: StatusCode::OK, title: "Acknowledge this problem?", text: name, asks: true }
}

fn acknowledged(shared: &Arc<ApiState>, link: AcknowledgeLink, ip: String) -> Page {
    let page = shown(shared, link, ip.clone());
    if !page.asks {
        return page;
    }
    let Some(ctx) = ctx_of(shared, link, ip.clone()) else { return Page::gone() };
    // Acknowledge, with a word of how, if the user may say one: a link may have been passed on.
    let action = if ctx.may_act(RoleAction::AddProblemComments) { 6 } else { 2 };
    let params = json!({"eventids": [link.event.0.to_string()], "action": action,
        "message": format!("Acknowledged by the link in a message, from {ip}")});
    match acknowledge(&ctx, &params) {
        Ok(_) => {
            shared.metrics.acknowledge_links_total.inc();
            Page::message(StatusCode::OK, "Acknowledged", page.text)
        }
        Err(error) => Page::of_error(&error),
    }
}
