import type { IDataObject } from 'n8n-workflow';
import type { RowLimit } from '../../api/reads/pages';
import { unwrapped } from '../../api/response/record';
import { isRecord, payloadOf } from '../../api/response/response';
import { pagingFields } from '../../descriptions/paging';
import { segmentParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { MEMBER_NAMES } from '../shared/segmentMembers';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get segment',
	description: 'Get a segment with its members',
	endpoint: 'GET /segments/{id}',
	fields: [segmentParameter.field, ...pagingFields],
	prepare: (parameters) => ({
		path: segmentParameter.path(parameters),
		rowLimit: parameters.rowLimit(),
	}),
	run: getSegment,
});

/** The segment of the first page, with the members of all pages. */
async function getSegment(
	context: OperationContext,
	{ path, rowLimit }: { path: { id: string }; rowLimit: RowLimit },
): Promise<Output[]> {
	let first: IDataObject = {};
	let place = ['members'];
	const onFirstPage = (json: unknown, rowsPath: string[]) => {
		const payload = payloadOf(json);
		if (!isRecord(payload)) return;
		first = payload;
		place = memberPlace(rowsPath);
	};
	const request = { path, rowsName: MEMBER_NAMES, onFirstPage };
	const members = await context.readPages(request, 200, rowLimit);
	return [{ json: unwrapped(withValue(first, place, members), get.endpoint) }];
}

/**
 * Puts the members of all pages in place of those of the first page. They also replace a wrapper such as `members: {
 * data: [...], meta: {...} }`, because its counts describe one page.
 */
function memberPlace(rowsPath: string[]): string[] {
	const wrapper = rowsPath.findIndex((key) => MEMBER_NAMES.includes(key));
	return wrapper < 0 ? rowsPath : rowsPath.slice(0, wrapper + 1);
}

function withValue(record: IDataObject, [key, ...rest]: string[], value: unknown): IDataObject {
	const inner = record[key ?? ''];
	const replaced = rest.length > 0 && isRecord(inner) ? withValue(inner, rest, value) : value;
	return { ...record, [key ?? 'members']: replaced } as IDataObject;
}
