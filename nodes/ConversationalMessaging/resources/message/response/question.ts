import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../../api/base/clock';
import { isRecord } from '../../../api/response/response';

export type ResponseType = 'approval' | 'customForm' | 'freeText';

export interface ApprovalButton {
	label: string;
	approved: boolean;
}

export type FieldType = 'date' | 'dropdown' | 'email' | 'number' | 'text' | 'textarea';

export interface FormField {
	/** Its label on the page, and its key in the output. */
	label: string;
	type: FieldType;
	required: boolean;
	placeholder?: string;
	options?: string[];
}

/**
 * What a recipient is asked: everything that the page behind the link shows. It is saved with the waiting execution,
 * so that the page shows what was sent, even if the expressions of the node would return something else by then.
 */
export interface Question {
	/**
	 * Part of its links. n8n signs links with the IDs of execution and node, which are the same in every round of a
	 * loop: without its own ID, the link of the first round would answer the second.
	 */
	id: string;
	responseType: ResponseType;
	title: string;
	message: string;
	/** For an approval; otherwise []. */
	decisions: ApprovalButton[];
	/** For a form or free text; otherwise []. */
	fields: FormField[];
	submitLabel: string;
	/** The language of the page, as a BCP 47 tag, e.g. "en". */
	language: string;
	texts: PageTexts;
	/** From this moment on, a response does not count: milliseconds since the epoch; undefined for no limit. */
	until?: number;
}

export interface PageTexts {
	/** After a response, which replaces `[response]`. */
	recorded: string;
	expired: string;
	/** At a required field that is empty, and as what the asterisk means. */
	required: string;
	/** At a field whose value cannot be accepted; undefined for a text that says what is expected. */
	invalid?: string;
}

/** In the text `recorded`: what the recipient has responded. */
export const RESPONSE_PLACEHOLDER = '[response]';

/** What the pages say unless the option Page Texts has others. */
export const DEFAULT_TEXTS: PageTexts = {
	recorded: `Recorded: ${RESPONSE_PLACEHOLDER}\n\nThank you. You can close this page.`,
	expired: 'This link has expired: the time to respond has passed.',
	required: 'This field is required.',
};

/** The parameters in the query of a link. */
export const QUESTION_PARAMETER = 'question';
export const APPROVED_PARAMETER = 'approved';

/**
 * The item that continues once somebody has responded. `respondedAt` is where n8n's own nodes have it, and of two with
 * this name, the time is kept: a form may have a field with this label.
 */
export function respondedItem(data: IDataObject): IDataObject {
	const respondedAt = new Date(clock.now()).toISOString();
	return { timedOut: false, data: { ...data, respondedAt } };
}

/**
 * The item that continues if nobody has responded in time. It has no field of the input item: an earlier approval in
 * there would look like this one.
 */
export function timedOutItem(question: Question): IDataObject {
	return {
		timedOut: true,
		data: question.responseType === 'approval' ? { approved: false } : {},
		question,
	};
}

/** The question in the JSON text of a `timedOutItem`; undefined if there is none. */
export function questionIn(json: unknown): Question | undefined {
	if (typeof json !== 'string') return undefined;
	const item: unknown = JSON.parse(json);
	const question = isRecord(item) ? item.question : undefined;
	return isRecord(question) && typeof question.id === 'string'
		? (question as unknown as Question)
		: undefined;
}
