import { type Shown, shown } from '../../api/access/shown';
import { permissionIn } from '../../api/endpoint';
import type { ServiceResponse } from '../../api/response/response';
import { templateErrorHint } from '../../template/list';
import { takeOverOption } from './fields';
import { isWindowClosed, WINDOW_STATUSES } from './serviceWindow';

const WINDOW = shown`WhatsApp accepts free-form messages only within 24 hours of the customer’s last message. After that, send an approved template:`;

const AGENT = shown`The contact has no active session. Choose an agent in Send as Agent.`;

/** A conflict without a session, instead of one with the session of another agent. */
const NO_SESSION = /\b(?:no|without)(?: [a-z]{1,20}){0,3} session\b|\bagent_?id is required\b/i;

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
		if (template !== undefined) return template;
		if (!WINDOW_STATUSES.includes(status)) return undefined;
		if (isWindowClosed(response)) return window;
		if (permissionIn(serviceMessage) !== undefined) return undefined;
		if (status === 409) return NO_SESSION.test(serviceMessage) ? AGENT : OTHER_SESSION;
		if (/agent/i.test(serviceMessage) && /session|requir|missing/i.test(serviceMessage))
			return AGENT;
		if (/channel/i.test(serviceMessage)) return CHANNEL;
		return serviceMessage === '' && status === 400 ? shown`${NO_REASON} ${window}` : undefined;
	};
