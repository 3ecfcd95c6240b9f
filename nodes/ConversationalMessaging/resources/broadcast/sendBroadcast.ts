import type { IDataObject } from 'n8n-workflow';
import type { ServiceResponse } from '../../api/response';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { PreparedBroadcast } from './prepareBroadcast';
import type { Start } from './start';

/**
 * Sends a prepared broadcast. Quiet hours may begin while the request waits for the rate limit, so each attempt has its
 * own start.
 *
 * @param partName the multipart part of a CSV
 * @returns the response, and the start that the service accepted
 */
export async function sendBroadcast(
	context: OperationContext,
	{ body, audience: { content }, startNow }: PreparedBroadcast,
	partName: string,
): Promise<{ response: ServiceResponse; start: Start }> {
	let start = startNow();
	const bodyNow = (audience: IDataObject) => () => {
		start = startNow();
		const { scheduleType, sendAt } = start;
		return withoutUndefined({ ...body, scheduleType, sendAt, ...audience });
	};
	const send = async () => {
		if (content.mode === 'csv') {
			const fieldsNow = bodyNow({ audienceMode: 'csv' });
			return await context.upload({ ...content.file, partName, fields: () => asText(fieldsNow()) });
		}
		const { mode: audienceMode, ...audience } = content;
		return await context.send({ body: bodyNow({ audienceMode, ...audience }) });
	};
	const response = await send();
	return { response, start };
}

/** Form fields of a multipart body: text unchanged, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, text(value)]));
}
