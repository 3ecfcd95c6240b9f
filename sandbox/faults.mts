/** Something that goes wrong with a request. */
export type Fault =
	| { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
	| { kind: 'latency'; ms: number }
	/** The connection is cut: before the work is done, or after it, so that only the answer is lost. */
	| { kind: 'reset'; when?: 'before' | 'after' }
	/** No answer ever comes. */
	| { kind: 'hang'; when?: 'before' | 'after' }
	/** The connection is cut in the middle of a file or of JSON, or stays open and brings no more of it. */
	| { kind: 'cut'; of?: 'csv' | 'json'; stalls?: boolean }
	/** The answer ends in the middle of its JSON. */
	| { kind: 'truncate' }
	/** A page of a proxy in front of the service, in the place of the answer. */
	| { kind: 'html'; status: number }
	| { kind: 'redirect'; location: string };

/** A request, as rules choose between them. */
export interface FaultyRequest {
	method: string;
	/** The route of the contract, as "GET /tickets/{id}"; undefined when there is none. */
	route?: string;
	/** Without /api/v2. */
	path: string;
	query: Record<string, string>;
}

export interface FaultRule {
	fault: Fault;
	/** Requests that it befalls: all when missing. */
	matches?: (request: FaultyRequest) => boolean;
	/** How many requests it befalls; once when missing. */
	times?: number;
}

/** Faults on demand: each rule befalls the next requests it matches, until its times are used up. */
export class Faults {
	private rules: { rule: FaultRule; left: number }[] = [];
	/** After every answer to this path, that many records are made, so that rows shift between pages. */
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

/** The beginning of an answer whose connection is then cut. */
export const CUT_BODIES = {
	csv: { type: 'text/csv', text: 'id,name\r\n1,Ann\r\n2,' },
	json: { type: 'application/json', text: '{"success":true,"data":{"id":"1","na' },
};

export const PROXY_PAGE = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title><style>body { color: red }</style></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>proxy.example.com</center></body></html>`;
