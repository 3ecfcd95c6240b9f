import { createHash } from 'node:crypto';

/** As the sandbox records it of what it receives. */
export const sha256 = (content: string | Uint8Array): string =>
	createHash('sha256').update(content).digest('hex');
