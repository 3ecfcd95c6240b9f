import { type Shown, shown } from '../../../api/access/shown';
import { contactIdOfMember, contactOfMember } from '../../../api/response/contact';
import { idIn, recordOf, isRecord, valueOf } from '../../../api/response/response';
import { textOf } from '../../../api/base/text';
import type { Page } from '../../../api/reads/pages';
import { customerTitle } from '../../title';
import { type List, type ObservedRecord, type StatusSource, listedAt } from './source';

/**
 * API document, `GET /segments/{id}`: a segment with pages of its members. The "status" of a contact is the segment that it is
 * in, and a contact can be in several, so the segment is part of its key.
 */
export const segments: StatusSource = {
	event: 'contactAddedToSegment',
	noun: 'member',
	...listedAt('GET /segments/{id}'),
	recordEndpoint: 'GET /contacts/{id}',
	statuses: (parameters) => [...new Set(parameters.requiredIds('segmentId'))],
	lists: (statuses) => statuses.map((id) => ({ status: id, path: { id } })),
	showsNewRecords: false,
	filters: {},
	nameOf: ({ record, owner: { id, name } = {} }) => ({
		...{ title: customerTitle({ contact: record }), name: record.name },
		...{ status: 'ADDED', segment: { id, name } },
	}),
	example: { name: 'Example' },
	recordIn,
	absenceIsRemoval: true,
	doubt,
};

const segmentOf = ({ json }: Page) => recordOf(json, segments.list).record;

function recordIn(row: unknown, { status }: List, page: Page): ObservedRecord | undefined {
	const [contact, id] = [contactOfMember(row), contactIdOfMember(row)];
	if (!isRecord(contact) || !id) return undefined;
	// The membership of a deleted contact may remain: the ID of a membership is not that of a contact.
	if (contact.contact === null && idIn(contact, ['contactId']) === undefined) return undefined;
	const { name } = segmentOf(page);
	return { key: `${status}:${id}`, id, status, record: contact, owner: { id: status, name } };
}

function doubt(page: Page): Shown | undefined {
	const segment = segmentOf(page);
	if (valueOf(segment, 'isDynamic') !== true || page.rows.length > 0) return undefined;
	return shown`The service shows no members of the dynamic segment "${textOf(segment.name)}". If it has some, the trigger cannot see who is added.`;
}
