import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files in a folder and in the folders below, without those that npm installed. */
export function filesIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (!entry.isDirectory()) return [path];
		return entry.name === 'node_modules' ? [] : filesIn(path);
	});
}
