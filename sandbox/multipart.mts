import type { FastifyRequest } from 'fastify';
import { invalid } from './replies.mts';

/** An upload as the handlers take it: text parts as fields, and the one file whatever its part is called. */
export interface Upload {
	fields: Record<string, unknown>;
	file?: { name: string; text: string };
}

/** Text parts that stand for something else than text. */
const TYPED_FIELDS: Record<string, (text: string) => unknown> = {
	templateComponents: JSON.parse,
	recipients: JSON.parse,
	ttlSeconds: Number,
	messageActivitySharing: (text) => text === 'true',
};

/** Reads a multipart body. The document names no part, so any file part is the file. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
	const upload: Upload = { fields: {} };
	for await (const part of request.parts()) {
		if (part.type === 'file') {
			upload.file = {
				name: part.filename,
				text: (await part.toBuffer()).toString('utf8').replace(/^\uFEFF/, ''),
			};
			continue;
		}
		const typed = TYPED_FIELDS[part.fieldname] ?? ((text: string) => text);
		try {
			upload.fields[part.fieldname] = typed(String(part.value));
		} catch {
			throw invalid(`${part.fieldname} is not valid JSON`);
		}
	}
	return upload;
}
