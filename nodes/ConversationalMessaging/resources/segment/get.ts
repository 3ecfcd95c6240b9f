import { isRecord, payloadOf } from '../../api/response';
import type { IDataObject } from 'n8n-workflow';
import { pagingFields } from '../../descriptions/paging';
import { segmentField } from '../../descriptions/records';
import type { Operation } from '../operation';

/** Possible names of a segment's members, which are contacts. */
const MEMBER_NAMES = ['members', 'contacts'];

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get segment',
	description: 'Get a segment with its members',
	endpoint: 'GET /segments/{id}',
	fields: [segmentField({ required: true }), ...pagingFields],
	result: 'steps',
	prepare(parameters) {
		const path = { id: parameters.requiredId('segmentId') };
		const rowLimit = parameters.rowLimit();

		return async ({ list }) => {
			let first: IDataObject = {};
			let place = ['members'];
			const onFirstPage = (json: unknown, rowsPath: string[]) => {
				const payload = payloadOf(json);
				if (!isRecord(payload)) return;
				first = payload;
				place = memberPlace(rowsPath);
			};
			const members = await list(
				'GET /segments/{id}',
				{ path },
				{ rowsName: MEMBER_NAMES, pageSize: 200, rowLimit, onFirstPage },
			);
			return [{ json: withValue(first, place, members) }];
		};
	},
};

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
