import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { isPublicUrl } from '../../api/access/publicUrl';
import { isRecord } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import type { Collection } from '../../parameters/collection';
import type { Parameters } from '../../parameters/parameters';
import { hasExpression } from '../../parameters/savedParameters';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { sendErrorHint } from './errorHint';
import {
	type FilledTemplate,
	type MessagePlan,
	MAX_TEXT,
	readEnvelope,
	readFallback,
	readTemplateMessage,
	recipientOrder,
} from './messagePlan';
import { resumeLink, waitForLink } from './response/links';
import {
	type ApprovalButton,
	type FieldType,
	type FormField,
	type Question,
	type ResponseType,
	APPROVED_PARAMETER,
	DEFAULT_TEXTS,
	QUESTION_PARAMETER,
	timedOutItem,
} from './response/question';
import { sendAndWaitFields } from './sendAndWaitFields';
import { addressed, sendMessage } from './sendMessage';

export const sendAndWait = planned({
	name: 'Send and Wait for Response',
	value: SEND_AND_WAIT_OPERATION,
	action: 'Send message and wait for response',
	description:
		'Send a message with a link, and continue when somebody approves, declines or fills in a form there',
	builderHint:
		'The recipient responds on a web page behind a link, not in the chat. To wait for a chat message, use send with the option Wait for Reply (Minutes), or the trigger. Accepts one item: for more, start one execution per item, with Loop Over Items and Execute Sub-workflow without waiting for its completion. The response is in data of the output, e.g. data.approved.',
	endpoint: 'POST /messages',
	otherEndpoints: ['GET /templates', 'GET /contacts/{id}'],
	returnsNoRecords: true,
	fields: sendAndWaitFields,
	orderingKey: recipientOrder,
	prepare: readPlan,
	run: ask,
	errorHint: sendErrorHint(
		'set Message Type to Template, with [link] as the value of a variable, or add the option Fallback Template',
	),
});

interface Plan {
	question: Question;
	/** How long to wait, in milliseconds; undefined for as long as it takes. */
	waitMs: number | undefined;
	message: (link: (approved?: boolean) => string) => MessagePlan;
}

function readPlan(parameters: Parameters): Plan {
	const items = parameters.n8n.getInputData().length;
	if (items > 1) {
		throw parameters.invalid(
			shown`Send and Wait for Response accepts one item, but got ${items}`,
			'An execution can wait for only one response at a time. For one question per item, use Loop Over Items, then Execute Sub-workflow with this node in the sub-workflow and the option Wait For Sub-Workflow Completion off: the questions are then sent at once. For one question, combine the items before this node.',
		);
	}
	const question = readQuestion(parameters);
	return { question, waitMs: readWait(parameters), message: questionMessage(parameters, question) };
}

async function ask(
	context: OperationContext,
	{ question, waitMs, message }: Plan,
): Promise<Output[]> {
	const link = (approved?: boolean): string =>
		resumeLink(context.n8n, {
			[QUESTION_PARAMETER]: question.id,
			...(approved !== undefined && { [APPROVED_PARAMETER]: String(approved) }),
		});
	const sent = await sendMessage(context, await addressed(context, message(link)));
	const { origin } = new URL(link());
	if (!isPublicUrl(origin)) {
		context.notify(
			shown`The link in the message begins with ${origin}, which only works inside your network. For other recipients, set n8n’s WEBHOOK_URL to a public address.`,
		);
	}
	const until = waitMs === undefined ? undefined : clock.now() + waitMs;
	await waitForLink(context.n8n, until, timedOutItem({ ...question, until }));
	return sent;
}

function readQuestion(parameters: Parameters): Question {
	const responseType = parameters.option('responseType', 'required') as ResponseType;
	const [page] = parameters.collection('options').groups('page');
	return {
		id: clock.uuid(),
		responseType,
		title: page?.text('title') ?? '',
		message: readMessageText(parameters),
		decisions: responseType === 'approval' ? readDecisions(parameters) : [],
		fields: readFields(parameters, responseType, page),
		submitLabel: page?.text('submitLabel') ?? 'Submit',
		language: readLanguage(page),
		texts: {
			recorded: page?.text('recorded') ?? DEFAULT_TEXTS.recorded,
			expired: page?.text('expired') ?? DEFAULT_TEXTS.expired,
			required: page?.text('required') ?? DEFAULT_TEXTS.required,
			invalid: page?.text('invalid'),
		},
	};
}

/** In the message that n8n enters for a human review step: the input of the tool, an object. */
const TOOL_INPUT = /\{\{\s*\$tool\.parameters\s*\}\}/g;

/** The same as an expression that returns text: a parameter per line. */
const TOOL_INPUT_TEXT = `{{ typeof $tool.parameters === 'object' ? Object.entries($tool.parameters ?? {}).map(([name, value]) => name + ': ' + (typeof value === 'object' ? JSON.stringify(value) : value)).join('\\n') : $tool.parameters }}`;

function readMessageText(parameters: Parameters): string {
	const { n8n, itemIndex } = parameters;
	const saved = textOf(n8n.getNode().parameters.message);
	const rendered = hasExpression(saved) ? saved.replace(TOOL_INPUT, () => TOOL_INPUT_TEXT) : saved;
	const text =
		rendered === saved ? '' : textOf(n8n.evaluateExpression(rendered.slice(1), itemIndex));
	const message = text || parameters.verbatim('message', 'required');
	return parameters.readable(parameters.label('message'), message);
}

