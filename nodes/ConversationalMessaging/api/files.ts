import { randomBytes } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Connection } from './connection';

/** A stream of Node.js, as n8n hands it out. */
export type FileStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** A file on its way from the service. */
export interface Download {
	stream: FileStream;
	/** From Content-Disposition; undefined when the service names none. */
	fileName?: string;
	mimeType: string;
}

/** A file on its way to the service, with the fields beside it. */
export interface Upload {
	fields: Record<string, string>;
	/** The part that the file is sent as. */
	partName: string;
	fileName: string;
	mimeType: string;
	content: FileContent;
}

/** The content of a file: in memory, or stored by n8n and read as a stream. */
export type FileContent = { text: string } | { stored: string; size: number };

/** A multipart body (RFC 7578) with its headers. It can be sent once: every try makes its own. */
export interface MultipartBody {
	body: unknown;
	headers: { 'Content-Type': string; 'Content-Length': number };
}

/**
 * Makes a multipart body. A stored file is streamed from where n8n keeps it, so that its size does not matter; the
 * length is told, because many servers refuse an upload without it.
 */
export async function multipartBody(
	{ context }: Connection,
	upload: Upload,
): Promise<MultipartBody> {
	const boundary = `----n8n${randomBytes(16).toString('hex')}`;
	const fields = Object.entries(upload.fields).map(
		([name, value]) =>
			`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
	);
	const disposition = `form-data; name="${quoted(upload.partName)}"; filename="${quoted(upload.fileName)}"`;
	const head = `${fields.join('')}--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${upload.mimeType}\r\n\r\n`;
	const tail = `\r\n--${boundary}--\r\n`;
	const contentType = `multipart/form-data; boundary=${boundary}`;
	const { content } = upload;
	if ('text' in content) {
		const body = Buffer.from(head + content.text + tail);
		return { body, headers: { 'Content-Type': contentType, 'Content-Length': body.length } };
	}
	const { helpers } = context as IExecuteFunctions;
	const source = await helpers.getBinaryStream(content.stored);
	// Composed by the stream itself: a generator alone would be sent as nothing at all.
	const body = (source as unknown as Composable).compose(async function* (chunks) {
		yield Buffer.from(head);
		yield* chunks;
		yield Buffer.from(tail);
	});
	const length = Buffer.byteLength(head) + content.size + Buffer.byteLength(tail);
	return { body, headers: { 'Content-Type': contentType, 'Content-Length': length } };
}

/** What a stream of Node.js can do that its types do not tell yet. */
export interface Composable<Piece = unknown> {
	compose: (through: (pieces: AsyncIterable<Piece>) => AsyncIterable<unknown>) => unknown;
}

/** A name inside the quotes of Content-Disposition, as browsers write it (WHATWG HTML, multipart/form-data). */
function quoted(text: string): string {
	return text.replace(/\r?\n|\r/g, '%0D%0A').replace(/"/g, '%22');
}

/** The file name in a Content-Disposition (RFC 6266): the extended form first, never a path. */
export function fileNameIn(disposition: unknown): string | undefined {
	const text = String(disposition ?? '');
	const extended = /filename\*\s*=\s*[\w-]*'[^']*'([^;\s]+)/i.exec(text)?.[1];
	const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(text);
	const name = (extended && decode(extended)) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
	const base = name?.split(/[\\/]/).pop()?.trim();
	return base || undefined;
}

function decode(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
