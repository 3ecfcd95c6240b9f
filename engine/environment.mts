/** Set before n8n-core is loaded: it would otherwise create a folder and a key in the user's home folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

process.env.N8N_USER_FOLDER = folder;
process.env.N8N_BINARY_DATA_STORAGE_PATH = join(folder, 'files');
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'filesystem';
process.env.N8N_ENCRYPTION_KEY = 'only-for-this-run';
process.env.N8N_LOG_LEVEL ??= 'silent';
