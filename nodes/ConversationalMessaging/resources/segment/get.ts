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

/**
 * The segment of the first page, with the members of all pages in place of that page's. They also replace a wrapper such as
 * `members: { data: [...], meta: {...} }`, because its counts describe one page.
 */
async function getSegment(
	context: OperationContext,
	{ path, rowLimit }: { path: { id: string }; rowLimit: RowLimit },
): Promise<Output[]> {
	let payload: IDataObject = {};
	let place = ['members'];
	const onFirstPage = (json: unknown, rowsPath: string[]) => {
		const found = payloadOf(json);
		if (!isRecord(found)) return;
		payload = found;
		const wrapper = rowsPath.findIndex((key) => MEMBER_NAMES.includes(key));
		place = wrapper < 0 ? rowsPath : rowsPath.slice(0, wrapper + 1);
	};
	const request = { path, rowsName: MEMBER_NAMES, onFirstPage };
	const members = await context.readPages(request, 200, rowLimit);
	const [key = 'members', ...outer] = place.reverse();
	const holder = outer.reduceRight((record, name) => record[name] as IDataObject, payload);
	holder[key] = members as IDataObject[];
	return [{ json: unwrapped(payload, get.endpoint) }];
}
