import { statusOf } from '../api/response/response';
import { capitalized } from '../api/base/text';
import { chosenChannel } from '../parameters/editor';
import {
	MAX_TEMPLATES,
	TEMPLATE_LIST,
	formatTemplate,
	templateFromRow,
} from '../parameters/template';
import { searchMethod } from './search';

/**
 * Templates of the chosen channel. The entry's value contains all that the service may ask for: ID, name and
 * language.
 */
export const searchTemplates = searchMethod({
	...TEMPLATE_LIST,
	paged: false,
	query: (n8n) => ({ limit: MAX_TEMPLATES, channelId: chosenChannel(n8n) }),
	toEntry: (row) => {
		const template = templateFromRow(row);
		if (!template) return undefined;
		const { name, language, category = '' } = template;
		const status = statusOf(row);
		const isApproved = status === undefined || /^approved$/i.test(status);
		const details = [language, inWords(category), isApproved ? '' : inWords(status)];
		return {
			name: [name, ...details.filter((detail) => detail !== '')].join(' · '),
			value: formatTemplate(template),
		};
	},
});

/** "UTILITY" as "Utility", "IN_REVIEW" as "In review". */
const inWords = (constant: string): string =>
	capitalized(constant.replace(/_/g, ' ').toLowerCase());
