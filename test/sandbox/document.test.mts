import { handlers } from '../../sandbox/services/index.mts';
import { operations, type Operation, type Schema } from './operations.mts';

/**
 * The contract is the service's document, section Endpoints. The other tests of this folder trust the contract; this
 * one compares it with the document, written down here a second time.
 *
 * `!` marks what is required, `=` precedes a default. What is required only in some requests is tested in
 * requests.test.mts. For a value about which the document says nothing, this is what the sandbox accepts.
 */

/** A text that is not empty. */
const text = 'text';
/** A text that may be empty, which clears it. */
const anyText = 'text or empty';
const flag = 'boolean';
const anyList = 'list of anything';
const count = 'integer from 1';
const channelType = 'WHATSAPP INSTAGRAM';
const category = 'MARKETING UTILITY AUTHENTICATION';
const ticketStatus = 'OPEN IN_PROGRESS RESOLVED CLOSED';
/** The document says object and shows no values; in the update of a ticket, they are names. */
const nameOrObject = 'object or string';

interface Accepted {
	/** The default and the maximum of the page size. */
	pages?: [standard: number, most: number];
	query?: Record<string, string>;
	body?: Record<string, string>;
}

const paged = (standard: number) => ({ page: `${count} = 1`, limit: `${count} = ${standard}` });
/** A list with pages: of this size, and of at most this one. */
const pages = (standard: number, most: number, filters: Record<string, string> = {}): Accepted => ({
	pages: [standard, most],
	query: { ...paged(standard), ...filters },
});
const reason = { reason: anyText };
const found = { search: anyText, channel: channelType, segmentId: anyText };

/** Permission and statuses. The document lists none for the import template: these are those of the other reads. */
const endpoints: [route: string, permission: string, responds: string][] = [
	['POST /messages', 'chats.reply', '200 400 401 403 404 409 429'],
	['GET /chats', 'chats.view', '200 401 403'],
	['GET /chats/{id}', 'chats.view', '200 401 403 404'],
	['POST /chats/{id}/assign', 'chats.assign', '200 400 401 403 404'],
	['POST /chats/{id}/de-escalate', 'chats.assign', '200 400 401 403 404'],
	['POST /chats/{id}/escalate', 'chats.assign', '200 400 401 403 404 429'],
	['GET /chats/{id}/messages', 'chats.view', '200 400 401 403 404'],
	['GET /chats/session', 'chats.view', '200 400 401 404'],
	['POST /chats/session', 'chats.assign', '200 400 401 403 404 409'],
	['GET /contacts', 'contacts.view', '200 401 403'],
	['POST /contacts', 'contacts.edit', '200 400 401 403 409'],
	['GET /contacts/{id}', 'contacts.view', '200 401 403 404'],
	['PATCH /contacts/{id}', 'contacts.edit', '200 400 401 403 404'],
	['GET /contacts/export', 'contacts.view', '200 401 403'],
	['POST /contacts/import', 'contacts.edit', '200 400 401 403'],
	['GET /contacts/import-template', 'contacts.view', '200 401 403'],
	['GET /contacts/imports', 'contacts.view', '200 401 403'],
	['GET /contacts/imports/{id}', 'contacts.view', '200 401 403 404'],
	['GET /contacts/imports/{id}/errors', 'contacts.view', '200 401 403 404'],
	['POST /contacts/{id}/fields', 'contacts.edit', '200 400 401 403 404'],
	['PATCH /contacts/{id}/fields/{fieldId}', 'contacts.edit', '200 400 401 403 404'],
	['DELETE /contacts/{id}/fields/{fieldId}', 'contacts.edit', '200 401 403 404'],
	['GET /segments', 'contacts.view', '200 401 403'],
	['POST /segments', 'contacts.edit', '200 400 401 403 409'],
	['GET /segments/{id}', 'contacts.view', '200 401 403 404'],
	['DELETE /segments/{id}', 'contacts.edit', '200 401 403 404'],
	['PUT /segments/{id}/members', 'contacts.edit', '200 400 401 403 404'],
	['GET /templates', 'templates.view', '200 401 403'],
	['POST /templates', 'templates.manage', '200 400 401 403'],
	['DELETE /templates/{id}', 'templates.manage', '200 400 401 403'],
	['POST /templates/sync', 'templates.manage', '200 400 401 403'],
	['GET /broadcasts', 'broadcasts.view', '200 401 403'],
	['POST /broadcasts', 'broadcasts.send', '200 400 401 403 404 429'],
	['GET /broadcasts/{id}', 'broadcasts.view', '200 401 403 404'],
	['GET /broadcasts/csv-template', 'broadcasts.view', '200 400 401 403 404'],
	['GET /flows', 'flows.view', '200 401 403'],
	['POST /flows/trigger', 'flows.manage', '200 400 401 403 404 429'],
	['GET /tickets', 'tickets.view', '200 401 403'],
	['POST /tickets', 'tickets.manage', '200 400 401 403 429'],
	['GET /tickets/{id}', 'tickets.view', '200 401 403 404'],
	['PUT /tickets/{id}', 'tickets.manage', '200 400 401 403 404 429'],
	['POST /tickets/{id}/notes', 'ticket_notes.manage', '200 401 403 404 429'],
	['GET /channels', 'settings.view', '200 401'],
	['GET /channels/{id}', 'settings.view', '200 401 404'],
	['GET /organization', 'settings.view', '200 401'],
	['GET /users', 'users.manage', '200 401 403'],
];

