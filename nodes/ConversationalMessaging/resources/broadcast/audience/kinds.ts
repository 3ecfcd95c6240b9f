import type { INodeProperties } from 'n8n-workflow';
import { choiceField } from '../../../descriptions/basicFields';
import type { Parameters } from '../../../parameters/parameters';
import type { AudienceKind } from './audience';
import { csvFile } from './csvFile';
import { csvItems } from './csvItems';
import { numbers, numbersOfItems } from './numbers';
import { segment } from './segment';

const KINDS: AudienceKind[] = [csvFile, csvItems, numbers, numbersOfItems, segment];

export function audienceKind(parameters: Parameters): AudienceKind {
	const chosen = parameters.option('audience', 'required');
	return KINDS.find(({ option }) => option.value === chosen) as AudienceKind;
}

/** The values of Audience with a CSV, which contains the variables of each recipient. */
export const CSV_AUDIENCES = KINDS.filter(({ hasCsv }) => hasCsv).map(({ option }) => option.value);

export const audienceFields: INodeProperties[] = [
	choiceField('Audience', 'audience', {
		options: KINDS.map(({ option }) => option),
		default: 'segment',
		description: 'Who receives the broadcast',
		builderHint: {
			propertyHint:
				'For numbers from earlier nodes use items, or csvItems if each recipient has its own values for the template’s variables. With list, each input item makes its own broadcast.',
		},
	}),
	...KINDS.flatMap(({ option, fields }) =>
		fields.map((field) => {
			// By its path, so that a collection is not removed when the audience changes: see runner/properties.ts.
			const name = field.type === 'fixedCollection' ? '/audience' : 'audience';
			return { ...field, displayOptions: { show: { [name]: [option.value] } } };
		}),
	),
];
