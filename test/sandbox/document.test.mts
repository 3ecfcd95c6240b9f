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

interface Endpoint {
	permission: string;
	responds: string;
	/** The default and the maximum of the page size. */
	pages?: [standard: number, most: number];
	query?: Record<string, string>;
	body?: Record<string, string>;
}

const paged = (standard: number) => ({ page: `${count} = 1`, limit: `${count} = ${standard}` });
/** A list with pages: of this size, and of at most this one. */
const pages = (standard: number, most: number, filters: Record<string, string>) => ({
	responds: '200 401 403',
	pages: [standard, most] as [number, number],
	query: { ...paged(standard), ...filters },
});
const reason = { reason: anyText };
const found = { search: anyText, channel: channelType, segmentId: anyText };

const document: Record<string, Endpoint> = {
	'POST /messages': {
		permission: 'chats.reply',
		responds: '200 400 401 403 404 409 429',
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
		permission: 'chats.view',
		...pages(20, 100, {
			waId: anyText,
			contactId: anyText,
			channelId: anyText,
			channel: channelType,
			needsEscalation: flag,
			assigneeId: anyText,
		}),
	},
	'GET /chats/{id}': { permission: 'chats.view', responds: '200 401 403 404' },
	'POST /chats/{id}/assign': {
		permission: 'chats.assign',
		responds: '200 400 401 403 404',
		body: { 'agentId!': 'text or null' },
	},
	'POST /chats/{id}/de-escalate': {
		permission: 'chats.assign',
		responds: '200 400 401 403 404',
		body: reason,
	},
	'POST /chats/{id}/escalate': {
		permission: 'chats.assign',
		responds: '200 400 401 403 404 429',
		body: reason,
	},
	'GET /chats/{id}/messages': {
		permission: 'chats.view',
		responds: '200 400 401 403 404',
		pages: [50, 100],
		query: { take: `${count} = 50`, cursor: anyText },
	},
	'GET /chats/session': {
		permission: 'chats.view',
		responds: '200 400 401 404',
		query: { waId: anyText, igId: anyText, contactId: anyText, channelId: anyText },
	},
	'POST /chats/session': {
		permission: 'chats.assign',
		responds: '200 400 401 403 404 409',
		body: {
			waId: text,
			igId: text,
			contactId: text,
			channelId: text,
			agentId: text,
			action: 'START TAKEOVER END = START',
		},
	},
	'GET /contacts': { permission: 'contacts.view', ...pages(50, 200, found) },
	'POST /contacts': {
		permission: 'contacts.edit',
		responds: '200 400 401 403 409',
		body: { 'name!': text, waId: text, igId: text },
	},
	'GET /contacts/{id}': { permission: 'contacts.view', responds: '200 401 403 404' },
	'PATCH /contacts/{id}': {
		permission: 'contacts.edit',
		responds: '200 400 401 403 404',
		body: {
			name: text,
			customName: anyText,
			waId: anyText,
			igId: anyText,
			igUsername: anyText,
		},
	},
	'GET /contacts/export': {
		permission: 'contacts.view',
		responds: '200 401 403',
		query: found,
	},
	'POST /contacts/import': { permission: 'contacts.edit', responds: '200 400 401 403' },
	// It lists no statuses: these are those of the other reads.
	'GET /contacts/import-template': { permission: 'contacts.view', responds: '200 401 403' },
	'GET /contacts/imports': {
		permission: 'contacts.view',
		responds: '200 401 403',
		pages: [20, 200],
		query: { activeOnly: flag, limit: `${count} = 20` },
	},
	'GET /contacts/imports/{id}': { permission: 'contacts.view', responds: '200 401 403 404' },
	'GET /contacts/imports/{id}/errors': {
		permission: 'contacts.view',
		responds: '200 401 403 404',
	},
	'POST /contacts/{id}/fields': {
		permission: 'contacts.edit',
		responds: '200 400 401 403 404',
		body: { 'label!': text, 'value!': text },
	},
	'PATCH /contacts/{id}/fields/{fieldId}': {
		permission: 'contacts.edit',
		responds: '200 400 401 403 404',
		body: { label: text, value: anyText },
	},
	'DELETE /contacts/{id}/fields/{fieldId}': {
		permission: 'contacts.edit',
		responds: '200 401 403 404',
	},
	'GET /segments': { permission: 'contacts.view', responds: '200 401 403' },
	'POST /segments': {
		permission: 'contacts.edit',
		responds: '200 400 401 403 409',
		body: {
			'name!': text,
			description: anyText,
			isDynamic: `${flag} = false`,
			rules: 'object',
		},
	},
	'GET /segments/{id}': {
		permission: 'contacts.view',
		responds: '200 401 403 404',
		pages: [50, 200],
		query: paged(50),
	},
	'DELETE /segments/{id}': { permission: 'contacts.edit', responds: '200 401 403 404' },
	'PUT /segments/{id}/members': {
		permission: 'contacts.edit',
		responds: '200 400 401 403 404',
		body: { 'action!': 'add remove', 'contactIds!': 'list, not empty, of text' },
	},
	'GET /templates': {
		permission: 'templates.view',
		responds: '200 401 403',
		query: { limit: count, channelId: anyText },
	},
	'POST /templates': {
		permission: 'templates.manage',
		responds: '200 400 401 403',
		body: {
			'name!': 'text like ^[a-z0-9_]+$',
			'category!': category,
			language: `${text} = en_US`,
			'components!': 'list, not empty, of anything',
			allowCategoryChange: flag,
			channelId: text,
		},
	},
	'DELETE /templates/{id}': {
		permission: 'templates.manage',
		responds: '200 400 401 403',
		query: { 'name!': text, channelId: text },
	},
	'POST /templates/sync': {
		permission: 'templates.manage',
		responds: '200 400 401 403',
		body: { channelId: text },
	},
	'GET /broadcasts': {
		permission: 'broadcasts.view',
		...pages(20, 200, {
			channelId: anyText,
			status: 'SCHEDULED QUEUED PROCESSING COMPLETED PARTIAL FAILED CANCELLED',
		}),
	},
	'POST /broadcasts': {
		permission: 'broadcasts.send',
		responds: '200 400 401 403 404 429',
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
	'GET /broadcasts/{id}': { permission: 'broadcasts.view', responds: '200 401 403 404' },
	'GET /broadcasts/csv-template': {
		permission: 'broadcasts.view',
		responds: '200 400 401 403 404',
		query: { 'templateName!': text, 'templateLanguage!': text },
	},
	'GET /flows': { permission: 'flows.view', responds: '200 401 403' },
	'POST /flows/trigger': {
		permission: 'flows.manage',
		responds: '200 400 401 403 404 429',
		body: { 'to!': text, channelId: text, flowId: text, flowKeyword: text },
	},
	'GET /tickets': {
		permission: 'tickets.view',
		...pages(20, 200, { status: ticketStatus, assigneeId: anyText, contactId: anyText }),
	},
	'POST /tickets': {
		permission: 'tickets.manage',
		responds: '200 400 401 403 429',
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
	'GET /tickets/{id}': { permission: 'tickets.view', responds: '200 401 403 404' },
	'PUT /tickets/{id}': {
		permission: 'tickets.manage',
		responds: '200 400 401 403 404 429',
		body: { status: ticketStatus, priority: 'LOW MEDIUM HIGH URGENT', assigneeId: text },
	},
	'POST /tickets/{id}/notes': {
		permission: 'ticket_notes.manage',
		responds: '200 401 403 404 429',
		body: { 'body!': text, authorId: text },
	},
	'GET /channels': { permission: 'settings.view', responds: '200 401' },
	'GET /channels/{id}': { permission: 'settings.view', responds: '200 401 404' },
	'GET /organization': { permission: 'settings.view', responds: '200 401' },
	'GET /users': { permission: 'users.manage', responds: '200 401 403' },
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

function endpointOf({ permission, statuses, pageSize, query, body }: Operation): Endpoint {
	const required = body?.required ?? [];
	return {
		permission,
		responds: statuses.join(' '),
		...(pageSize && { pages: [pageSize.default, pageSize.cap] }),
		...(Object.keys(query).length > 0 && {
			query: inWords(query, (name) => query[name]!.isRequired),
		}),
		...(body && { body: inWords(body.properties!, (name) => required.includes(name)) }),
	};
}

test('the contract has the 46 endpoints of the document, and each has a handler', () => {
	expect(Object.keys(document)).toHaveLength(46);
	expect(operations.map(({ route }) => route).toSorted()).toEqual(Object.keys(document).toSorted());
	expect(Object.keys(handlers).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

test.each(Object.entries(document))(
	'%s is in the contract as in the document',
	(route, expected) => {
		expect(endpointOf(operations.find((one) => one.route === route)!)).toEqual(expected);
	},
);
