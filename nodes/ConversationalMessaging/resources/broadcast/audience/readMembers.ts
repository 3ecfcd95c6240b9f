import type { IDataObject } from 'n8n-workflow';
import { type Shown, shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { addressOf, contactOfMember } from '../../../api/response/contact';
import { idOf, isRecord, valueOf } from '../../../api/response/response';
import { textOf } from '../../../api/base/text';
import { formatValue } from '../../../parameters/values';
import { type CustomerId, customerId } from '../../../phone/customerId';
import type { OperationContext } from '../../../runner/operationContext';
import { readSegmentMembers } from '../../shared/readSegmentMembers';
import { EXCLUDE_SEGMENTS } from '../guards';

export interface Member {
	/** The WhatsApp ID, as the service returned it. */
	waId?: string;
	/** What it identifies; undefined if it cannot be compared with others, as a national number. */
	id?: CustomerId;
	/** Whether the member may be anybody: there is no comparable number, and no address of another kind instead. */
	isUncertain: boolean;
	/** For messages: the address, or else the name or ID. */
	shown: string;
}

interface Members {
	/** The segment's name, or else its ID, for messages. */
	name: string;
	members: Member[];
	/** Whether the service shows that rules do not define them. */
	isStatic: boolean;
	/** Why there are more, although the service returned no others; undefined if nothing shows that. */
	missing?: Shown;
}

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
	return await context.once(`members ${segmentId}`, async () => {
		const request = { action: `Read ${field} (${formatValue(segmentId)})` };
		const segment = await readSegmentMembers(context, segmentId, Infinity, request);
		const { count, rows, gap } = segment;
		const name = formatValue(segment.name);
		// Without any row, nothing changed: the count alone shows that some are missing.
		if (gap && rows.length > 0) {
			throw context.invalid(
				shown`${field} (${name}): members may be missing, because ${gap.reason}`,
				'Nothing was sent. Run it again.',
			);
		}
		const contacts = rows.map(contactOfMember);
		if (contacts.length > 0 && !contacts.some(showsAddress)) {
			throw context.invalid(
				shown`The service shows neither a WhatsApp ID nor an Instagram ID of any member of ${name} (${field})`,
				`Nothing was sent. Choose another audience, or other segments under ${EXCLUDE_SEGMENTS}.`,
			);
		}
		const missing =
			count !== undefined && count > rows.length
				? shown`${field} (${name}): members may be missing, because the service counts ${count}, but returned ${rows.length}`
				: undefined;
		const members: Member[] = [];
		for await (const contact of inTurns(contacts)) members.push(memberIn(contact));
		return { name, members, isStatic: segment.isDynamic === false, missing };
	});
}

/** The WhatsApp IDs that can be compared with others, or those that cannot. */
export const idsOf = (members: readonly Member[], comparable: boolean): string[] =>
	members.flatMap(({ waId, id }) => ((id !== undefined) === comparable ? (waId ?? []) : []));

/**
 * The size of a segment, by the total of its members (API document, section Response envelope: `meta.total`). A count that the
 * segment itself shows may be too small, so it counts only if it is larger.
 *
 * @returns no count if the service does not show the total, or none in a segment that may be dynamic: whether it shows the members of
 *   a dynamic one is undocumented
 */
export async function segmentSize(
	context: OperationContext,
	segmentId: string,
): Promise<{ count?: number; isDynamic: boolean }> {
	return await context.once(`size ${segmentId}`, async () => {
		const { isDynamic, total, count, rows } = await readSegmentMembers(context, segmentId, 1);
		const least = isDynamic === false ? 0 : 1;
		const isShown = total !== undefined && Math.max(rows.length, least) <= (count ?? 0);
		return { count: isShown ? count : undefined, isDynamic: isDynamic === true };
	});
}

/** The address of each member, '' for one without: what the service does not show is one, too. */
export async function memberAddresses(
	context: OperationContext,
	segmentId: string,
	count: number,
): Promise<string[]> {
	return await context.once(`addresses ${segmentId} ${count}`, async () => {
		// What is missing is told as unknown.
		const { rows } = await readSegmentMembers(context, segmentId, count);
		return Array.from({ length: count }, (_, index) => {
			const { waId = '', id } = memberIn(contactOfMember(rows[index]));
			return id ? waId : '';
		});
	});
}

/** A number, even without a value: a service that has it under another name shows none of any member. Or an Instagram ID. */
const showsAddress = (contact: unknown): boolean =>
	isRecord(contact) &&
	(valueOf(contact, 'waId') !== undefined || addressOf(contact).igId !== undefined);

function memberIn(contact: unknown): Member {
	const record: IDataObject = isRecord(contact) ? contact : {};
	const { waId, igId } = addressOf(record);
	const id = waId === undefined ? undefined : customerId(waId);
	const isComparable = id?.kind === 'phoneNumber' || id?.kind === 'userId';
	return {
		waId,
		...(isComparable && { id }),
		// A contact has one channel (API document, section What the service does): there is no number to an Instagram ID.
		isUncertain: !isComparable && (waId !== undefined || igId === undefined),
		shown: waId ?? (textOf(record.name).trim() || idOf(contact) || textOf(contact)),
	};
}
