import { STATUS_CODES } from 'node:http';
import type { ErrorShape, SandboxOptions } from './options.mts';
import type { ContactField } from './records.mts';
import type { Reply } from './replies.mts';

/** The body of a response that is not a file: the documented envelope, with the configured list shape. */
export function envelope(
	reply: Exclude<Reply, { kind: 'csv' }>,
	lists: SandboxOptions['shapes']['lists'],
): unknown {
	if (reply.kind === 'record')
		return { success: true, data: reply.data, ...(reply.meta && { meta: reply.meta }) };
	const data = lists === 'array' ? reply.rows : { [reply.name]: reply.rows };
	return { success: true, data, meta: reply.meta };
}

/** A broadcast or an import job in a response to creating or reading it: the document shows neither. */
export function jobData(
	{ id, ...fields }: { id: string; [field: string]: unknown },
	type: 'broadcast' | 'import',
	{ jobId, jobIdType, jobUnder }: SandboxOptions['shapes'],
): unknown {
	const name = jobId === 'byType' ? `${type}Id` : jobId;
	const value = jobIdType === 'number' ? Number(id) : id;
	const job = name === 'none' ? fields : { [name]: value, ...fields };
	return jobUnder === 'top' ? job : { [type]: job };
}

/** The custom fields of a contact under one of the names that are usual for such services; the document shows none. */
export function customFieldsData(
	fields: ContactField[],
	shape: SandboxOptions['shapes']['customFields'],
): Record<string, unknown> {
	switch (shape) {
		case 'customFields':
			return { customFields: fields };
		case 'fields':
			return { fields };
		case 'labels':
			return { customFields: fields.map(({ label, value }) => ({ label, value })) };
		case 'hidden':
			return {};
	}
}

/** The custom fields of a contact in a list. */
export function listedFieldsData(
	fields: ContactField[],
	{ listedFields }: SandboxOptions['shapes'],
): Record<string, unknown> {
	if (listedFields !== 'left out') return customFieldsData(fields, listedFields);
	return fields.length === 0 ? {} : { customFields: fields };
}

/** The body of a rejection in one of the shapes that are usual for such services; the document shows none. */
export function errorBody(
	shape: ErrorShape,
	status: number,
	message: string,
): { type: string; body: string } {
	const json = (body: unknown) => ({
		type: 'application/json; charset=utf-8',
		body: JSON.stringify(body),
	});
	const words = STATUS_CODES[status] ?? 'Error';
	switch (shape) {
		case 'string':
			return json({ success: false, error: message });
		case 'object':
			return json({
				success: false,
				error: { code: words.toUpperCase().replace(/ /g, '_'), message },
			});
		case 'message':
			return json({ statusCode: status, error: words, message });
		case 'messages':
			return json({ statusCode: status, error: words, message: [message] });
		case 'errors':
			return json({ success: false, errors: [{ field: 'request', message }] });
		case 'text':
			return { type: 'text/plain', body: message };
		case 'html':
			return {
				type: 'text/html',
				body: `<html><head><title>${status} ${words}</title></head><body><p>${message}</p></body></html>`,
			};
		case 'empty':
			return { type: 'text/plain', body: '' };
	}
}
