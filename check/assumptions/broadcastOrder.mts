import { orderAssumption } from '../listOrder.mts';

export const broadcastOrder = orderAssumption(
	'broadcasts',
	'The trigger needs more requests to find a change in a long list.',
);
