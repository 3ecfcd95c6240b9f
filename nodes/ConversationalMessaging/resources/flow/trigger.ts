import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_CHANNEL_TYPE } from '../../descriptions/channelTypes';
import { optionsCollection } from '../../descriptions/collections';
import { locator, textMode } from '../../descriptions/locator';
import { numberCountryField } from '../../descriptions/numberCountry';
import { channelField, recipientField } from '../../descriptions/records';
import { sendOnceField } from '../../descriptions/sendOnce';
import type { Parameters } from '../../parameters/parameters';
import { customerId } from '../../phone/customerId';
import { planned } from '../../runner/operation';
import { sendForContact } from '../shared/numberVariants';
import { addressToSendTo, LOOK_UP } from '../shared/recipient';
import { readOnceKey, sendOnce } from '../shared/sendOnce';
import { sentOutputs } from '../shared/sentOutputs';

const fields: INodeProperties[] = [
	recipientField(
		'12025550143 or US.13491208655302741918',
		'The contact: a phone number with country code, a business-scoped user ID, or the ID of a contact, e.g. from a ticket',
	),
	locator({
		displayName: 'Flow',
		name: 'flowId',
		search: 'searchFlows',
		example: 'cm4k2w8qx0001v8l4a1b2c3d4',
		required: true,
		modes: [textMode('By Keyword', 'keyword', { placeholder: 'e.g. welcome' })],
		description: 'The flow to start',
	}),
	optionsCollection([
		channelField('The channel of the contact’s chat'),
		numberCountryField,
		sendOnceField,
	]),
];

const recipient = (parameters: Parameters) => parameters.requiredRecipient('to');

export const trigger = planned({
	name: 'Trigger',
	value: 'trigger',
	action: 'Trigger flow',
	description: 'Start a flow for a contact. Uses flow_trigger credits.',
	endpoint: 'POST /flows/trigger',
	otherEndpoints: [LOOK_UP],
	fields,
	orderingKey: (parameters) => customerId(recipient(parameters)).key,
	prepare(parameters) {
		const id = parameters.id('flowId', 'required');
		const isKeyword = parameters.choice('flowId')?.mode === 'keyword';
		const flow = isKeyword ? { flowKeyword: id } : { flowId: id };
		const channelId = parameters.collection('options').id('channelId');
		return {
			body: { to: recipient(parameters), channelId, ...flow },
			onceKey: readOnceKey(parameters),
		};
	},
	run: async (context, { body, onceKey }) =>
		await sendOnce(context, 'flow', onceKey, async () => {
			const to = await addressToSendTo(context, body.to, DEFAULT_CHANNEL_TYPE);
			const response = await sendForContact(context, { waId: to }, [404], (ids) => ({
				body: { ...body, to: ids.waId },
			}));
			return { outputs: sentOutputs(context, 'flow', response) };
		}),
});
