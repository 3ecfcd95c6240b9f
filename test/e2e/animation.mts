/**
 * An animated picture in the WebP format from single ones. Chromium encodes still pictures only; the container around
 * several of them is simple: https://developers.google.com/speed/webp/docs/riff_container
 */

/** A still picture, as Chromium encodes it. */
export interface Frame {
	webp: Buffer;
	/** How long it is shown. */
	ms: number;
}

/** Parts of a file that contain pixels; the others describe it. */
const PIXELS = ['ALPH', 'VP8 ', 'VP8L'];

const IS_ANIMATED = 0x02;
/** A frame replaces the one before, also where it is transparent. */
const REPLACES = 0x02;

/** Frames of one size as one file, which repeats without end. */
export function animation(frames: Frame[], width: number, height: number): Buffer {
	const size = [uint24(width - 1), uint24(height - 1)];
	return chunk(
		'RIFF',
		Buffer.from('WEBP'),
		chunk('VP8X', Buffer.from([IS_ANIMATED, 0, 0, 0]), ...size),
		// Background color, and how often it is shown: without end.
		chunk('ANIM', Buffer.alloc(4), Buffer.alloc(2)),
		...frames.map(({ webp, ms }) =>
			// At the upper left corner.
			chunk('ANMF', Buffer.alloc(6), ...size, uint24(ms), Buffer.from([REPLACES]), pixels(webp)),
		),
	);
}

function chunk(name: string, ...content: Buffer[]): Buffer {
	const body = Buffer.concat(content);
	const head = Buffer.alloc(8);
	head.write(name);
	head.writeUInt32LE(body.length, 4);
	return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function uint24(value: number): Buffer {
	const bytes = Buffer.alloc(3);
	bytes.writeUIntLE(value, 0, 3);
	return bytes;
}

function pixels(webp: Buffer): Buffer {
	const parts: Buffer[] = [];
	for (let at = 12; at < webp.length; ) {
		const length = webp.readUInt32LE(at + 4);
		const end = at + 8 + length + (length % 2);
		if (PIXELS.includes(webp.toString('latin1', at, at + 4))) parts.push(webp.subarray(at, end));
		at = end;
	}
	return Buffer.concat(parts);
}
