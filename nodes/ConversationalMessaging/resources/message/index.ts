import type { Resource } from '../operation';
import { send } from './send';

export const message: Resource = { name: 'Message', value: 'message', operations: [send] };
