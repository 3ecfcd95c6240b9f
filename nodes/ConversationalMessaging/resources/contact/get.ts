import { contactParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { sendToContact } from '../shared/numberVariants';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get contact',
	description: 'Get a contact with its custom fields and segments',
	endpoint: 'GET /contacts/{id}',
	of: contactParameter,
	fields: [],
	prepare: contactParameter.id,
	run: async (context, id) => context.outputOf(await sendToContact(context, id)),
});
