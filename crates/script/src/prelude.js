// The objects of scripts in addition to the language: Zabbix, console, HttpRequest, XML, btoa, atob,
// md5, sha256, hmac, sign. Evaluated once in each context; returns the two functions that the engine calls.
//
// A context serves many items. Everything that a script can reach and that outlives its run is
// therefore frozen, except the global object itself, which is swept after each run.
(function (native, isShared, makeBrowsers) {
	'use strict';

	// A script may give these names other values while it runs.
	const { Array, ArrayBuffer, Error, EvalError, InternalError, Iterator, JSON, Map, Number, Object, Proxy,
		RangeError, ReferenceError, Set, String, SyntaxError, TypeError, URIError, Uint8Array, WeakMap,
		globalThis: global } = globalThis;
	const { ownKeys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty, deleteProperty, apply,
		isExtensible } = globalThis.Reflect;
	const { freeze, create } = Object;
	const indirectEval = globalThis.eval;
	const sourceOf = Function.prototype.toString;
	const kindOf = Object.prototype.toString;
	const fromCharCode = String.fromCharCode;
	const isView = ArrayBuffer.isView;

	// Not in the language of Zabbix scripts, or of no use without an event loop; the accessors of
	// Error would keep state beyond a run, and functions that block a thread cannot be stopped.
	for (const name of ['Atomics', 'DOMException', 'FinalizationRegistry', 'Promise',
			'SharedArrayBuffer', 'WeakRef', 'navigator', 'performance', 'queueMicrotask']) {
		deleteProperty(global, name);
	}
	deleteProperty(Error, 'prepareStackTrace');
	deleteProperty(Error, 'stackTraceLimit');

	/** A text that is valid Unicode. */
	function text(value) {
		const string = String(value);
		return string.isWellFormed() ? string : string.toWellFormed();
	}

	/** Bytes as a string of one character each. */
	function binary(view) {
		let out = '';
		for (let at = 0; at < view.length; at += 4096) {
			out += apply(fromCharCode, null, view.subarray(at, at + 4096));
		}
		return out;
	}

	/** What a function of bytes takes: is it bytes, and the text or the bytes. */
	function data(value, what) {
		if (typeof value === 'string') {
			return [false, text(value)];
		}
		if (isView(value)) {
			return [true, binary(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))];
		}
		if (apply(kindOf, value, []) === '[object ArrayBuffer]') {
			return [true, binary(new Uint8Array(value))];
		}
		if (typeof value === 'number' || typeof value === 'boolean') {
			return [false, text(value)];
		}
		throw new TypeError(`${what} must be a string or a buffer`);
	}

	function buffer(string) {
		const out = new Uint8Array(string.length);
		for (let at = 0; at < out.length; at++) {
			out[at] = string.charCodeAt(at);
		}
		return out;
	}

	/** Runs a native function: its error is a text in a list. */
	function checked(answer) {
		if (Array.isArray(answer)) {
			throw new Error(answer[0]);
		}
		return answer;
	}

	// ---- Zabbix and console

	function log(level, message) {
		checked(native.log(Number(level) | 0, text(message)));
	}

	const Zabbix = {
		log(level, message) { log(level, message); },
		sleep(ms) {
			const delay = Number(ms);
			if (!(delay >= 0)) {
				throw new RangeError('invalid delay');
			}
			checked(native.sleep(delay));
		},
	};
	Zabbix.Log = Zabbix.log;

	const console = {
		log(value) { log(4, JSON.stringify(value)); },
		warn(value) { log(3, JSON.stringify(value)); },
		error(value) { log(2, JSON.stringify(value)); },
	};

	// ---- HttpRequest

	const requests = new WeakMap();
	const HEADER_BYTES_MAX = 128 * 1024;

	function HttpRequest() {
		if (new.target === undefined) {
			throw new TypeError('HttpRequest must be called with new');
		}
		const jar = native.newRequest();
		if (jar < 0) {
			throw new RangeError('maximum count of HttpRequest objects was reached');
		}
		requests.set(this, { headers: [], headerBytes: 0, proxy: '', auth: 0, user: '', password: '',
			jar, status: 0, received: [] });
	}

	function state(object) {
		const found = requests.get(object);
		if (found === undefined) {
			throw new TypeError('not an HttpRequest object');
		}
		return found;
	}

	/** application/json for what reads as JSON, as the manual has it. */
	function contentType(body) {
		const first = body[1].trimStart()[0];
		if (!body[0] && (first === '{' || first === '[')) {
			try {
				JSON.parse(body[1]);
				return 'application/json';
			} catch (_) {
				return 'text/plain';
			}
		}
		return 'text/plain';
	}

	function send(object, method, url, body) {
		const of = state(object);
		const content = body === undefined || body === null ? null : data(body, 'data');
		let headers = of.headers;
		if (headers.length === 0 && content !== null && content[1] !== '') {
			headers = [`Content-Type: ${contentType(content)}`];
		}
		of.status = 0;
		of.received = [];
		const answer = native.request(
			{ method: text(method), url: text(url), headers, proxy: of.proxy, auth: of.auth,
				user: of.user, password: of.password, jar: of.jar,
				isBinary: content !== null && content[0], body: content === null ? null : content[1] });
		if (typeof answer === 'string') {
			throw new Error(answer);
		}
		of.status = answer.status;
		of.received = answer.headers;
		return answer.body;
	}

	/** Headers are found however they are written. */
	const ANY_CASE = {
		get(found, name) {
			if (typeof name !== 'string' || getOwnPropertyDescriptor(found, name) !== undefined) {
				return found[name];
			}
			const wanted = name.toLowerCase();
			for (const key of ownKeys(found)) {
				if (typeof key === 'string' && key.toLowerCase() === wanted) {
					return found[key];
				}
			}
			return found[name];
		},
	};

	const METHODS = {
		addHeader(value) {
			const of = state(this);
			const header = text(value);
			of.headerBytes += header.length;
			if (of.headerBytes > HEADER_BYTES_MAX) {
				throw new RangeError(`headers exceeded maximum size of ${HEADER_BYTES_MAX} bytes.`);
			}
			of.headers.push(header);
		},
		clearHeader() {
			const of = state(this);
			of.headers = [];
			of.headerBytes = 0;
		},
		connect(url) { return send(this, 'CONNECT', url, undefined); },
		customRequest(method, url, body) { return send(this, method, url, body); },
		delete(url, body) { return send(this, 'DELETE', url, body); },
		get(url, body) { return send(this, 'GET', url, body); },
		head(url, body) { return send(this, 'HEAD', url, body); },
		options(url, body) { return send(this, 'OPTIONS', url, body); },
		patch(url, body) { return send(this, 'PATCH', url, body); },
		post(url, body) { return send(this, 'POST', url, body); },
		put(url, body) { return send(this, 'PUT', url, body); },
		trace(url, body) { return send(this, 'TRACE', url, body); },
		getStatus() { return state(this).status; },
		getHeaders(asArray) {
			const found = {};
			const received = state(this).received;
			for (let at = 0; at + 1 < received.length; at += 2) {
				const name = received[at];
				let value = received[at + 1];
				if (asArray === true) {
					const known = getOwnPropertyDescriptor(found, name);
					value = known === undefined ? [value] : [...known.value, value];
				}
				defineProperty(found, name,
					{ value, writable: true, enumerable: true, configurable: true });
			}
			return new Proxy(found, ANY_CASE);
		},
		setHttpAuth(mask, user, password) {
			const of = state(this);
			of.auth = Number(mask) | 0;
			of.user = user === undefined || user === null ? '' : text(user);
			of.password = password === undefined || password === null ? '' : text(password);
		},
		setProxy(proxy) {
			state(this).proxy = proxy === undefined || proxy === null ? '' : text(proxy);
		},
	};

	for (const name of Object.keys(METHODS)) {
		const method = { value: METHODS[name], writable: true, enumerable: false, configurable: true };
		defineProperty(HttpRequest.prototype, name, method);
		// Names from before 5.4.
		const old = name === 'getStatus' ? 'Status' : name[0].toUpperCase() + name.slice(1);
		defineProperty(HttpRequest.prototype, old, method);
	}

	// ---- XML

	const XML = {
		query(xml, expression) {
			const found = checked(native.xmlQuery(text(xml), text(expression)));
			return found === undefined ? null : found;
		},
		toJson(xml) { return checked(native.xmlToJson(text(xml))); },
		fromJson(json) { return checked(native.xmlFromJson(text(json))); },
	};

	// ---- Functions

	const FUNCTIONS = {
		btoa(value) {
			const it = data(value, 'data');
			return checked(native.encode(it[0], it[1]));
		},
		atob(value) { return buffer(checked(native.decode(text(value)))); },
		md5(value) {
			const it = data(value, 'data');
			return native.hash('md5', it[0], it[1]);
		},
		sha256(value) {
			const it = data(value, 'data');
			return native.hash('sha256', it[0], it[1]);
		},
		hmac(kind, key, value) {
			const k = data(key, 'key');
			const it = data(value, 'data');
			return checked(native.hmac(text(kind), k[0], k[1], it[0], it[1]));
		},
		sign(kind, key, value) {
			if (kind !== 'sha256') {
				throw new Error('unknown hash type');
			}
			const k = data(key, 'private key');
			const it = data(value, 'data');
			if (k[1] === '' || it[1] === '') {
				throw new TypeError('private key and data cannot be empty');
			}
			return checked(native.sign(k[1], it[0], it[1]));
		},
	};

	const GLOBALS = { Zabbix, console, HttpRequest, CurlHttpRequest: HttpRequest, XML,
		HTTPAUTH_NONE: 0, HTTPAUTH_BASIC: 1, HTTPAUTH_DIGEST: 2, HTTPAUTH_NEGOTIATE: 4,
		HTTPAUTH_NTLM: 8, ...FUNCTIONS, ...(makeBrowsers === undefined ? {} : makeBrowsers(native)) };
	for (const name of Object.keys(GLOBALS)) {
		defineProperty(global, name,
			{ value: GLOBALS[name], writable: true, enumerable: false, configurable: true });
	}

	// Texts of buffers name their kind instead of listing bytes, as in Zabbix.
	defineProperty(getPrototypeOf(Uint8Array.prototype), 'toString',
		{ value: kindOf, writable: true, enumerable: false, configurable: true });

	// ---- Isolation

	/** Lets objects have properties of their own with a name that a frozen prototype has. */
	function letOverride(prototype, names) {
		for (const name of names) {
			const known = getOwnPropertyDescriptor(prototype, name);
			if (known === undefined || !known.configurable || !('value' in known)) {
				continue;
			}
			const value = known.value;
			defineProperty(prototype, name, {
				get() { return value; },
				set(other) {
					if (this === prototype || !isExtensible(this)) {
						throw new TypeError(`'${String(name)}' is read-only`);
					}
					defineProperty(this, name,
						{ value: other, writable: true, enumerable: true, configurable: true });
				},
				enumerable: false,
				configurable: true,
			});
		}
	}

	/** Freezes everything that can be reached, except the global object. */
	function freezeAll(roots) {
		const seen = new Set();
		while (roots.length > 0) {
			const it = roots.pop();
			if ((typeof it !== 'object' && typeof it !== 'function') || it === null || seen.has(it)) {
				continue;
			}
			seen.add(it);
			roots.push(getPrototypeOf(it));
			for (const key of ownKeys(it)) {
				const property = getOwnPropertyDescriptor(it, key);
				roots.push(property.value, property.get, property.set);
			}
			if (it !== global) {
				freeze(it);
			}
		}
	}

	/** What only syntax and calls lead to. */
	function hiddenRoots() {
		return [
			[].values(), new Map().entries(), new Set().values(), ''[Symbol.iterator](),
			'a'.matchAll(/a/g), [].values().map((it) => it), Iterator.from({ next() { return {}; } }),
			(function () { return arguments; })(), function () {}, () => {}, class {},
			(function* () {}), (function* () {})(), async function () {}, async () => {},
			(async function* () {}), (async function* () {})(), /a/, new Error(), new Date(0), {}, (async () => {})(),
		].flatMap((it) => [it, getPrototypeOf(it)]);
	}

	function isolate() {
		const errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
		letOverride(Object.prototype, ownKeys(Object.prototype));
		for (const it of errors) {
			letOverride(it.prototype, ownKeys(it.prototype));
		}
		for (const it of [Array, Boolean, Date, Function, Number, RegExp, String]) {
			letOverride(it.prototype, ['toString', 'valueOf', 'toJSON', 'constructor', 'name']);
		}
		freezeAll([global, ...hiddenRoots()]);
		for (const key of ownKeys(global)) {
			defineProperty(global, key, { configurable: false });
		}
	}

	if (isShared) {
		isolate();
	}
	const baseKeys = ownKeys(global);
	const base = create(null);
	for (const key of baseKeys) {
		base[key] = global[key];
	}
	const variables = baseKeys.filter((key) => getOwnPropertyDescriptor(global, key).writable);
	const values = variables.map((key) => base[key]);
	const nVariables = variables.length;
	const basePrototype = getPrototypeOf(global);

	/** Takes back what a script did to the global object; false: it can't be. */
	function sweep() {
		if (getPrototypeOf(global) !== basePrototype || !isExtensible(global)) {
			return false;
		}
		const keys = ownKeys(global);
		if (keys.length !== baseKeys.length) {
			for (const key of keys) {
				if (!(key in base) && !deleteProperty(global, key)) {
					return false;
				}
			}
		}
		try {
			// A script may have made them read-only, which is detected here.
			for (let at = 0; at < nVariables; at++) {
				global[variables[at]] = values[at];
			}
		} catch (_) {
			return false;
		}
		return true;
	}

	// ---- Functions for the engine

	/** The text of an error with its place in the script. */
	function describe(error) {
		try {
			if ((typeof error !== 'object' && typeof error !== 'function') || error === null) {
				return text(error);
			}
			if (error instanceof Error) {
				return native.describe(text(error), text(error.stack));
			}
			return text(error.stack === undefined ? error : error.stack);
		} catch (_) {
			return 'unknown error';
		}
	}

	/** A function that makes the script's function anew for each run; anything else: see `failed`. */
	function compile(body) {
		const source = `function(value){${body}\n}`;
		try {
			const make = indirectEval(`(function(){return ${source}})`);
			if (typeof make !== 'function' || apply(sourceOf, make(), []) !== source) {
				native.spoil();
				return ['SyntaxError: the script ends before its text does'];
			}
			return make;
		} catch (error) {
			return failed(error);
		}
	}

	/**
	 * The form of a caught error: a list with its text, or 0 for null. The engine throws null if it has no
	 * memory left for an error of its own.
	 */
	function failed(error) {
		return error === null ? 0 : [describe(error)];
	}

	/** The result as text; null: discard; undefined: none; anything else: see `failed`. */
	function run(make, value) {
		let result;
		try {
			result = make()(value);
			if (result !== null && result !== undefined) {
				result = resultText(result);
			}
		} catch (error) {
			result = failed(error);
		}
		if (isShared && !sweep()) {
			native.spoil();
		}
		return result;
	}

	/** As text; if that fails, the error is the text, unless it is want of memory. */
	function resultText(value) {
		try {
			return text(value);
		} catch (error) {
			if (error === null || (error instanceof InternalError && error.message === 'out of memory')) {
				throw error;
			}
			return describe(error);
		}
	}

	return [compile, run];
})
