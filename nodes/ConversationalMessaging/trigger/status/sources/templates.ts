import { MAX_TEMPLATES } from '../../../template/list';
import type { StatusSource } from './source';

/**
 * API document, `GET /templates`: one list without pages, of which `limit` is approximate. No template is returned by its
 * ID, and no value of the approval status is documented.
 */
export const templates: StatusSource = {
	event: 'templateStatusChanged',
	noun: 'template',
	list: 'GET /templates',
	rowsName: 'templates',
	pageSize: MAX_TEMPLATES,
	hasPages: false,
	statuses: (parameters) => parameters.options('templateStatuses'),
	lists: () => [{ status: '' }],
	normalizeStatus: (status) => status,
	showsNewRecords: true,
	filters: { channelId: 'channelId' },
	fieldFilters: { category: 'category', language: 'language' },
	nameOf: ({ record: { name, language, category } }) => ({ name, language, category }),
};
