import type { Resource } from '../../runner/operation';
import { send } from './send';
import { sendAndWait } from './sendAndWait';

export const message: Resource = {
	name: 'Message',
	value: 'message',
	operations: [send, sendAndWait],
	defaultOperation: send,
};
