import { chosenChannel } from '../parameters/editor';
import { MAX_TEMPLATES, TEMPLATE_LIST, templateKey, templateOf } from '../parameters/template';
import { listEntry, searchMethod } from './search';

/**
 * Templates of the chosen channel. The entry's value contains all that the service may ask for: ID, name and
 * language.
 */
export const searchTemplates = searchMethod({
	...TEMPLATE_LIST,
	paged: false,
	query: (context) => ({ limit: MAX_TEMPLATES, channelId: chosenChannel(context) }),
	toEntry: (row) => {
		const template = templateOf(row);
		if (!template) return undefined;
		return listEntry(
			templateKey(template),
			template.name,
			template.language,
			row.category,
			row.status,
		);
	},
});
