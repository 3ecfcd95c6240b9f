import { type Shown, shown } from '../../api/access/shown';
import { rowNames } from '../../api/endpoint';
import { LIST_NAMES } from '../../api/response/response';
import { choiceField } from '../../descriptions/basicFields';
import { pagingFields } from '../../descriptions/paging';
import { segmentParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import { type Output, toOutput } from '../../runner/output';
import { countOf } from '../../parameters/values';
import { contactOfMember } from '../../api/response/contact';
import { readSegmentMembers } from '../shared/readSegmentMembers';

const outputField = choiceField('Output', 'segmentOutput', {
	options: [
		{ name: 'Members', value: 'members', description: 'One item per member: its contact' },
		{ name: 'Segment', value: 'segment', description: 'One item with the segment and its members' },
	],
	default: 'segment',
	description: 'How to return the segment',
});

const ENDPOINT = 'GET /segments/{id}';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get segment',
	description: 'Get a segment with its members',
	endpoint: ENDPOINT,
	of: segmentParameter,
	fields: [outputField, ...pagingFields],
	prepare: (parameters) => ({
		id: segmentParameter.id(parameters),
		isPerMember: parameters.option('segmentOutput', 'required') === 'members',
		rowLimit: parameters.rowLimit(),
	}),
	run: getSegment,
});

interface GetPlan {
	id: string;
	isPerMember: boolean;
	rowLimit: number;
}

async function getSegment(
	context: OperationContext,
	{ id, isPerMember, rowLimit }: GetPlan,
): Promise<Output[]> {
	const { segment, count, rows: members, gap } = await readSegmentMembers(context, id, rowLimit);
	if (gap) context.notify(gap.notice);
	const notice = missingNotice(members.length, count, rowLimit);
	if (notice !== undefined) context.notify(notice);
	if (isPerMember) return members.map(contactOfMember).map(toOutput);
	const names = [...rowNames(ENDPOINT), ...LIST_NAMES];
	const key = names.find((name) => Array.isArray(segment[name])) ?? 'members';
	return [{ json: { ...segment, [key]: members } }];
}

/** Says which members are left out, so that nobody splits a part of a segment in the belief that it is all of it. */
function missingNotice(
	got: number,
	count: number | undefined,
	rowLimit: number,
): Shown | undefined {
	const isAtLimit = got === rowLimit;
	if (count !== undefined && count > got) {
		const next = isAtLimit ? 'Turn on Return All.' : 'The service does not return the others.';
		return shown`${got} of ${count} members returned. ${next}`;
	}
	return isAtLimit && count !== got
		? shown`${countOf(got, 'member')} returned, and there may be more. Turn on Return All.`
		: undefined;
}
