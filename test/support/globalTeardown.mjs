import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/** Also what a process has left that had no time to clean up, because Jest ended it. */
export default function tearDown() {
	const folder = tmpdir();
	rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = dirname(folder);
}
