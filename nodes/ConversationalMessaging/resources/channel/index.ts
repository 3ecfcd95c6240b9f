import type { Resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';

export const channel: Resource = { name: 'Channel', value: 'channel', operations: [get, getAll] };
