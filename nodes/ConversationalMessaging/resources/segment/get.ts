import { isRecord, listKeyOf, payloadOf } from '../../api/answer';
import type { IDataObject } from 'n8n-workflow';
import { pagingFields } from '../../fields/paging';
import { segmentField } from '../../fields/records';
import type { Operation } from '../operation';

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
		const wanted = parameters.wanted();

		return async ({ list }) => {
			let details: IDataObject = {};
			const seeFirst = (json: unknown) => {
				const payload = payloadOf(json);
				if (isRecord(payload)) details = payload;
			};
			const members = await list(
				'GET /segments/{id}',
				{ path },
				{ rowsName: 'members', pageSize: 200, wanted, seeFirst },
			);
			// The members of all pages stand where those of the first page stood.
			return [
				{
					json: {
						...details,
						[listKeyOf(details, 'members') ?? 'members']: members as IDataObject[],
					},
				},
			];
		};
	},
};
