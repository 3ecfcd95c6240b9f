import type { INodeProperties } from 'n8n-workflow';
import { numberField, toggleField } from './basicFields';

export const pagingFields: INodeProperties[] = [
	toggleField('Return All', 'returnAll', {
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	}),
	numberField('Limit', 'limit', {
		typeOptions: { minValue: 1 },
		default: 50,
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	}),
];

/** The fields of a list: Return All and Limit come before its collections. */
export function withPaging(fields: INodeProperties[]): INodeProperties[] {
	const isCollection = ({ type }: INodeProperties): boolean => type === 'collection';
	return [
		...fields.filter((field) => !isCollection(field)),
		...pagingFields,
		...fields.filter(isCollection),
	];
}
