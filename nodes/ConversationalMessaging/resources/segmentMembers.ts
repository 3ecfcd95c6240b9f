/** Possible names of a segment's members, which are contacts. */
export const MEMBER_NAMES = ['members', 'contacts'];

/** The number of contacts per request. The service documents no maximum; this one keeps requests small. */
const CONTACTS_PER_REQUEST = 500;

/** The contact IDs of each request that adds contacts to a segment, or removes them from it. */
export function memberRequests(contactIds: string[]): string[][] {
	const requests: string[][] = [];
	for (let start = 0; start < contactIds.length; start += CONTACTS_PER_REQUEST)
		requests.push(contactIds.slice(start, start + CONTACTS_PER_REQUEST));
	return requests;
}

/** The next step if a change of members is rejected. */
export const membersErrorHint = (status: number): string | undefined =>
	status === 400
		? 'Enter the contact IDs of contacts in this organization, and choose a static segment.'
		: undefined;
