import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { withOwn } from '../../runner/output';
import { resolveTemplate } from '../shared/resolveTemplate';
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
	const media = file && { mediaUrl: context.linkTo(file, LINK_EXPIRY) };
	const body = withoutUndefined({ ...envelope, ...content, ...media });
	if (!fallback) return sentOutputs(context, 'message', await context.send({ body }));
	const response = await context.send({ body, acceptStatuses: [200, 201, 400, 403, 422] });
	if (!isUnsent(response, context.operation.endpoint))
		return withSentAs(sentOutputs(context, 'message', response), 'message');
	if (!isWindowClosed(response)) throw context.responseError(response);
	return withSentAs(await sendTemplate(context, envelope, fallback), 'fallbackTemplate');
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
	return outputs.map((output) => withOwn(output, { sentAs }));
}
