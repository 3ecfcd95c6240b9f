/**
 * Writes the output schemas of the operations into dist/, where n8n looks for them: beside the node, in a folder of the
 * node's version. The last step of the build.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputSchemas } from './outputSchemas.mts';

const FOLDER = new URL(
	'../../dist/nodes/ConversationalMessaging/__schema__/v1.0.0/',
	import.meta.url,
);

// Without those of operations that no longer exist.
rmSync(FOLDER, { recursive: true, force: true });
for (const { resource, operation, schema } of outputSchemas()) {
	const path = fileURLToPath(new URL(`${resource}/${operation}.json`, FOLDER));
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, JSON.stringify(schema, null, '\t'));
}
