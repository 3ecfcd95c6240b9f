import type { Meta } from '../../../api/response';
import { isRecord, payloadOf } from '../../../api/response';
import { unwrapped } from '../../../api/record';
import { textOf } from '../../../api/text';
import { contactKey, numberOf, readWhatsAppId } from '../../../parameters/address';
import { countOf, formatValue } from '../../../parameters/values';
import { listed } from '../../../runner/batch';
import type { OperationContext } from '../../../runner/operationContext';
import { contactOfMember, MEMBER_NAMES } from '../../shared/segmentMembers';

/** The members of a segment. */
export interface Members {
	/** The addresses of each member that can be compared with others, as the service returned them. */
	reachable: string[][];
	/** Of members without such an address: one that cannot, such as a national number. */
	incomparable: string[];
	/** How many have no address. */
	withoutAddress: number;
}

/** The endpoint's maximum page size (API document, section Limits). */
const PAGE_SIZE = 200;

const ENDPOINT = 'GET /segments/{id}';

/** Likely names of a contact's address. Only the first is documented. */
const ADDRESS_NAMES = ['waId', 'phone', 'phoneNumber'];

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
		const contacts = (await context.readPages(request, PAGE_SIZE, 'all')).map(contactOfMember);
		if (contacts.length > 0 && !contacts.some(showsAddress)) {
			throw context.invalid(
				`The service shows no phone numbers for the members of ${field}`,
				'Nothing was sent. Choose another audience, or remove Exclude Segment.',
			);
		}
		const members = contacts.map(memberAddresses);
		const reachable = members.map((addresses) => addresses.filter(isComparable));
		return {
			reachable: reachable.filter((addresses) => addresses.length > 0),
			incomparable: members.flatMap((addresses, index) =>
				reachable[index]?.length === 0 ? addresses.slice(0, 1) : [],
			),
			withoutAddress: members.filter((addresses) => addresses.length === 0).length,
		};
	});
}

/** The keys of a segment's members, and a note about members who cannot be excluded. */
export async function readExcluded(
	context: OperationContext,
	segmentId: string | undefined,
): Promise<{ excluded: ReadonlySet<string>; notes: string[] }> {
	if (segmentId === undefined) return { excluded: new Set(), notes: [] };
	const { reachable, incomparable } = await readMembers(context, segmentId, 'Exclude Segment');
	const notes: string[] = [];
	// Whether the service shows the members of every dynamic segment is undocumented.
	if (reachable.length === 0) {
		notes.push('Exclude Segment excludes nobody: the service shows no members with a phone number');
	}
	if (incomparable.length > 0) {
		const members = countOf(incomparable.length, 'member');
		notes.push(
			`${members} of Exclude Segment cannot be excluded: their numbers have no country code (${listed(incomparable.map(formatValue))})`,
		);
	}
	return { excluded: new Set(reachable.flat().map(contactKey)), notes };
}

/** The size of a segment. */
export interface SegmentSize {
	/** Undefined if the service does not show it. */
	members?: number;
	/** Whether there are more. */
	isMinimum?: boolean;
	isDynamic: boolean;
}

/**
 * The size of a segment, in one request if the service shows it (API document, section Response envelope: `meta.total`).
 *
 * @param max if the service shows no size, members are counted until there are more than these; undefined does not count
 */
export async function segmentSize(
	context: OperationContext,
	segmentId: string,
	max: number | undefined,
): Promise<SegmentSize> {
	return await context.memoize(`size ${segmentId} ${max}`, async () => {
		const size: SegmentSize = { isDynamic: false };
		const onFirstPage = (json: unknown, _path: string[], { total }: Meta) => {
			size.members = total;
			const payload = payloadOf(json);
			size.isDynamic = isRecord(payload) && unwrapped(payload, ENDPOINT).isDynamic === true;
		};
		const request = { ...requestFor(segmentId, 'Segment'), onFirstPage };
		const first = await context.readPages(request, PAGE_SIZE, 1);
		const isShown = size.members !== undefined && size.members >= first.length;
		if (isShown || max === undefined) return isShown ? size : { ...size, members: undefined };
		const counted = (await context.readPages(request, PAGE_SIZE, max + 1)).length;
		return { ...size, members: counted, isMinimum: counted > max };
	});
}

const requestFor = (segmentId: string, field: string) =>
	({
		endpoint: ENDPOINT,
		action: `Read ${field}`,
		path: { id: segmentId },
		rowsName: MEMBER_NAMES,
	}) as const;

const showsAddress = (contact: unknown): boolean =>
	isRecord(contact) && ADDRESS_NAMES.some((name) => name in contact);

/** A customer who hides the number may be shown with a user ID and a number. */
function memberAddresses(contact: unknown): string[] {
	if (!isRecord(contact)) return [];
	const texts = ADDRESS_NAMES.map((name) => textOf(contact[name]).trim());
	return texts.filter((text) => text !== '');
}

/** Whether an address is the same text for the same contact, once it is a key. */
const isComparable = (address: string): boolean =>
	numberOf(address) !== undefined || readWhatsAppId(address).value !== undefined;
