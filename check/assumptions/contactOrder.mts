import { orderAssumption } from '../listOrder.mts';

export const contactOrder = orderAssumption(
	'contacts',
	'Get Many and Export assume no order. Get Many with a limit then returns other contacts than the newest.',
);
