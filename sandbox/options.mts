import { type Clock, systemClock } from './clock.mts';

/** How the number of remaining requests is reported. The document names no header, so a client must read them all. */
export type RateLimitHeaders =
	| 'ratelimit' // ratelimit-limit, -remaining, -reset in seconds, with every response
	| 'x-ratelimit' // x-ratelimit-*, reset as epoch seconds
	| 'x-ratelimit-ms' // x-ratelimit-*, reset as epoch milliseconds
	| 'combined' // RateLimit: limit=…, remaining=…, reset=…
	| 'structured' // RateLimit: "default";r=…;t=…
	| 'named' // x-ratelimit-*-short and retry-after-short, as named throttlers send them
	| 'retry-after' // only the 429 carries Retry-After, in seconds
	| 'retry-after-date' // only the 429 carries Retry-After, as an HTTP date
	| 'none';

/** The shape of an error body, which the document does not define. */
export type ErrorShape =
	| 'string'
	| 'object'
	| 'message'
	| 'messages'
	| 'errors'
	| 'text'
	| 'html'
	| 'empty';

type CustomFieldsShape = 'customFields' | 'fields' | 'labels' | 'hidden';

export interface SandboxOptions {
	/** Port on loopback; 0 uses a free one. */
	port: number;
	/** Besides these, each channel that can only be read has one contact. */
	contacts: number;
	tickets: number;
	/** The same seed gives the same records. */
	seed: number;
	clock: Clock;
	/** Added to every response, in milliseconds. */
	latencyMs: number;
	/** How many requests it works on at once, each for `latencyMs`. Others wait for their turn. */
	capacity: number;
	/** The largest page of any list, below the endpoint's own maximum, so that small lists have several pages. */
	pageCap: number;
	rateLimit: {
		/** Requests per window; 0 switches the limit off. */
		requests: number;
		windowSeconds: number;
		headers: RateLimitHeaders;
		/** `listed`: only the routes that list 429, exactly as the document says; `all`: every route. */
		routes: 'listed' | 'all';
	};
	shapes: {
		/** Rows of a list: directly in `data`, or under the resource's name. */
		lists: 'array' | 'wrapped';
		/**
		 * `usual`: PENDING, RUNNING, SUCCEEDED, ERRORED; `unknown`: names without meaning; `none`: no status at all.
		 */
		importStates: 'lower' | 'upper' | 'usual' | 'unknown' | 'none';
		/** Columns of an import: those of name, WhatsApp ID and Instagram ID first, others after them. */
		importColumns: string[];
		/** What the ID of a broadcast or an import job is called when it is created or read; `byType`: importId, broadcastId. */
		jobId: 'id' | 'byType' | 'none';
		jobIdType: 'text' | 'number';
		/** Where the job is inside `data`; `top`: directly, `byType`: under `import` or `broadcast`. */
		jobUnder: 'top' | 'byType';
		/** Where a segment's members are: a list of either name, or inside `segment`. */
		segmentMembers: 'members' | 'contacts' | 'segment';
		/** What each of them is: the contact, or a membership with an ID of its own and the contact in it. */
		memberRows: 'contacts' | 'memberships';
		/** The name of a contact's custom fields. `labels`: without IDs. */
		customFields: CustomFieldsShape;
		/** The same for contacts in lists; `left out`: as records, but a contact without custom fields has no list. */
		listedFields: CustomFieldsShape | 'left out';
		/** Where a single contact is: directly in `data`, or under its name. */
		contactUnder: 'top' | 'contact';
		/**
		 * Where the page of a segment's members is described: in `meta`, as for lists; next to the segment's fields as
		 * `meta`; by fields among them; or not at all.
		 */
		segmentPaging: 'top' | 'meta' | 'fields' | 'none';
		/** How the approximate `limit` of templates is applied. */
		templateLimit: 'exact' | 'fewer' | 'more';
		/** Columns of a broadcast's CSV besides those of the variables: that of the phone number first. */
		csvColumns: string[];
		/** Priority and status of a new ticket: a name, as in the update of one, or an object with a name in it. */
		ticketChoices: 'name' | 'object';
		/**
		 * Whether a number with a plus and one without are the same contact. `other`: IDs are compared as texts, so they
		 * are two contacts; `same`: phone numbers are compared by their digits.
		 */
		plus: 'other' | 'same';
		errors: ErrorShape;
		/**
		 * What the row of a chat shows of its messages: nothing; the time of the last one; or that of every second one,
		 * so that some messages leave the row unchanged; or the last message itself.
		 */
		chatActivity: 'none' | 'lastMessageAt' | 'sometimes' | 'lastMessage';
		/** A field of every chat's row that differs in every response. */
		chatFetchedAt: 'no' | 'yes';
		/** The order of the list of chats: by creation, or by the last message; the newest first. */
		chatOrder: 'creation' | 'activity';
		/** The totals in the details of a channel: of all records; `stuck`: never updated; or none. */
		channelTotals: 'stats' | 'stuck' | 'none';
		/** How a message shows who sent it. */
		messageDirection: 'direction' | 'fromMe' | 'senderType' | 'kind' | 'none';
		/** How a message shows when it was sent. */
		messageTime: 'createdAt' | 'seconds' | 'milliseconds' | 'none';
		/** Where the text of a message is: directly in it, or in an object for its type. */
		messageText: 'text' | 'body';
		/** The order of a chat's messages. */
		messageOrder: 'newest' | 'oldest';
	};
	credits: { session: number; flowTrigger: number };
	/** Routes, as "GET /flows", that are left out of the permission matrix and so fail closed with 500. */
	routesWithoutPermission: string[];
	/** Called with one readable line per request, which never contains the token. */
	log?: (line: string) => void;
}

