import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../../../api/base/text';
import { valuesOf } from '../../../api/response/response';
import { titleOf } from '../../title';
import { type StatusSource, listedAt } from './source';

/**
 * API document, `GET /templates`: one list without pages, of which `limit` is approximate. No template is returned by its
 * ID, and no value of the approval status is documented.
 */
export const templates: StatusSource = {
	event: 'templateStatusChanged',
	noun: 'template',
	...listedAt('GET /templates'),
	statuses: (parameters) => parameters.options('templateStatuses'),
	lists: () => [{ status: '' }],
	showsNewRecords: true,
	filters: { channelId: 'channelId' },
	fieldFilters: { category: 'category', language: 'language' },
	nameOf: ({ record }) => {
		const { name, language, category } = record;
		const code = titleOf(language);
		const title = titleOf(name) && titleOf(name) + (code && ` (${code})`);
		return { title, name, language, category, reason: reasonOf(record) };
	},
	example: { name: 'example', language: 'en_US', category: 'UTILITY', status: 'APPROVED' },
};

/** Why a template was rejected, where the record shows it; the platform has NONE otherwise. */
function reasonOf(record: IDataObject): string | undefined {
	const reasons = valuesOf(record, ['rejectionReason', 'rejectedReason', 'reason']).map(textOf);
	return reasons.find((reason) => !['', 'NONE'].includes(reason.trim().toUpperCase()));
}
