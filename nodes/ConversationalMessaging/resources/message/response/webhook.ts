import {
	type IDataObject,
	type INodeExecutionData,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	SEND_AND_WAIT_OPERATION,
} from 'n8n-workflow';
import { clock } from '../../../api/base/clock';
import { isRecord } from '../../../api/response/response';
import { readAnswer } from './answer';
import { closedPage, expiredPage, PAGE_HEADERS, questionPage, recordedPage } from './page';
import {
	type Question,
	APPROVED_PARAMETER,
	QUESTION_PARAMETER,
	questionIn,
	respondedItem,
} from './question';

/** What is used of n8n's request and response. n8n types them with a web framework that packages do not have. */
interface PageRequest {
	method?: string;
}
interface PageResponse {
	statusCode: number;
	setHeader: (name: string, value: string) => unknown;
	end: (html: string) => unknown;
}

const webhookFor = (httpMethod: 'GET' | 'POST'): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
});

/** The link of a waiting execution. n8n has it for as long as the execution waits at the node. */
export const responseWebhooks: IWebhookDescription[] = [webhookFor('GET'), webhookFor('POST')];

/** Shown over the node on the canvas while the execution waits. */
export const WAITING_TOOLTIP = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "The execution continues once somebody responds" : "" }}`;

/**
 * Responds to the link of Send and Wait for Response. GET shows the question and changes nothing, because scanners and
 * previews in chats open every link. POST answers it and continues the execution.
 */
export async function respond(n8n: IWebhookFunctions): Promise<IWebhookResponseData> {
	const question = questionOf(n8n);
	const query: unknown = n8n.getQueryData();
	const { [QUESTION_PARAMETER]: id, [APPROVED_PARAMETER]: approved } = isRecord(query) ? query : {};
	if (!question || question.id !== id) return sendPage(n8n, 410, closedPage());

	// n8n looks about once a minute whether the time is up.
	if (question.until !== undefined && clock.now() >= question.until)
		return sendPage(n8n, 410, expiredPage(question));

	const link = { approved: approved === 'true' ? true : approved === 'false' ? false : undefined };
	if ((n8n.getRequestObject() as PageRequest).method !== 'POST')
		return sendPage(n8n, 200, questionPage(question, link));

	const body = fieldsOf(n8n);
	const { data, shown, corrections } = readAnswer(question, body);
	if (!data) return sendPage(n8n, 422, questionPage(question, { ...link, body, corrections }));

	// n8n sends this page itself, once it has resumed the execution: of two responses at the same moment, only one can.
	setHeaders(n8n);
	const item: INodeExecutionData = { json: respondedItem(data) };
	return await Promise.resolve({
		webhookResponse: recordedPage(question, shown),
		workflowData: [[item]],
	});
}

/**
 * The fields that were sent. The page sends them as multipart, because n8n 2.41 accepts nothing else for a custom form;
 * n8n then has them in `data`, beside `files`.
 */
function fieldsOf(n8n: IWebhookFunctions): IDataObject {
	const body: unknown = n8n.getBodyData();
	if (!isRecord(body)) return {};
	return isRecord(body.data) ? body.data : body;
}

/**
 * What was asked, as it was saved with the waiting execution. As text, because n8n may return the values of an
 * expression as objects that belong to another context.
 */
function questionOf(n8n: IWebhookFunctions): Question | undefined {
	return questionIn(n8n.evaluateExpression('{{ JSON.stringify($json) }}', 0));
}

function sendPage(n8n: IWebhookFunctions, status: number, html: string): IWebhookResponseData {
	setHeaders(n8n);
	const response = n8n.getResponseObject() as PageResponse;
	response.statusCode = status;
	response.end(html);
	return { noWebhookResponse: true };
}

function setHeaders(n8n: IWebhookFunctions): void {
	const response = n8n.getResponseObject() as PageResponse;
	for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
}