/** What the endpoints accept: those that are missing accept nothing. */
const accepted: Record<string, Accepted> = {
	'POST /messages': {
		body: {
			'to!': text,
			channelId: text,
			channel: `${channelType} = WHATSAPP`,
			agentId: text,
			takeOver: flag,
			'type!': 'text image document video audio sticker template',
			text,
			mediaId: text,
			mediaUrl: text,
			caption: anyText,
			fileName: anyText,
			templateName: text,
			templateLanguage: text,
			templateComponents: anyList,
			previewUrl: flag,
			contextId: text,
		},
	},
	'GET /chats': {
		...pages(20, 100, {
			waId: anyText,
			contactId: anyText,
			channelId: anyText,
			channel: channelType,
			needsEscalation: flag,
			assigneeId: anyText,
		}),
	},
	'POST /chats/{id}/assign': { body: { 'agentId!': 'text or null' } },
	'POST /chats/{id}/de-escalate': { body: reason },
	'POST /chats/{id}/escalate': { body: reason },
	'GET /chats/{id}/messages': {
		pages: [50, 100],
		query: { take: `${count} = 50`, cursor: anyText },
	},
	'GET /chats/session': {
		query: { waId: anyText, igId: anyText, contactId: anyText, channelId: anyText },
	},
	'POST /chats/session': {
		body: {
			waId: text,
			igId: text,
			contactId: text,
			channelId: text,
			agentId: text,
			action: 'START TAKEOVER END = START',
		},
	},
	'GET /contacts': { ...pages(50, 200, found) },
	'POST /contacts': { body: { 'name!': text, waId: text, igId: text } },
	'PATCH /contacts/{id}': {
		body: {
			name: text,
			customName: anyText,
			waId: anyText,
			igId: anyText,
			igUsername: anyText,
		},
	},
	'GET /contacts/export': { query: found },
	'GET /contacts/imports': {
		pages: [20, 200],
		query: { activeOnly: flag, limit: `${count} = 20` },
	},
	'POST /contacts/{id}/fields': { body: { 'label!': text, 'value!': text } },
	'PATCH /contacts/{id}/fields/{fieldId}': { body: { label: text, value: anyText } },
	'POST /segments': {
		body: {
			'name!': text,
			description: anyText,
			isDynamic: `${flag} = false`,
			rules: 'object',
		},
	},
	'GET /segments/{id}': { pages: [50, 200], query: paged(50) },
	'PUT /segments/{id}/members': {
		body: { 'action!': 'add remove', 'contactIds!': 'list, not empty, of text' },
	},
	'GET /templates': { query: { limit: count, channelId: anyText } },
	'POST /templates': {
		body: {
			'name!': 'text like ^[a-z0-9_]+$',
			'category!': category,
			language: `${text} = en_US`,
			'components!': 'list, not empty, of anything',
			allowCategoryChange: flag,
			channelId: text,
		},
	},
	'DELETE /templates/{id}': { query: { 'name!': text, channelId: text } },
	'POST /templates/sync': { body: { channelId: text } },
	'GET /broadcasts': {
		...pages(20, 200, {
			channelId: anyText,
			status: 'SCHEDULED QUEUED PROCESSING COMPLETED PARTIAL FAILED CANCELLED',
		}),
	},
	'POST /broadcasts': {
		body: {
			'name!': text,
			channelId: text,
			templateId: text,
			'templateName!': text,
			'templateLanguage!': text,
			templateCategory: category,
			templateComponents: anyList,
			scheduleType: 'now schedule = now',
			sendAt: 'date-time',
			audienceMode: 'list segment csv = list',
			segmentId: text,
			recipients: 'list, not empty, of text like ^(\\+?\\d+|[A-Za-z]{2}\\.[A-Za-z\\d]{1,128})$',
			apiType: 'cloud_api marketing_messages = cloud_api',
			ttlSeconds: 'number 43200 to 2592000',
			messageActivitySharing: flag,
		},
	},
	'GET /broadcasts/csv-template': { query: { 'templateName!': text, 'templateLanguage!': text } },
	'POST /flows/trigger': {
		body: { 'to!': text, channelId: text, flowId: text, flowKeyword: text },
	},
	'GET /tickets': {
		...pages(20, 200, { status: ticketStatus, assigneeId: anyText, contactId: anyText }),
	},
	'POST /tickets': {
		body: {
			'title!': text,
			contactId: text,
			contactWaId: text,
			contactIgId: text,
			priority: nameOrObject,
			status: nameOrObject,
			assigneeId: text,
			description: text,
			chatId: text,
		},
	},
	'PUT /tickets/{id}': {
		body: { status: ticketStatus, priority: 'LOW MEDIUM HIGH URGENT', assigneeId: text },
	},
	'POST /tickets/{id}/notes': { body: { 'body!': text, authorId: text } },
};

