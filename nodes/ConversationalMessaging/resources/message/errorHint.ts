import { type Shown, shown } from '../../api/access/shown';
import { permissionIn } from '../../api/endpoint';
import type { ServiceResponse } from '../../api/response/response';
import { templateErrorHint } from '../../template/list';
import { takeOverOption } from './fields';
import { isWindowClosed } from './serviceWindow';

const WINDOW = shown`WhatsApp accepts free-form messages only within 24 hours of the customer’s last message. After that, send an approved template:`;

const AGENT = shown`The contact has no active session. Choose an agent in Send as Agent.`;

const OTHER_SESSION = shown`The contact has a session with another agent. Turn on the option ${takeOverOption.displayName}, choose that agent, or end the session first.`;

const CHANNEL = shown`Messages can be sent on WhatsApp and Instagram channels only. Under Channel, pick one that matches Channel Type.`;

const NO_REASON = shown`The service gives no reason. Check the values of this node.`;

/**
 * The next step for a rejected message (API document, sections Errors and Limits).
 *
 * @param templateStep how to send a template with the fields of the operation
 */
export const sendErrorHint =
	(templateStep: string) =>
	(status: number, serviceMessage: string, response: ServiceResponse): Shown | undefined => {
		const window = shown`${WINDOW} ${templateStep}.`;
		const template = templateErrorHint(status, serviceMessage);
		if (status === 409) return OTHER_SESSION;
		if (template !== undefined) return template;
		if (status !== 400 && status !== 403 && status !== 422) return undefined;
		if (isWindowClosed(response)) return window;
		if (permissionIn(serviceMessage) !== undefined) return undefined;
		if (/agent/i.test(serviceMessage) && /session|requir|missing/i.test(serviceMessage))
			return AGENT;
		if (/channel/i.test(serviceMessage)) return CHANNEL;
		return serviceMessage === '' && status === 400 ? shown`${NO_REASON} ${window}` : undefined;
	};
