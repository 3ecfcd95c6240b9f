/** Set before n8n-core is loaded: it would otherwise create a folder and a key in the user's home folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = join(tmpdir(), 'n8n-engine-');

// Once per process, although each test file loads this file: n8n-core reads the variables only once.
if (!process.env.N8N_USER_FOLDER?.startsWith(PREFIX)) {
	const folder = mkdtempSync(PREFIX);
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_BINARY_DATA_STORAGE_PATH = join(folder, 'files');
	process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'filesystem';
	process.env.N8N_ENCRYPTION_KEY = 'only-for-this-run';
	process.env.N8N_LOG_LEVEL ??= 'silent';
}
