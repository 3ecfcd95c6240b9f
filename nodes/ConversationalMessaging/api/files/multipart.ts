import { randomBytes } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { N8nFunctions } from '../client';
import { type FileStream, PieceReader } from '../base/streams';
import { TimeLimit, timeouts } from '../timeLimit';

/** A file for the service, with the form fields sent along. */
export interface Upload {
	/** Called for each attempt. */
	fields?: () => Record<string, string>;
	partName: string;
	fileName: string;
	mimeType: string;
	content: FileContent;
}

/** The content of a file: in memory, or stored by n8n and read as a stream. */
export type FileContent = { bytes: Uint8Array } | { stored: string };

/** A multipart body (RFC 7578) with its headers. It can be sent only once: every attempt makes its own. */
export interface MultipartBody {
	body: Buffer | FileStream;
	headers: { 'Content-Type': string; 'Content-Length': number };
	/** The stored file that the body reads, open until it is closed. */
	source?: PieceReader;
}

/**
 * Makes the multipart body of an upload, for each attempt another one. A stored file is streamed from n8n's storage, so that its size does not matter. The length
 * is sent too, because many servers reject an upload without it.
 *
 * @throws when n8n cannot open the stored file
 */
export const multipart =
	(upload: Upload) =>
	async (client: FileReader): Promise<MultipartBody> => {
		const boundary = `----n8n${randomBytes(16).toString('hex')}`;
		const head = Buffer.from(headOf(upload, boundary));
		const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
		const contentType = `multipart/form-data; boundary=${boundary}`;
		const headers = (size: number) => ({
			'Content-Type': contentType,
			'Content-Length': head.length + size + tail.length,
		});
		const { content } = upload;
		if ('bytes' in content) {
			const body = Buffer.concat([head, content.bytes, tail]);
			return { body, headers: headers(content.bytes.length) };
		}
		const { source, size } = await openStored(client, content.stored);
		const body = source.streamOf(async function* (pieces) {
			yield head;
			yield* pieces;
			yield tail;
		});
		return { body, headers: headers(size), source };
	};

/** Who reads a stored file: a client. */
interface FileReader {
	n8n: N8nFunctions;
	signal?: AbortSignal;
}

/**
 * Opens a stored file, to be closed by the caller. n8n's storage may be a service that never answers, so it has a time for each
 * answer.
 *
 * @returns its size in bytes, as n8n recorded it
 * @throws when n8n cannot open it in time, or the execution was stopped
 */
export async function openStored(
	{ n8n, signal }: FileReader,
	id: string,
): Promise<{ source: PieceReader; size: number }> {
	const { helpers } = n8n as IExecuteFunctions;
	const maxSilenceMs = timeouts.storage;
	const limit = new TimeLimit(maxSilenceMs, signal);
	try {
		const { fileSize: bytes } = await limit.wait(helpers.getBinaryMetadata(id));
		const opening = helpers.getBinaryStream(id);
		const stream = await limit.wait(opening, (late) => new PieceReader(late).close());
		const size = { bytes, source: 'n8n recorded' };
		return { source: new PieceReader(stream, { size, maxSilenceMs }), size: bytes };
	} finally {
		limit.end();
	}
}

function headOf(upload: Upload, boundary: string): string {
	const fields = Object.entries(upload.fields?.() ?? {}).map(
		([name, value]) =>
			`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
	);
	const disposition = `form-data; name="${quoted(upload.partName)}"; filename="${quoted(upload.fileName)}"`;
	return `${fields.join('')}--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${mimeTypeOf(upload)}\r\n\r\n`;
}

/** In one line of printable ASCII: anything else could inject a header. */
const mimeTypeOf = ({ mimeType }: Upload): string =>
	/^[!-.0-~]+\/[ -~]+$/.test(mimeType) ? mimeType : 'application/octet-stream';

/**
 * A name inside the quotes of Content-Disposition, in UTF-8 as browsers write it (WHATWG HTML, multipart/form-data).
 * Browsers escape line breaks and quotes. Other control characters and backslashes are removed too: a parser that
 * treats a backslash as an escape would not find the closing quote.
 */
function quoted(text: string): string {
	return text.replace(/[\p{Cc}"\\]/gu, (character) => encodeURIComponent(character));
}
