import type { Resource } from '../../runner/operation';
import { create } from './create';
import { downloadCsvTemplate } from './downloadCsvTemplate';
import { get } from './get';
import { getAll } from './getAll';
import { preview } from './preview';

export const broadcast: Resource = {
	name: 'Broadcast',
	value: 'broadcast',
	operations: [create, downloadCsvTemplate, get, getAll, preview],
	defaultOperation: create,
};
