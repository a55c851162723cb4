//! A client with prepared answers that records requests.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use collect::ports::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
use wire::http::Response;

#[derive(Default)]
pub struct Play {
    /// Without answers no request is ever answered.
    pub answers: Mutex<VecDeque<Result<Response, String>>>,
    pub requests: Mutex<Vec<HttpRequest>>,
    /// The pause before each answer; the times in answers do not include it.
    turn: Mutex<Duration>,
}

impl Play {
    pub fn answer(&self, status: u16, headers: &[(&str, &str)], body: &str) {
        let headers =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let answer = Response { status, headers, body: body.as_bytes().to_vec() };
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(Ok(answer));
    }

    pub fn fail(&self, why: &str) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push_back(Err(why.to_owned()));
    }

    pub fn wait_for_turns(&self, time: Duration) {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }

    pub fn requests(&self) -> Vec<HttpRequest> {
        std::mem::take(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HttpClient for Play {
    fn exchange(&self, request: HttpRequest) -> HttpAnswer<'_> {
        let time = request.time;
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let turn = *self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(async move {
            match next {
                Some(answer) => {
                    tokio::time::sleep(turn).await;
                    answer.map(|answer| HttpExchange {
                        answer,
                        time: Duration::from_millis(1),
                        reading: None,
                    })
                }
                None => {
                    tokio::time::sleep(time).await;
                    Err("Timeout was reached".to_owned())
                }
            }
        })
    }
}
