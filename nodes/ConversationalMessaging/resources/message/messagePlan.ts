import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { capitalized } from '../../api/base/text';
import { channelType } from '../../descriptions/channelTypes';
import type { Collection } from '../../parameters/collection';
import type { Parameters } from '../../parameters/parameters';
import { formatValue, readWebUrl } from '../../parameters/values';
import { binaryFile } from '../../runner/itemFile';
import { type ChosenTemplate, readTemplate, requiredTemplate } from '../../template/chosen';
import { componentsFrom, readVariables, sentValue } from '../../template/values';

/** A message as the user set it up: a template, or free-form content with a template in reserve. */
export type MessagePlan = { envelope: Envelope } & (
	| { template: FilledTemplate; content?: undefined }
	| {
			content: IDataObject;
			/** The media, if it is a file of n8n: the service downloads it from a link. */
			file?: IBinaryData;
			fallback?: FallbackTemplate;
	  }
);

/** A template with the values for its variables. */
export interface FilledTemplate {
	template: ChosenTemplate;
	components?: unknown[];
}

/** A template in reserve, with the ids of the variables that have a value. */
export interface FallbackTemplate extends FilledTemplate {
	ids: string[];
}

/** Sender and recipient, for all types of message. */
export type Envelope = ReturnType<typeof readEnvelope>;

/** The message of the operation Send. */
export function readMessage(parameters: Parameters): MessagePlan {
	const type = parameters.option('type', 'required') as keyof typeof contents | 'template';
	const envelope = readEnvelope(parameters);
	const fallback = readFallback(parameters, type === 'template');
	if (type === 'template') return { envelope, template: readTemplateMessage(parameters) };
	const file = type === 'text' ? undefined : mediaFile(parameters, type);
	const content: IDataObject = { type, ...contents[type](parameters) };
	if (type === 'document') content.fileName ??= file?.fileName;
	return { envelope, content, file, fallback };
}

export function readEnvelope(parameters: Parameters) {
	const options = parameters.collection('options');
	return {
		to: channelTypeOf(parameters).readTo(parameters),
		channel: parameters.option('channel', 'required'),
		agentId: parameters.id('agentId'),
		channelId: options.id('channelId'),
		takeOver: options.boolean('takeOver'),
		contextId: options.id('contextId'),
	};
}

const channelTypeOf = (parameters: Parameters) =>
	channelType(parameters.option('channel', 'required'));

/** The same key for all variants of a number, so that messages to it keep their order. The ID of its contact has another one. */
export function recipientOrder(parameters: Parameters): string {
	const { value, readTo, orderOf } = channelTypeOf(parameters);
	return `${value} ${orderOf(readTo(parameters))}`;
}

export function readTemplateMessage(parameters: Parameters): FilledTemplate {
	return { template: requiredTemplate(parameters), components: readVariables(parameters) };
}

/**
 * The template to send instead of a free-form message if the customer service window is closed.
 *
 * @param isTemplate whether the message itself is a template
 * @throws NodeOperationError if it would be ignored
 */
export function readFallback(
	parameters: Parameters,
	isTemplate: boolean,
): FallbackTemplate | undefined {
	const options = parameters.collection('options');
	const template = readTemplate(options);
	if (template === undefined) return undefined;
	const values = fallbackValues(options);
	const { name, hasTemplates } = channelTypeOf(parameters);
	if (!hasTemplates) {
		throw options.invalid(
			shown`Fallback Template is set, but Channel Type is ${name}`,
			shown`Templates are for WhatsApp only. Remove the option, or send ${name} messages with another node.`,
		);
	}
	if (isTemplate) {
		throw options.invalid(
			'Fallback Template is set, but Message Type is Template',
			'A template needs no fallback. Remove the option, or send templates with another node.',
		);
	}
	const components = values.size > 0 ? componentsFrom(Object.fromEntries(values)) : undefined;
	return { template, components, ids: [...values.keys()] };
}

