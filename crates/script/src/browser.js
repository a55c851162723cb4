// Additional objects of browser items' scripts: Browser, Element, Alert and their errors, over W3C's WebDriver protocol.
// Evaluated once in each context; returns the objects by name.
//
// Sessions belong to the run, not to these objects: a browser knows the place of its session among those of the run,
// and the host closes the open sessions when the script ends, however it ends.
(function (native) {
	'use strict';

	const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
	const STRATEGIES = ['css selector', 'link text', 'partial link text', 'tag name', 'xpath'];
	// Leaves time to report where the script was when its time was nearly over.
	const PAGE_PART = 0.8;

	/** Of each Browser: the place of its session and what it has collected. */
	const states = new WeakMap();

	function state(browser) {
		const found = states.get(browser);
		if (found === undefined) {
			throw new TypeError('not a Browser object');
		}
		return found;
	}

	class BrowserError extends Error {
		constructor(message, browser) {
			super(message);
			this.name = 'BrowserError';
			this.browser = browser;
		}
	}

	class WebdriverError extends BrowserError {
		constructor(message, browser) {
			super(message, browser);
			this.name = 'WebdriverError';
		}
	}

	function fail(browser, status, code, message) {
		state(browser).error = { http_status: status, error_code: code, message };
		throw new WebdriverError(code === '' ? message : `${code}: ${message}`, browser);
	}

	/** The value of an answer; what went wrong is kept as the browser's error and thrown. */
	function read(browser, answer) {
		if (Array.isArray(answer)) {
			fail(browser, 0, '', answer[0]);
		}
		let value;
		let isRead = true;
		try {
			value = JSON.parse(answer.body).value;
		} catch (_) {
			isRead = false;
		}
		if (answer.status < 200 || answer.status > 299) {
			const details = value === null || typeof value !== 'object' ? {} : value;
			// After the first line comes the driver's own stack.
			const message = String(details.message || 'the WebDriver does not say why').split('\n')[0];
			fail(browser, answer.status, String(details.error || 'unknown error'), message);
		}
		if (!isRead) {
			fail(browser, answer.status, 'unknown error', 'the answer of the WebDriver is no JSON');
		}
		return value;
	}

	function get(browser, path) {
		return read(browser, native.drive(state(browser).place, 'GET', path, undefined));
	}

	function post(browser, path, body) {
		return read(browser, native.drive(state(browser).place, 'POST', path, JSON.stringify(body)));
	}

	function number(value, what) {
		const found = Number(value);
		if (!(found >= 0)) {
			throw new RangeError(`invalid ${what}`);
		}
		return Math.trunc(found);
	}

	/** Null instead of this error of the driver. */
	function unless(browser, code, work) {
		try {
			return work();
		} catch (error) {
			const of = state(browser);
			if (error instanceof WebdriverError && of.error !== null && of.error.error_code === code) {
				of.error = null;
				return null;
			}
			throw error;
		}
	}

	class Alert {
		constructor(browser, text) {
			this.browser = browser;
			this.text = text;
		}

		accept() { post(this.browser, '/alert/accept', {}); }
		dismiss() { post(this.browser, '/alert/dismiss', {}); }
	}

	class Element {
		constructor(browser, id) {
			this.browser = browser;
			this.id = id;
		}

		click() { post(this.browser, part(this, 'click'), {}); }
		clear() { post(this.browser, part(this, 'clear'), {}); }
		sendKeys(keys) { post(this.browser, part(this, 'value'), { text: String(keys) }); }
		getText() { return get(this.browser, part(this, 'text')); }
		getTagName() { return get(this.browser, part(this, 'name')); }
		getAttribute(name) {
			return get(this.browser, part(this, `attribute/${encodeURIComponent(name)}`));
		}
		getProperty(name) {
			return get(this.browser, part(this, `property/${encodeURIComponent(name)}`));
		}
	}

	function part(element, what) {
		return `/element/${encodeURIComponent(element.id)}/${what}`;
	}

	function find(browser, path, strategy, selector) {
		const using = String(strategy).toLowerCase();
		if (!STRATEGIES.includes(using)) {
			throw new BrowserError(`unsupported location strategy: ${strategy}`, browser);
		}
		return post(browser, path, { using, value: String(selector) });
	}

	function setTimeouts(browser, timeouts) {
		post(browser, '/timeouts', timeouts);
	}

	function options(browserName, key, args) {
		const alwaysMatch = { browserName, pageLoadStrategy: 'normal' };
		if (key !== null) {
			alwaysMatch[key] = { args };
		}
		return { capabilities: { alwaysMatch } };
	}

	class Browser {
		constructor(wanted) {
			if (typeof wanted !== 'object' || wanted === null) {
				throw new BrowserError('options of a browser are expected', null);
			}
			const of = { place: -1, error: null, opened: Date.now(), details: [], marks: [], origin: null,
				seen: new Set() };
			states.set(this, of);
			const opened = native.openBrowser(JSON.stringify(wanted));
			if (Array.isArray(opened)) {
				throw new BrowserError(opened[0], this);
			}
			read(this, opened);
			if (opened.place < 0) {
				throw new BrowserError('the WebDriver gave no session', this);
			}
			of.place = opened.place;
			// The driver gives up a page that hangs while the script can still report it.
			setTimeouts(this, { pageLoad: Math.ceil(opened.left * PAGE_PART) });
		}

		static chromeOptions() { return options('chrome', 'goog:chromeOptions', ['--headless=new']); }
		static firefoxOptions() { return options('firefox', 'moz:firefoxOptions', ['--headless']); }
		static safariOptions() { return options('safari', null, []); }
		static edgeOptions() { return options('MicrosoftEdge', 'ms:edgeOptions', ['--headless=new']); }

		navigate(url) { post(this, '/url', { url: String(url) }); }
		getUrl() { return get(this, '/url'); }
		getPageSource() { return get(this, '/source'); }
		getScreenshot() { return get(this, '/screenshot'); }

		findElement(strategy, selector) {
			const found = unless(this, 'no such element', () => find(this, '/element', strategy, selector));
			return found === null ? null : new Element(this, found[ELEMENT]);
		}

		findElements(strategy, selector) {
			return find(this, '/elements', strategy, selector).map((it) => new Element(this, it[ELEMENT]));
		}

		getCookies() { return get(this, '/cookie'); }
		addCookie(cookie) { post(this, '/cookie', { cookie }); }

		setScreenSize(width, height) {
			post(this, '/window/rect', { width: number(width, 'width'), height: number(height, 'height') });
		}

		setScriptTimeout(ms) { setTimeouts(this, { script: number(ms, 'timeout') }); }
		setSessionTimeout(ms) { setTimeouts(this, { pageLoad: number(ms, 'timeout') }); }
		setElementWaitTimeout(ms) { setTimeouts(this, { implicit: number(ms, 'timeout') }); }

		switchFrame(target) {
			let id = target === undefined ? null : target;
			if (target instanceof Element) {
				id = { [ELEMENT]: target.id };
			}
			post(this, '/frame', { id });
		}

		getAlert() {
			const text = unless(this, 'no such alert', () => ({ it: get(this, '/alert/text') }));
			return text === null ? null : new Alert(this, text.it);
		}

		executeScript(script) {
			return post(this, '/execute/sync', { script: String(script), args: [] });
		}

		getRawPerfEntries() {
			return this.executeScript('return performance.getEntries().map((it) => it.toJSON())');
		}

		getRawPerfEntriesByType(type) {
			const quoted = JSON.stringify(String(type));
			return this.executeScript(
				`return performance.getEntriesByType(${quoted}).map((it) => it.toJSON())`);
		}

		collectPerfEntries(mark) {
			const of = state(this);
			const { origin, entries } = this.executeScript('return {origin: performance.timeOrigin, ' +
				'entries: performance.getEntries().map((it) => it.toJSON())}');
			if (of.origin !== origin) {
				// Another page: its entries restart.
				of.origin = origin;
				of.seen = new Set();
			}
			const fresh = [];
			for (const it of entries) {
				const name = `${it.entryType} ${it.startTime} ${it.name}`;
				if (!of.seen.has(name)) {
					of.seen.add(name);
					fresh.push(it);
				}
			}
			const detail = {};
			if (mark !== undefined && mark !== null) {
				detail.mark = String(mark);
				of.marks.push({ name: detail.mark, index: of.details.length });
			}
			const navigations = fresh.filter((it) => it.entryType === 'navigation').map(navigation);
			if (navigations.length > 0) {
				detail.navigation = navigations[0];
			}
			detail.resource = sum(fresh.filter((it) => it.entryType === 'resource').map(resource));
			detail.user = fresh.filter((it) => it.entryType === 'mark' || it.entryType === 'measure').map(user);
			of.details.push(detail);
		}

		getError() {
			const { error } = state(this);
			return error === null ? null : new BrowserError(error.message, this);
		}

		setError(message) {
			state(this).error = { http_status: 0, error_code: '', message: String(message) };
		}

		discardError() { state(this).error = null; }

		getResult() {
			const of = state(this);
			const result = { duration: (Date.now() - of.opened) / 1000 };
			if (of.error !== null) {
				result.error = { ...of.error };
			}
			result.performance_data = {
				summary: {
					navigation: sum(of.details.flatMap((it) => it.navigation === undefined ? [] : [it.navigation])),
					resource: sum(of.details.map((it) => it.resource)),
				},
				details: of.details,
				marks: of.marks,
			};
			return result;
		}
	}

	/** Times in milliseconds and sizes in bytes, as the browser gives them. */
	function common(it) {
		const secured = it.secureConnectionStart > 0 ? it.requestStart - it.secureConnectionStart : 0;
		return {
			response_time: span(it.responseEnd - it.responseStart),
			request_time: span(it.responseStart - it.requestStart),
			resource_fetch_time: span(it.responseEnd - it.fetchStart),
			tcp_handshake_time: span(it.connectEnd - it.connectStart),
			tls_negotiation_time: span(secured),
			dns_lookup_time: span(it.domainLookupEnd - it.domainLookupStart),
			service_worker_processing_time: it.workerStart > 0 ? span(it.fetchStart - it.workerStart) : 0,
			encoded_size: span(it.encodedBodySize),
			total_size: span(it.decodedBodySize),
			transferred_size: span(it.transferSize),
		};
	}

	function navigation(it) {
		return { ...common(it), load_finished: span(it.loadEventEnd),
			dom_content_loading_time: span(it.domContentLoadedEventEnd - it.domContentLoadedEventStart),
			redirect_count: span(it.redirectCount) };
	}

	function resource(it) {
		return { ...common(it), load_finished: span(it.responseEnd), count: 1 };
	}

	function user(it) {
		return { entry_type: it.entryType, name: it.name, start_time: it.startTime, duration: it.duration };
	}

	function span(value) {
		return value > 0 ? value : 0;
	}

	function sum(parts) {
		const whole = {};
		for (const it of parts) {
			for (const name of Object.keys(it)) {
				whole[name] = (whole[name] || 0) + it[name];
			}
		}
		return whole;
	}

	return { Alert, Browser, BrowserError, Element, WebdriverError };
})
