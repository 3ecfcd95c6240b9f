import {
	layoutOf,
	isHeaderRow,
	IG_ID,
	NAME,
	WA_ID,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importColumns.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { columnsOf, shownColumns } from '../csvColumns.mts';
import { isOk } from '../service.mts';
import { join, literal, say } from '../shown.mts';

export const importTemplateColumns = assumption({
	id: 'import-template-columns',
	question: 'Do the nodes recognize the columns for name and WhatsApp ID in the import template?',
	settles: [
		'getContactImportTemplate: the columns',
		'getContactImportTemplate: the statuses besides 200, 401 and 403',
		'importContacts: the columns of the file',
	],
	otherwise:
		'Start with input items stops with a message that names the missing column. Files are uploaded unchanged, and columns can be named in the node.',
	async observe(service) {
		const reading = await service.read('GET /contacts/import-template', {}, { body: 'csv' });
		return { reading, ...(await columnsOf(reading)) };
	},
	judge({ reading, columns, seen }, { names }) {
		if (!columns)
			return isOk(reading)
				? failsAt(['GET /contacts/import-template', 'POST /contacts/import'], seen)
				: cannotTell(seen);
		const { columnOf } = layoutOf(columns, [NAME, WA_ID, IG_ID]);
		const shown = shownColumns(columns, names).seen;
		const missing = (
			[literal('name'), literal('WhatsApp ID'), literal('Instagram ID')] as const
		).filter((_name, index) => columnOf[index] === undefined);
		const lacks = missing.length > 0 ? [say`not recognized: ${join(missing)}`] : [];
		const isUsable =
			isHeaderRow(columns) &&
			columnOf[0] !== undefined &&
			(columnOf[1] ?? columnOf[2]) !== undefined;
		return isUsable && columnOf[1] !== undefined
			? holds(shown, ...lacks)
			: failsAt(['POST /contacts/import'], shown, ...lacks);
	},
});
