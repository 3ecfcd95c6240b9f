import type { IBinaryData } from 'n8n-workflow';
import { isPublicUrl } from '../../api/access/publicUrl';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { withFields } from '../../runner/output';
import { resolveTemplate } from '../shared/template';
import { isUnsent, sentOutputs } from '../shared/sentOutputs';
import type { Envelope, FilledTemplate, MessagePlan } from './messagePlan';
import { isWindowClosed } from './serviceWindow';

/** How long the service can download a file from n8n. */
const LINK_EXPIRY = '1 hour';

/** Sends a message, or its fallback template if WhatsApp's customer service window is closed. */
export async function sendMessage(context: OperationContext, plan: MessagePlan): Promise<Output[]> {
	const { envelope } = plan;
	if (!plan.content) return await sendTemplate(context, envelope, plan.template);
	const { content, file, fallback } = plan;
	// Not earlier: a message may have waited for the rate limit longer than the link is valid.
	const media = file && { mediaUrl: linkTo(context, file) };
	const body = withoutUndefined({ ...envelope, ...content, ...media });
	if (!fallback) return sentOutputs(context, 'message', await context.send({ body }));
	const response = await context.send({ body, acceptStatuses: [200, 201, 400, 403, 422] });
	if (!isUnsent(response, context.operation.endpoint))
		return withSentAs(sentOutputs(context, 'message', response), 'message');
	if (!isWindowClosed(response)) throw context.responseError(response);
	return withSentAs(await sendTemplate(context, envelope, fallback), 'fallbackTemplate');
}

/**
 * A link to a file that anybody can open for a limited time.
 *
 * @throws NodeOperationError if the service could not open it
 */
function linkTo(context: OperationContext, file: IBinaryData): string {
	const link = context.n8n.helpers.createBinarySignedUrl(file, LINK_EXPIRY);
	// A service in the same network as n8n can open its private address.
	if (isPublicUrl(link) || !isPublicUrl(context.client.baseUrl)) return link;
	throw context.invalid(
		`The service cannot download the file from n8n, because ${new URL(link).origin} is not a public address`,
		'Set n8n’s WEBHOOK_URL to its public address, or set Media Source to URL.',
	);
}

async function sendTemplate(
	context: OperationContext,
	envelope: Envelope,
	{ template, components }: FilledTemplate,
): Promise<Output[]> {
	const { name, language } = await resolveTemplate(context, template, envelope.channelId);
	const body = withoutUndefined({
		...envelope,
		type: 'template',
		templateName: name,
		templateLanguage: language,
		templateComponents: components,
	});
	return sentOutputs(context, 'message', await context.send({ body }));
}

/** Adds which of the two was sent. */
function withSentAs(outputs: Output[], sentAs: 'message' | 'fallbackTemplate'): Output[] {
	return outputs.map((output) => withFields(output, { sentAs }));
}
