import { textField } from './basicFields';

/** The option of an operation whose effect cannot be taken back: `resources/shared/sendOnce.ts` reads it. */
export const sendOnceField = textField('Send Once Key', 'sendOnceKey', {
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'Send at most once per value, such as an order ID, even across runs. Items whose value was already used return sent: false. If the node serves several organizations, include the organization in the value. The node remembers 10,000 values. With several n8n processes, one can be lost.',
});
