import type { IDataObject } from 'n8n-workflow';
import type { ServiceResponse } from '../../api/response';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { PreparedBroadcast } from './prepareBroadcast';

/**
 * Sends a prepared broadcast.
 *
 * @param partName the multipart part of a CSV
 */
export async function sendBroadcast(
	context: OperationContext,
	{ body, audience: { content } }: Pick<PreparedBroadcast, 'body' | 'audience'>,
	partName: string,
): Promise<ServiceResponse> {
	switch (content.mode) {
		case 'segment':
			return await context.send({
				body: { ...body, audienceMode: 'segment', segmentId: content.segmentId },
			});
		case 'list':
			return await context.send({
				body: { ...body, audienceMode: 'list', recipients: content.recipients },
			});
		case 'csv':
			return await context.upload({
				...content.file,
				partName,
				fields: asText({ ...body, audienceMode: 'csv' }),
			});
	}
}

/** Form fields of a multipart body: text unchanged, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const entries = Object.entries(withoutUndefined(body));
	const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	return Object.fromEntries(entries.map(([name, value]) => [name, text(value)]));
}
