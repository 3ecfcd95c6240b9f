import type { Shown } from '../../../api/access/shown';
import { shown } from '../../../api/access/shown';
import { contactIdOfMember, contactOfMember, MEMBER_NAMES } from '../../../api/response/contact';
import { recordOf, idOf, isRecord, valueOf } from '../../../api/response/response';
import { textOf } from '../../../api/base/text';
import type { Page } from '../../../api/reads/pages';
import type { List, LookupResult, ObservedRecord, Requests, StatusSource } from './source';

/**
 * API document, `GET /segments/{id}`: a segment with pages of its members. The "status" of a contact is the segment that it is
 * in, and a contact can be in several, so the segment is part of its key.
 */
export const segments: StatusSource = {
	event: 'contactAddedToSegment',
	noun: 'member',
	list: 'GET /segments/{id}',
	recordEndpoint: 'GET /contacts/{id}',
	rowsName: MEMBER_NAMES,
	pageSize: 200,
	hasPages: true,
	statuses: (parameters) => [...new Set(parameters.requiredIds('segmentId'))],
	lists: (statuses) => statuses.map((id) => ({ status: id, path: { id } })),
	normalizeStatus: (status) => status,
	showsNewRecords: false,
	filters: {},
	nameOf: ({ record, owner: { id, name } = {} }) => ({
		...{ status: 'ADDED', name: record.name, segment: { id, name } },
	}),
	recordIn,
	lookUp,
	refusal,
};

const segmentOf = ({ json }: Page) => recordOf(json, segments.list).record;

function recordIn(row: unknown, { status }: List, page: Page): ObservedRecord | undefined {
	const [contact, id] = [contactOfMember(row), contactIdOfMember(row)];
	if (!isRecord(contact) || !id) return undefined;
	const { name } = segmentOf(page);
	return { key: `${status}:${id}`, id, status, record: contact, owner: { id: status, name } };
}

/** A contact shows its segments (API document, section Contact). If this one does not, it counts as removed. */
async function lookUp(requests: Requests, key: string): Promise<LookupResult> {
	const [status = '', id = ''] = key.split(':');
	const record = await requests.record(id);
	if (!record) return { is: 'deleted' };
	const memberships = Array.isArray(record.segments) ? (record.segments as unknown[]) : [];
	const isMember = memberships.some((each) => (idOf(each) ?? each) === status);
	return isMember ? { is: 'found', observed: { key, id, status, record } } : { is: 'outOfScope' };
}

function refusal(page: Page): [Shown, Shown] | undefined {
	const segment = segmentOf(page);
	if (valueOf(segment, 'isDynamic') !== true || page.rows.length > 0) return undefined;
	return [
		shown`The service shows no members of the dynamic segment "${textOf(segment.name)}"`,
		shown`So the trigger cannot see who is added. Choose a segment whose members Segment → Get returns.`,
	];
}
