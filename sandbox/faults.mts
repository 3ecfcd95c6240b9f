/** A fault of a request. */
export type Fault =
	| { kind: 'status'; status: number; headers?: Record<string, string>; body?: string | Buffer }
	| { kind: 'latency'; ms: number }
	/** The request is handled once this promise is fulfilled. */
	| { kind: 'held'; until: Promise<void> }
	/** The connection is cut: before the request takes effect, or after it, so that only the response is lost. */
	| { kind: 'reset'; when?: 'before' | 'after' }
	/** There is never a response. */
	| { kind: 'hang'; when?: 'before' | 'after' }
	/** The connection is cut in the middle of a file or of JSON, or stays open without sending the rest. */
	| { kind: 'cut'; of?: 'csv' | 'json'; stalls?: boolean }
	| Trickle
	/** The response ends in the middle of its JSON. */
	| { kind: 'truncate' }
	/** A page of a proxy in front of the service, instead of the response. */
	| { kind: 'html'; status: number }
	| { kind: 'redirect'; location: string };

/** A few bytes at a time, without an end: headers, or JSON or a file after them, or the reading of an upload. */
export interface Trickle {
	kind: 'trickle';
	of: 'headers' | 'json' | 'csv' | 'upload';
	/** The time between two pieces, in milliseconds; a second if missing. */
	everyMs?: number;
	/** Called with the first piece. What it returns is called with the fifth one. */
	begin?: () => () => void;
	/** Called when the client has closed the connection, with the number of pieces until then. */
	onClose?: (pieces: number) => void;
}

/** A request, as rules match it. */
export interface FaultyRequest {
	method: string;
	/** The route of the contract, as "GET /tickets/{id}"; undefined if there is none. */
	route?: string;
	/** Without /api/v2. */
	path: string;
	query: Record<string, string>;
}

export interface FaultRule {
	fault: Fault;
	/** The requests that it affects; all if missing. */
	matches?: (request: FaultyRequest) => boolean;
	/** How many requests it affects; one if missing. */
	times?: number;
}

/** Faults on demand: each rule affects the next requests that match it, as often as its `times` says. */
export class Faults {
	private rules: { rule: FaultRule; left: number }[] = [];
	/** After every response to this path, this many records are created, so that rows shift between pages. */
	readonly shifts = new Map<string, { records: number; left: number }>();

	add(fault: Fault, options: Omit<FaultRule, 'fault'> = {}): void {
		this.rules.push({ rule: { fault, ...options }, left: options.times ?? 1 });
	}

	/** @param path `/tickets` or `/contacts` */
	shiftRows(path: string, records: number, times = 1): void {
		this.shifts.set(path, { records, left: times });
	}

	clear(): void {
		this.rules = [];
		this.shifts.clear();
	}

	next(request: FaultyRequest): Fault | undefined {
		const hit = this.rules.find(({ rule, left }) => left > 0 && (rule.matches?.(request) ?? true));
		if (!hit) return undefined;
		hit.left--;
		return hit.rule.fault;
	}
}

/** The first and the further pieces of a response that trickles. */
export const TRICKLES = {
	headers: ['HTTP/1.1 200 OK\r\nX-Padding: ', 'x'],
	json: ['HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n', ' '],
	csv: [
		'HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nname\r\n',
		'A',
	],
} as const;

/** The beginning of a response whose connection is then cut. */
export const CUT_BODIES = {
	csv: { type: 'text/csv', text: 'id,name\r\n1,Ann\r\n2,' },
	json: { type: 'application/json', text: '{"success":true,"data":{"id":"1","na' },
};

export const PROXY_PAGE = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title><style>body { color: red }</style></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>proxy.example.com</center></body></html>`;