/** A schema in the words of the table. */
function kindOf(schema: Schema): string {
	const { enum: names, type, pattern, format, minimum, maximum, minItems, items } = schema;
	if (names) return names.join(' ');
	if (Array.isArray(type)) {
		const texts = pattern === '\\S' ? 'text' : 'string';
		return type.map((name) => (name === 'string' ? texts : name)).join(' or ');
	}
	if (type === 'array') {
		const inner = items && Object.keys(items).length > 0 ? kindOf(items) : 'anything';
		return `list${minItems === 1 ? ', not empty,' : ''} of ${inner}`;
	}
	if (type === 'integer' || type === 'number')
		return maximum === undefined
			? `${type} from ${String(minimum)}`
			: `${type} ${String(minimum)} to ${maximum}`;
	if (type !== 'string') return String(type);
	if (format) return format;
	if (pattern === undefined) return anyText;
	return pattern === '\\S' ? text : `text like ${pattern}`;
}

const inWords = (
	schemas: Record<string, Schema>,
	isRequired: (name: string) => boolean,
): Record<string, string> =>
	Object.fromEntries(
		Object.entries(schemas).map(([name, schema]) => [
			isRequired(name) ? `${name}!` : name,
			kindOf(schema) + (schema.default === undefined ? '' : ` = ${schema.default}`),
		]),
	);

function acceptedBy({ pageSize, query, body }: Operation): Accepted {
	const required = body?.required ?? [];
	return {
		...(pageSize && { pages: [pageSize.default, pageSize.cap] }),
		...(Object.keys(query).length > 0 && {
			query: inWords(query, (name) => query[name]!.isRequired),
		}),
		...(body && { body: inWords(body.properties!, (name) => required.includes(name)) }),
	};
}

test('the contract has the 46 endpoints of the document, and each has a handler', () => {
	expect(endpoints).toHaveLength(46);
	const routes = endpoints.map(([route]) => route);
	expect(operations.map(({ route }) => route).toSorted()).toStrictEqual(routes.toSorted());
	expect(Object.keys(handlers).toSorted()).toStrictEqual(operations.map(({ id }) => id).toSorted());
});

test.each(endpoints)('%s is in the contract as in the document', (route, permission, responds) => {
	const operation = operations.find((one) => one.route === route)!;
	expect([operation.permission, operation.statuses.join(' ')]).toStrictEqual([
		permission,
		responds,
	]);
	expect(acceptedBy(operation)).toStrictEqual(accepted[route] ?? {});
});
