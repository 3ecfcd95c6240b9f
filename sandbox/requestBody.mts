import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { invalid } from './replies.mts';
import type { Operation } from './validate.mts';

/** An upload for the handlers: text parts as fields, and the one file, whatever its part is called. */
interface Upload {
	fields: Record<string, unknown>;
	file?: UploadedFile;
}

export interface UploadedFile {
	partName: string;
	name: string;
	mimeType: string;
	text: string;
	/** Of its unchanged bytes, in hexadecimal. */
	sha256: string;
}

/** Text parts that represent something other than text. */
const TYPED_FIELDS: Record<string, (text: string) => unknown> = {
	templateComponents: JSON.parse,
	recipients: JSON.parse,
	ttlSeconds: Number,
	// Any other text stays one, which the contract rejects.
	messageActivitySharing: (text) => ({ true: true, false: false })[text] ?? text,
};

/**
 * Reads a multipart body. The document names no parts, so any file part is the file. What a second part of the same kind
 * means is undocumented.
 */
async function readUpload(request: FastifyRequest): Promise<Upload> {
	const upload: Upload = { fields: {} };
	for await (const part of request.parts()) {
		if (part.type === 'file') {
			if (upload.file) throw invalid('An upload has one file');
			const bytes = await part.toBuffer();
			upload.file = {
				partName: part.fieldname,
				name: part.filename,
				mimeType: part.mimetype,
				text: bytes.toString('utf8'),
				sha256: createHash('sha256').update(bytes).digest('hex'),
			};
			continue;
		}
		if (Object.hasOwn(upload.fields, part.fieldname))
			throw invalid(`${part.fieldname} is given twice`);
		const typed = TYPED_FIELDS[part.fieldname] ?? ((text: string) => text);
		try {
			upload.fields[part.fieldname] = typed(String(part.value));
		} catch {
			throw invalid(`${part.fieldname} is not valid JSON`);
		}
	}
	return upload;
}

/** The body of a request: an object from JSON, or the fields of an upload. */
export async function readBody(
	request: FastifyRequest,
	operation: Operation,
): Promise<{ body: unknown; file?: UploadedFile }> {
	const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, unknown> };
	if (request.isMultipart()) {
		if (!('multipart/form-data' in content)) throw invalid('This route accepts no upload');
		const { fields, file } = await readUpload(request);
		return { body: fields, file };
	}
	const raw = request.body as Buffer | undefined;
	if (!raw || raw.length === 0) return { body: 'application/json' in content ? {} : undefined };
	if (!operation.requestBody) throw invalid('This route accepts no body');
	if (!(request.headers['content-type'] ?? '').startsWith('application/json'))
		throw invalid('Content-Type must be application/json');
	try {
		return { body: JSON.parse(raw.toString('utf8')) as unknown };
	} catch {
		throw invalid('The body is not valid JSON');
	}
}