function readLanguage(page: Collection | undefined): string {
	const language = page?.text('language') ?? 'en';
	if (!page || /^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(language)) return language;
	throw page.invalidValue('language', 'a language code, such as de or pt-BR', language);
}

function readDecisions(parameters: Parameters): ApprovalButton[] {
	const [values] = parameters.groups('approvalOptions');
	const approve = { label: values?.text('approveLabel') ?? 'Approve', approved: true };
	if (values?.option('approvalType') === 'single') return [approve];
	return [approve, { label: values?.text('disapproveLabel') ?? 'Decline', approved: false }];
}

function readFields(
	parameters: Parameters,
	responseType: ResponseType,
	page: Collection | undefined,
): FormField[] {
	if (responseType === 'customForm') return readFormFields(parameters);
	if (responseType === 'approval') return [];
	return [{ label: page?.text('responseLabel') ?? 'Response', type: 'textarea', required: true }];
}

function readFormFields(parameters: Parameters): FormField[] {
	const fields = parameters.groups('formFields').map(readFormField);
	if (fields.length === 0)
		throw parameters.invalid('Form Fields is empty', 'Add a field to the form.');
	const labels = fields.map(({ label }) => label);
	const repeated = labels.find((label, index) => labels.indexOf(label) !== index);
	if (repeated === undefined) return fields;
	throw parameters.invalid(
		shown`Two form fields have the label ${repeated}`,
		'The labels are the keys of the output. Give each field its own.',
	);
}

function readFormField(values: Collection): FormField {
	const type = (values.option('fieldType') ?? 'text') as FieldType;
	return {
		label: values.text('fieldLabel', 'required'),
		type,
		required: values.boolean('requiredField') ?? false,
		placeholder: values.text('placeholder'),
		...(type === 'dropdown' && { options: readChoices(values) }),
	};
}

function readChoices(values: Collection): string[] {
	const choices = [...new Set(values.texts('fieldChoices'))];
	if (choices.length > 0) return choices;
	throw values.invalid('Choices is empty', 'A dropdown list needs at least one choice.');
}

const UNIT_MS: Record<string, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Longer ones are a typing slip, or the wrong unit. */
const MAX_WAIT_DAYS = 366;

function readWait(parameters: Parameters): number | undefined {
	if (!parameters.boolean('limitWaitTime')) return undefined;
	const amount = parameters.number('resumeAmount', 'required');
	const waitMs = amount * (UNIT_MS[parameters.option('resumeUnit', 'required')] ?? NaN);
	if (waitMs > 0 && waitMs <= MAX_WAIT_DAYS * 86_400_000) return waitMs;
	throw parameters.invalidValue(
		'resumeAmount',
		`a time above 0 and up to ${MAX_WAIT_DAYS} days`,
		amount,
	);
}

/** The message, as a function of its links: they exist only once the execution runs. */
function questionMessage(parameters: Parameters, question: Question): Plan['message'] {
	const envelope = readEnvelope(parameters);
	const isTemplate = parameters.option('messageType', 'required') === 'template';
	const fallback = readFallback(parameters, isTemplate);
	if (isTemplate) {
		const fields = 'Template Variables or Template Components';
		const filled = withLink(parameters, readTemplateMessage(parameters), fields);
		return (link) => ({ envelope, template: filled(link()) });
	}
	const filled = fallback && withLink(parameters, fallback, 'Fallback Template Variables');
	const label = parameters.collection('options').text('messageButtonLabel') ?? 'Respond';
	const whole =
		question.decisions.length > 0
			? 'Question with its Approval Options and links'
			: 'Question with its Link Label and link';
	return (link) => {
		const text = parameters.within(MAX_TEXT, whole, textWithLinks(question, label, link));
		const content = { type: 'text', text, previewUrl: false };
		return { envelope, content, fallback: filled?.(link()) };
	};
}

/** A link per line: that is what a chat makes clickable. */
function textWithLinks(
	{ message, decisions }: Question,
	label: string,
	link: (approved?: boolean) => string,
): string {
	const lines =
		decisions.length > 0
			? decisions.map((decision) => `${decision.label}: ${link(decision.approved)}`)
			: [`${label}: ${link()}`];
	return [message.trimEnd(), '', ...lines].join('\n');
}

const PLACEHOLDER = '[link]';

/** @param fields where its values are entered, for the message */
function withLink<T extends FilledTemplate>(
	parameters: Parameters,
	filled: T,
	fields: string,
): (link: string) => T {
	const { components } = filled;
	if (!JSON.stringify(components ?? []).includes(PLACEHOLDER)) {
		throw parameters.invalid(
			`The values of the template do not contain ${PLACEHOLDER}, so nobody could respond`,
			shown`Enter ${PLACEHOLDER} as the value of one variable in ${fields}. In a URL button, it becomes the part of the link after the domain.`,
		);
	}
	return (link) => ({
		...filled,
		components: components?.map((component) =>
			replaced(component, isButton(component) ? endOf(link) : link),
		),
	});
}

const isButton = (component: unknown): boolean =>
	isRecord(component) && textOf(component.type).toLowerCase() === 'button';

/** The variable of a URL button is the end of its URL: the template has "https://n8n.example.com/{{1}}". */
const endOf = (link: string): string => link.slice(new URL(link).origin.length + 1);

function replaced(value: unknown, link: string): unknown {
	if (typeof value === 'string') return value.split(PLACEHOLDER).join(link);
	if (Array.isArray(value)) return value.map((entry) => replaced(entry, link));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, replaced(inner, link)]),
	);
}
