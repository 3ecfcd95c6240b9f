import { orderAssumption } from '../listOrder.mts';

export const ticketOrder = orderAssumption(
	'tickets',
	'The trigger assumes no order: it searches lists at both ends, then by halving, then page by page. In another order than that of creation, it needs more requests to find a change in a long list.',
);
