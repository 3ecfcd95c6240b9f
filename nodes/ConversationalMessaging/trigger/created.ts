import type { IDataObject } from 'n8n-workflow';
import { sentAt } from '../api/response/chatMessage';
import { isRecord, valuesOf } from '../api/response/response';

/** Possible names of a record's creation time; undocumented. */
const CREATED = ['createdAt', 'created'];

/** When a record was created, by the service's clock, in milliseconds since the epoch; 0 if it does not show it. */
export function createdAt(record: unknown): number {
	const [time] = isRecord(record) ? valuesOf(record, CREATED) : [];
	return sentAt({ time } as IDataObject) ?? 0;
}
