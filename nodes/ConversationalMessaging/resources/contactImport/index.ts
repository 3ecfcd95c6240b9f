import type { Resource } from '../../runner/operation';
import { downloadTemplate } from './downloadTemplate';
import { get } from './get';
import { getAll } from './getAll';
import { getFailedRows } from './getFailedRows';
import { start } from './start';

export const contactImport: Resource = {
	name: 'Contact Import',
	value: 'contactImport',
	operations: [downloadTemplate, get, getFailedRows, getAll, start],
	defaultOperation: downloadTemplate,
};
