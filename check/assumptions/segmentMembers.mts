import type { ListReading } from '../service.mts';
import { isOk, listIn, type Reading } from '../service.mts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { detail, type Detail } from '../observations.mts';
import { whyNot } from '../observe.mts';
import { say } from '../shown.mts';

/** As Segment → Get looks for them. */
const MEMBER_NAMES = ['members', 'contacts'];

export const segmentMembers = assumption<Detail>({
	id: 'segment-members',
	question: 'Do the nodes find the members of a segment, and how many there are?',
	settles: [
		'getSegment: the name of the list of members, and whether it is wrapped with its own meta',
		'getSegment: whether a member is a contact (here it is), or a membership with the contact in it',
		'getSegment: where the counts of the page are (meta is documented for lists only)',
	],
	otherwise:
		'Without the counts, Segment → Get reads page after page until one has no new members. Without the members, it stops with a message.',
	observe: async (service) => await detail(service, 'segments'),
	judge({ list, reading }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		if (!reading) return cannotTell(say`there are no segments`);
		if (!isOk(reading)) return cannotTell(whyNot(reading));
		const members: ListReading = listIn(reading, MEMBER_NAMES);
		if (!members.path) return failsAt(['GET /segments/{id}'], say`no list of members is found`);
		const place =
			members.path.length === 0 ? say`directly in data` : say`under ${names.path(members.path)}`;
		const isMemberships = members.rows.some(({ contact }) => isRecord(contact));
		const where = isMemberships ? say`${place}, as memberships with the contact in them` : place;
		const { total, limit } = members.meta;
		if (total === undefined) return fails(where, say`the number of members is not found`);
		return holds(where, say`${metaPlace(reading)}, ${limit ?? members.length} per page`);
	},
});

function metaPlace({ response }: Reading) {
	return isRecord(response?.json) && isRecord(response.json.meta)
		? say`counts in meta, next to data`
		: say`counts inside data`;
}