const defaultOptions: SandboxOptions = {
	port: 0,
	contacts: 500,
	tickets: 200,
	seed: 1,
	clock: systemClock,
	latencyMs: 0,
	capacity: Infinity,
	pageCap: Infinity,
	rateLimit: { requests: 300, windowSeconds: 60, headers: 'ratelimit', routes: 'listed' },
	shapes: {
		lists: 'array',
		importStates: 'lower',
		importColumns: ['name', 'waId', 'igId'],
		jobId: 'id',
		jobIdType: 'text',
		jobUnder: 'top',
		segmentMembers: 'members',
		memberRows: 'contacts',
		segmentPaging: 'top',
		customFields: 'customFields',
		listedFields: 'customFields',
		contactUnder: 'top',
		templateLimit: 'fewer',
		csvColumns: ['phone'],
		ticketChoices: 'name',
		plus: 'other',
		errors: 'string',
		chatActivity: 'none',
		chatFetchedAt: 'no',
		chatOrder: 'creation',
		channelTotals: 'stats',
		messageDirection: 'direction',
		messageTime: 'createdAt',
		messageText: 'text',
		messageOrder: 'newest',
	},
	credits: { session: 1000, flowTrigger: 1000 },
	routesWithoutPermission: [],
};

/** Options in which every group, and every setting in a group, is optional. */
export type SandboxSettings = {
	[K in keyof SandboxOptions]?: SandboxOptions[K] extends object | undefined
		? SandboxOptions[K] extends unknown[] | Clock | ((line: string) => void) | undefined
			? SandboxOptions[K]
			: Partial<SandboxOptions[K]>
		: SandboxOptions[K];
};

/** All options, with the defaults for those that are not set. */
export function withDefaults(settings: SandboxSettings): SandboxOptions {
	return {
		...defaultOptions,
		...settings,
		rateLimit: { ...defaultOptions.rateLimit, ...settings.rateLimit },
		shapes: { ...defaultOptions.shapes, ...settings.shapes },
		credits: { ...defaultOptions.credits, ...settings.credits },
	};
}