function fallbackValues(options: Collection): Map<string, string> {
	const values = new Map<string, string>();
	for (const entry of options.groups('fallbackVariables')) {
		const name = entry.id('id', 'required');
		// A variable that is entered, and not picked, is one of the body.
		const id = name.includes(':') ? name : `body:${name}`;
		const value = entry.verbatim('value', 'mayBeEmpty');
		if (value === undefined) {
			throw options.invalid(
				shown`Fallback Template Variables: the value of ${name} is empty`,
				'Enter a value, check the expression, or remove the variable.',
			);
		}
		if (values.has(id)) {
			throw options.invalid(
				shown`Fallback Template Variables: ${name} is set twice`,
				'Remove one of the two.',
			);
		}
		values.set(id, sentValue(options, id, `Fallback template variable ${name}`, value));
	}
	return values;
}

function media(parameters: Parameters): IDataObject {
	switch (parameters.option('mediaSource', 'required')) {
		case 'mediaId':
			return { mediaId: parameters.id('mediaId', 'required') };
		case 'mediaUrl':
			return { mediaUrl: parameters.one('mediaUrl', readWebUrl, 'required') };
		default:
			// A file: see `mediaFile`.
			return {};
	}
}

/** What a file is by its MIME type; undefined if that does not show it. */
function kindOfFile(mimeType: string): 'audio' | 'document' | 'image' | 'video' | undefined {
	const [type = ''] = mimeType.toLowerCase().split(/[\s;]/);
	if (!type.includes('/') || type.endsWith('/octet-stream')) return undefined;
	const [top] = type.split('/');
	if (top === 'audio' || type === 'application/ogg') return 'audio';
	return top === 'image' || top === 'video' ? top : 'document';
}

/** @throws NodeOperationError for a file that is another kind of media. A document can be any file */
function requireKind(parameters: Parameters, type: string, file: IBinaryData): void {
	const kind = type === 'document' ? undefined : kindOfFile(file.mimeType);
	const isSticker = /^image\/webp\b/i.test(file.mimeType);
	if (kind === undefined || kind === type || (type === 'sticker' && isSticker)) return;
	throw parameters.invalid(
		shown`The file ${formatValue(file.fileName ?? '')} (${file.mimeType}) cannot be sent with the message type ${capitalized(type)}`,
		shown`Set Message Type to ${capitalized(kind)}, or choose another file.`,
	);
}

/** A file that n8n keeps in memory is refused: no link leads to it. */
function mediaFile(parameters: Parameters, type: string): IBinaryData | undefined {
	if (parameters.option('mediaSource', 'required') !== 'binary') return undefined;
	const file = binaryFile(parameters, parameters.text('binaryPropertyName', 'required'), 'media');
	requireKind(parameters, type, file);
	if (file.id) return file;
	throw parameters.invalid(
		'The service cannot download the file, because n8n keeps it in memory',
		'Set n8n’s N8N_DEFAULT_BINARY_DATA_MODE to filesystem, database or s3, or set Media Source to URL.',
	);
}

/** The greatest lengths of a text and of a caption, in characters (the messaging platform's; Instagram's are lower). */
export const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;

function captioned(parameters: Parameters): IDataObject {
	const caption = parameters.text('caption', 'mayBeEmpty');
	return {
		...media(parameters),
		caption: caption && parameters.within(MAX_CAPTION, parameters.label('caption'), caption),
	};
}

/** The content of each type of free-form message (API document, `POST /messages`). */
const contents = {
	text: (parameters: Parameters): IDataObject => ({
		text: parameters.within(
			MAX_TEXT,
			parameters.label('text'),
			parameters.verbatim('text', 'required'),
		),
		previewUrl: parameters.collection('options').boolean('previewUrl'),
	}),
	image: captioned,
	video: captioned,
	document: (parameters: Parameters): IDataObject => ({
		...captioned(parameters),
		fileName: parameters.text('fileName'),
	}),
	audio: media,
	sticker: media,
};
