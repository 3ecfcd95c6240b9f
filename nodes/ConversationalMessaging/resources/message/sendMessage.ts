import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { isPublicUrl } from '../../api/access/publicUrl';
import { shown } from '../../api/access/shown';
import type { ServiceResponse } from '../../api/response/response';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';
import { type Output, withFields } from '../../runner/output';
import { listedTemplate, resolveTemplate, unapprovedStatus } from '../../template/list';
import { textWithBlanks } from '../../template/text';
import { whyUnfilled } from '../../template/values';
import { showsVariables, variablesOf } from '../../template/variables';
import { sendForContact } from '../shared/numberVariants';
import { addressToSendTo } from '../shared/recipient';
import { sentOutputs } from '../shared/sentOutputs';
import type { Envelope, FallbackTemplate, FilledTemplate, MessagePlan } from './messagePlan';
import { isWindowClosed, WINDOW_STATUSES } from './serviceWindow';

/** A rejection names the template: the message itself has no variables to correct. */
const FALLBACK_ACTION = 'Send fallback template';

/** The message with the address of its recipient. */
export async function addressed(
	context: OperationContext,
	plan: MessagePlan,
): Promise<MessagePlan> {
	const { to, channel } = plan.envelope;
	const envelope = { ...plan.envelope, to: await addressToSendTo(context, to, channel) };
	return { ...plan, envelope };
}

/** Sends a message, or its fallback template if WhatsApp's customer service window is closed. */
export async function sendMessage(context: OperationContext, plan: MessagePlan): Promise<Output[]> {
	const { envelope } = plan;
	if (!plan.content) return await sendTemplate(context, envelope, plan.template);
	const { content, file, fallback } = plan;
	if (fallback) await requireFallback(context, fallback, envelope.channelId);
	// Not earlier: a message may have waited for the rate limit longer than the link is valid.
	const media = file && { mediaUrl: mediaLink(context, file) };
	const body = { ...envelope, ...content, ...media };
	if (!fallback) return sentOutputs(context, 'message', await post(context, body));
	const response = await post(context, body, { acceptStatuses: WINDOW_STATUSES });
	if (isWindowClosed(response)) {
		const sent = await sendTemplate(context, envelope, fallback, { action: FALLBACK_ACTION });
		return withFields(sent, { sentAs: 'fallbackTemplate' });
	}
	return withFields(sentOutputs(context, 'message', response), { sentAs: 'message' });
}

/** How long the service can download a file from n8n. */
const LINK_EXPIRY = '1 hour';

/** A link to a file that anybody can open for a limited time. */
function mediaLink(context: OperationContext, file: IBinaryData): string {
	const link = context.n8n.helpers.createBinarySignedUrl(file, LINK_EXPIRY);
	// A service in the same network as n8n can open its private address.
	if (isPublicUrl(link) || !isPublicUrl(context.client.baseUrl)) return link;
	throw context.invalid(
		shown`The service cannot download the file from n8n, because ${new URL(link).origin} is not a public address`,
		'Set n8n’s WEBHOOK_URL to its public address, or set Media Source to URL.',
	);
}

const TOO_LATE =
	'After 24 hours, the customer would receive nothing. Choose an approved template from the list.';

/**
 * Checks the fallback template before the message is sent: it is needed when it is too late, and the customer would receive
 * nothing.
 */
async function requireFallback(
	context: OperationContext,
	{ template, ids }: FallbackTemplate,
	channelId: string | undefined,
): Promise<void> {
	let row: IDataObject | undefined;
	try {
		row = await listedTemplate(context, template, channelId);
	} catch (error) {
		context.throwIfStopped();
		// The message itself needs no template.
		context.notify(shown`Fallback Template was not checked. ${(error as Error).message}`);
		return;
	}
	if (!row) {
		context.notify(shown`Fallback Template is not in the service’s list. ${TOO_LATE}`);
		return;
	}
	const status = unapprovedStatus(row);
	if (status !== undefined)
		context.notify(shown`Fallback Template is not approved: its status is ${status}. ${TOO_LATE}`);
	const listed = row.components;
	if (!showsVariables(listed)) return;
	const variables = variablesOf(listed);
	const surplus = ids.find((id) => !variables.some((variable) => variable.id === id));
	const message =
		surplus === undefined
			? whyUnfilled(listed, ids)?.message
			: shown`The template has no variable ${surplus.replace(/^body:/, '')}`;
	if (message === undefined) return;
	throw context.invalid(
		shown`Fallback Template: ${message}`,
		shown`Nothing was sent. Correct the values under Fallback Template Variables, or choose another template. Its text: ${textWithBlanks(listed)}`,
	);
}

async function sendTemplate(
	context: OperationContext,
	envelope: Envelope,
	{ template: chosen, components }: FilledTemplate,
	request: Pick<OperationRequest, 'action'> = {},
): Promise<Output[]> {
	const { template } = await resolveTemplate(context, chosen, envelope.channelId);
	const body = {
		...envelope,
		type: 'template',
		templateName: template.name,
		templateLanguage: template.language,
		templateComponents: components,
	};
	return sentOutputs(context, 'message', await post(context, body, request));
}

const post = async (
	context: OperationContext,
	body: Envelope & IDataObject,
	request: OperationRequest = {},
): Promise<ServiceResponse> =>
	await sendForContact(context, { waId: body.to }, [404], ({ waId: to }) => ({
		...request,
		body: { ...body, to },
	}));
