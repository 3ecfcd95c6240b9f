import { idOf } from '../../api/pages';
import { isRecord, metaOf, payloadOf } from '../../api/response';
import { unwrapped } from '../../api/record';
import { textOf } from '../../api/text';
import { internationalDigits } from '../../parameters/phone';
import type { OperationContext } from '../../runner/operationContext';
import { contactOfMember, MEMBER_NAMES } from '../shared/segmentMembers';
import { isPhoneName } from './phoneColumn';

/** A member of a segment, as far as a broadcast needs it. */
export interface SegmentMember {
	id: string;
	/** Whether the service shows a phone number, even an empty one. */
	shown: boolean;
	/** As the service returned it; missing for a contact of another channel. */
	to?: string;
	/** Its digits with country code; missing if it cannot be compared with other numbers. */
	digits?: string;
}

/** The members of a segment. */
export interface Members {
	/** Those with a phone number that can be compared with others. */
	members: { to: string; digits: string }[];
	/** The phone numbers that cannot, such as national ones. */
	invalid: string[];
	/** Contacts without a WhatsApp ID. */
	withoutNumber: number;
}

/** The endpoint's maximum page size (API document, section Limits). */
const PAGE_SIZE = 200;

const ENDPOINT = 'GET /segments/{id}';

/**
 * All members of a segment, read once for all items.
 *
 * @param field the name of the field with the segment, for messages
 * @throws NodeApiError if the segment cannot be read
 * @throws NodeOperationError if members may be missing: somebody who has to be left out could receive the broadcast
 */
export async function readMembers(
	context: OperationContext,
	segmentId: string,
	field: string,
): Promise<Members> {
	return await context.memoize(`members ${segmentId}`, async () => {
		const onIncomplete = (rows: number, total: number) => {
			throw context.invalid(
				`${field} changed while its members were read: got ${rows} of ${total}`,
				'Nothing was sent. Run it again.',
			);
		};
		const request = { ...requestFor(segmentId, field), onIncomplete };
		return usable(context, await readAll(context, request, 'all'), field);
	});
}

/** A segment, without its members. */
export interface SegmentSummary {
	isDynamic: boolean;
	/** Number of members; undefined if the service does not show it. */
	count?: number;
	/** Counting ended here, and there are more members; only if `count` is undefined. */
	moreThan?: number;
	/** Its first members. */
	first: SegmentMember[];
}

/** How many members a summary contains. */
const FIRST = 3;

/**
 * The size of a segment, in one request if the service shows it (API document, section Response envelope: `meta.total`).
 * A total that is smaller than the number of members on the page is not believed.
 *
 * @param countUpTo if the service shows no total: count members up to one more than this; undefined does not count
 */
export async function summarize(
	context: OperationContext,
	segmentId: string,
	countUpTo: number | undefined,
): Promise<SegmentSummary> {
	return await context.memoize(`segment ${segmentId} ${countUpTo}`, async () => {
		const summary: SegmentSummary = { isDynamic: false, first: [] };
		const onFirstPage = (json: unknown, path: string[]) => {
			summary.count = metaOf(json, path).total;
			const payload = payloadOf(json);
			const { isDynamic } = isRecord(payload) ? unwrapped(payload, ENDPOINT) : {};
			summary.isDynamic = isDynamic === true;
		};
		const request = { ...requestFor(segmentId, 'Segment'), onFirstPage };
		summary.first = await readAll(context, request, FIRST);
		if (summary.count !== undefined && summary.count < summary.first.length)
			summary.count = undefined;
		// A list that has ended was read completely.
		if (summary.count === undefined && summary.first.length < FIRST)
			summary.count = summary.first.length;
		if (summary.count === undefined && countUpTo !== undefined) {
			const counted = (await readAll(context, request, countUpTo + 1)).length;
			if (counted > countUpTo) summary.moreThan = countUpTo;
			else summary.count = counted;
		}
		return summary;
	});
}

const requestFor = (segmentId: string, field: string) =>
	({
		endpoint: ENDPOINT,
		action: `Read ${field}`,
		path: { id: segmentId },
		rowsName: MEMBER_NAMES,
		pick: toMember,
	}) as const;

async function readAll(
	context: OperationContext,
	request: Parameters<OperationContext['readPages']>[0],
	rowLimit: number | 'all',
): Promise<SegmentMember[]> {
	return (await context.readPages(request, PAGE_SIZE, rowLimit)) as SegmentMember[];
}

function toMember(row: unknown): SegmentMember {
	const contact = contactOfMember(row);
	const id = idOf(row) ?? JSON.stringify(row);
	if (!isRecord(contact)) return { id, shown: false };
	const keys = ['waId', ...Object.keys(contact).filter(isPhoneName)].filter(
		(key) => key in contact,
	);
	const to = keys.map((key) => textOf(contact[key]).trim()).find((text) => text !== '');
	if (to === undefined) return { id, shown: keys.length > 0 };
	return { id, shown: true, to, digits: internationalDigits(to) };
}

function usable(context: OperationContext, rows: SegmentMember[], field: string): Members {
	if (rows.length > 0 && !rows.some(({ shown }) => shown)) {
		throw context.invalid(
			`The service shows no phone numbers for the members of ${field}`,
			'Nothing was sent. Without phone numbers, members can neither be listed as recipients nor be left out. Choose another audience, or remove Exclude Segment.',
		);
	}
	const members: Members['members'] = [];
	const invalid: string[] = [];
	for (const { to, digits } of rows) {
		if (to === undefined) continue;
		if (digits === undefined) invalid.push(to);
		else members.push({ to, digits });
	}
	return { members, invalid, withoutNumber: rows.length - members.length - invalid.length };
}
