import { orderAssumption } from '../listOrder.mts';

export const ticketOrder = orderAssumption(
	'tickets',
	'The trigger needs more requests to find a change in a long list.',
);
