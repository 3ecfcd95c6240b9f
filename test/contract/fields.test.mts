/** What the editor shows: which fields for which choice, what they start with, and what each picker lists. */
import {
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	NodeHelpers,
} from 'n8n-workflow';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { DEFAULT_TEXTS } from '../../nodes/ConversationalMessaging/resources/message/response/question.ts';
import { allFields } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { fields as triggerFields } from '../../nodes/ConversationalMessaging/trigger/fields.ts';
import { NODE } from '../support/node.mts';
import { operations } from '../support/operationList.mts';

const { methods, description } = new ConversationalMessaging();

/** The fields of each operation, and of the trigger. */
const fieldsBy = new Map<string, INodeProperties[]>([
	...operations.map(([name, , operation]) => [name, allFields(operation)] as const),
	['trigger', triggerFields],
]);
const optionsOf = ({ type, options = [] }: INodeProperties): INodeProperties[] =>
	type === 'collection'
		? (options as INodeProperties[])
		: type === 'fixedCollection'
			? (options as INodePropertyCollection[]).flatMap(({ values }) => values)
			: [];
const withInner = (field: INodeProperties): INodeProperties[] => [
	field,
	...optionsOf(field).flatMap(withInner),
];
const all = [...fieldsBy].flatMap(([place, fields]) =>
	fields.flatMap((field) => withInner(field).map((one) => [place, one] as const)),
);

/** What fields contain that the user has not changed, with n8n's own function: only those that are shown. */
const valuesOf = (fields: INodeProperties[], choice: INodeParameters = {}): INodeParameters =>
	NodeHelpers.getNodeParameters(fields, choice, true, false, NODE, null) as INodeParameters;

/** The conditions of a field, or none. */
const hasCondition = ({ displayOptions }: INodeProperties): boolean => displayOptions !== undefined;

describe('which fields are shown', () => {
	/** Of an operation, `coverage` tests that it reads what is shown. n8n's engine here has no file that the service can load. */
	const CHANGED = ['includeNew', 'includeDetails'];
	const CHOICES: [place: string, choice: INodeParameters, shown: string[]][] = [
		['message: send', { type: 'audio' }, ['mediaSource', 'mediaUrl']],
		['message: send', { type: 'audio', mediaSource: 'mediaId' }, ['mediaSource', 'mediaId']],
		[
			'message: send',
			{ type: 'audio', mediaSource: 'binary' },
			['mediaSource', 'binaryPropertyName'],
		],
		['trigger', { events: [] }, []],
		[
			'trigger',
			{ events: ['broadcastStatusChanged'] },
			['broadcastStatuses', ...CHANGED, 'filters'],
		],
		[
			'trigger',
			{ events: ['chatEscalationChanged'] },
			['chatStatuses', 'includeDetails', 'filters'],
		],
		['trigger', { events: ['importJobStatusChanged'] }, ['importStatuses', ...CHANGED]],
		[
			'trigger',
			{ events: ['templateStatusChanged'] },
			['templateStatuses', 'includeNew', 'filters'],
		],
		['trigger', { events: ['contactAddedToSegment'] }, ['segmentId', 'includeDetails']],
		['trigger', { events: ['ticketStatusChanged'] }, ['ticketStatuses', ...CHANGED, 'filters']],
		['trigger', { events: ['messageReceived'] }, ['messagesFrom', 'groupMessages', 'filters']],
	];

	/** Without a notice, of which n8n keeps no value. */
	const conditional = (fields: INodeProperties[]) =>
		fields
			.filter((field) => hasCondition(field) && field.type !== 'notice')
			.map(({ name }) => name);

	test.each(CHOICES)('%s with %j has %j', (place, choice, expected) => {
		const fields = fieldsBy.get(place)!;
		const names = conditional(fields);
		const shown = Object.keys(valuesOf(fields, choice));
		expect(shown.filter((name) => names.includes(name))).toStrictEqual(expected);
	});

	test('every field of the trigger with a condition is tested here', () => {
		const tested = CHOICES.flatMap(([, , names]) => names);
		expect(conditional(triggerFields).filter((name) => !tested.includes(name))).toStrictEqual([]);
	});

	test('a condition on an expression shows fields of the same operation only', () => {
		for (const [place, fields] of fieldsBy) {
			const [resource = '', operation = ''] = place.split(': ');
			if (operation === '') continue;
			const conditions = fields.flatMap(({ displayOptions }) =>
				Object.keys(displayOptions?.show ?? {}),
			);
			const values = Object.fromEntries(conditions.map((name) => [name, '={{ $json.a }}']));
			const shown = description.properties.filter(
				(field) =>
					!['resource', 'operation'].includes(field.name) &&
					NodeHelpers.displayParameter(
						{ resource, operation, ...values },
						field,
						NODE,
						description,
					),
			);
			expect([place, shown.map(({ name }) => name)]).toStrictEqual([
				place,
				fields.map(({ name }) => name),
			]);
		}
	});

	const FALLBACK = ['templateId', 'fallbackVariables'];
	const INNER: [place: string, field: string, choice: INodeParameters, shown: string[]][] = [
		['message: send', 'options', {}, ['countryOfNumbers', 'templateId', 'previewUrl']],
		[
			'message: send',
			'options',
			{ options: { templateId: { __rl: true, mode: 'list', value: '1' } } },
			['countryOfNumbers', ...FALLBACK, 'previewUrl'],
		],
		['message: send', 'options', { type: 'template' }, ['countryOfNumbers', 'templateComponents']],
		['message: send', 'options', { channel: 'INSTAGRAM' }, ['previewUrl']],
		[
			'message: sendAndWait',
			'options',
			{ responseType: 'freeText' },
			['countryOfNumbers', 'templateId', 'messageButtonLabel'],
		],
		[
			'message: sendAndWait',
			'options',
			{ responseType: 'customForm', messageType: 'template' },
			['countryOfNumbers', 'templateComponents'],
		],
		['message: sendAndWait', 'options', { channel: 'INSTAGRAM' }, []],
		...['broadcast: create', 'broadcast: preview'].flatMap((place): typeof INNER => [
			[place, 'options', {}, ['templateComponents']],
			[place, 'options', { audience: 'list' }, ['countryOfNumbers', 'templateComponents']],
			[place, 'options', { audience: 'csv' }, ['partName']],
			[place, 'options', { audience: 'csvItems' }, ['countryOfNumbers', 'partName']],
			[
				place,
				'options',
				{ options: { quietHours: '21:00-08:00' } },
				['recipientTimeZone', 'templateComponents'],
			],
			[
				place,
				'options',
				{ options: { apiType: 'marketing_messages' } },
				['giveUpAfterHours', 'messageActivitySharing', 'templateComponents'],
			],
			[place, 'options', { options: { apiType: 'cloud_api' } }, ['templateComponents']],
		]),
		['contactImport: start', 'options', {}, []],
		['contactImport: start', 'options', { source: 'items' }, ['countryOfNumbers', 'moreColumns']],
		[
			'trigger',
			'options',
			{ events: ['messageReceived'] },
			['directionField', 'directionValue', 'timeField'],
		],
		['trigger', 'options', { events: ['ticketStatusChanged'] }, ['startFrom']],
	];

	test.each(INNER)('in %s, %s with %j have %j', (place, name, choice, expected) => {
		const fields = fieldsBy.get(place) as INodeProperties[];
		const conditional = fields
			.filter((field) => field.name === name)
			.flatMap(optionsOf)
			.filter((option) => hasCondition(option))
			.map(({ name: key, type, default: value }): [string, unknown] => [
				key,
				type === 'resourceLocator' ? { ...(value as object), __rl: true } : value,
			]);
		// What n8n keeps of all of them: it removes those that it does not show.
		const initial = Object.fromEntries(conditional) as INodeParameters;
		const set = { ...initial, ...(choice[name] as INodeParameters) };
		const kept = valuesOf(fields, { ...choice, [name]: set })[name] as INodeParameters;
		const names = conditional.map(([option]) => option);
		expect(names.filter((option) => option in kept)).toStrictEqual(expected);
	});

	test.each<[field: string, own: INodeParameters, shown: string[]]>([
		['approvalOptions', { approvalType: 'double' }, ['disapproveLabel']],
		['approvalOptions', { approvalType: 'single' }, []],
		['formFields', { fieldType: 'text' }, ['placeholder']],
		['formFields', { fieldType: 'dropdown' }, ['fieldChoices']],
		['formFields', { fieldType: 'date' }, []],
	])('in Send and Wait for Response, %s with %j have %j', (name, own, expected) => {
		const shown = (fieldsBy.get('message: sendAndWait') as INodeProperties[])
			.filter((field) => field.name === name)
			.flatMap(optionsOf)
			.filter((option) => hasCondition(option))
			.filter((option) => NodeHelpers.displayParameter(own, option, NODE, null));
		expect(shown.map((option) => option.name)).toStrictEqual(expected);
	});
});

test('a broadcast keeps all of its settings while its operation is Preview', () => {
	// Of another audience, and of Create alone.
	const others = ['partName', 'outputFieldNames'];
	const set = Object.fromEntries(
		optionsOf(fieldsBy.get('broadcast: create')!.find(({ name }) => name === 'options')!)
			.filter(({ name }) => !others.includes(name))
			.map(({ name, default: initial }) => [name, initial]),
	);
	for (const name of ['sendOnceKey', 'recipientTimeZone', 'messageActivitySharing'])
		expect(set).toHaveProperty(name);
	for (const operation of ['broadcast: create', 'broadcast: preview']) {
		const given = { audience: 'list', options: set };
		expect(valuesOf(fieldsBy.get(operation)!, given).options).toStrictEqual(set);
	}
});

describe('what fields start with', () => {
	const isEmpty = (value: unknown): boolean =>
		value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0);

	/** By field. Empty ones are left out; fields of one name start with the same. */
	const INITIAL: Record<string, unknown> = {
		audience: 'segment',
		category: 'UTILITY',
		channel: 'WHATSAPP',
		combine: true,
		components: '[]',
		defineUsing: 'fields',
		dryRun: true,
		events: ['messageReceived'],
		groupMessages: 'chat',
		header: 'NONE',
		igId: '={{ $json.igId }}',
		includeDetails: false,
		includeNew: true,
		isDynamic: false,
		keyValue: '={{ $json.id }}',
		language: 'en_US',
		limit: 50,
		limitWaitTime: false,
		matchBy: 'waId',
		mediaSource: 'mediaUrl',
		messageOutput: 'messages',
		messagesFrom: 'customers',
		messageType: 'text',
		binaryPropertyName: 'data',
		name: '={{ $json.name }}',
		output: 'file',
		phoneColumn: 'phone',
		recipient: '={{ $json.waId }}',
		responseType: 'approval',
		resumeAmount: 1,
		resumeUnit: 'hours',
		returnAll: false,
		scheduleType: 'now',
		segmentOutput: 'segment',
		source: 'binary',
		templateText: { mappingMode: 'defineBelow', value: {} },
		templateVariables: { mappingMode: 'defineBelow', value: null },
		type: 'text',
		waId: '={{ $json.waId }}',
	};

	test('a field starts with a value that can be sent as it is, or empty', () => {
		const initial = [...fieldsBy.values()]
			.flat()
			.filter(({ type }) => type !== 'resourceLocator')
			.filter((field) => !isEmpty(field.default))
			.map((field) => [field.name, field.default]);
		const found = new Map(initial.map((entry) => [JSON.stringify(entry), entry]));
		expect([...found.values()].toSorted()).toStrictEqual(Object.entries(INITIAL).toSorted());
	});

	const added = all
		.filter(([, { type }]) => type === 'collection')
		.flatMap(([, field]) => optionsOf(field));

	test('an option is on once it is added', () => {
		const switches = added.filter(({ type }) => type === 'boolean');
		expect(switches.filter((option) => option.default !== true)).toStrictEqual([]);
	});

	test('an option for a number or a name starts with what applies without it', () => {
		const initial = added
			.filter(({ type, default: value }) => ['number', 'string'].includes(type) && value !== '')
			.map((option) => [option.name, option.default]);
		expect(Object.fromEntries(initial)).toStrictEqual({
			giveUpAfterHours: 24,
			maxRecipients: 1000,
			messageButtonLabel: 'Respond',
			partName: 'file',
			quietHours: '21:00-08:00',
			waitForCompletionMinutes: 10,
			waitForReplyMinutes: 5,
			waitingMinutes: 30,
		});
	});
});

test('the texts of a page start with those that it has without them', () => {
	const options = fieldsBy.get('message: sendAndWait')!.find(({ name }) => name === 'options')!;
	const page = optionsOf(options).find(({ name }) => name === 'page')!;
	const initial = optionsOf(page).map(({ name, default: value }) => [name, value]);
	expect(Object.fromEntries(initial)).toStrictEqual({
		...DEFAULT_TEXTS,
		invalid: '',
		language: 'en',
		responseLabel: 'Response',
		submitLabel: 'Submit',
		title: '',
	});
});

describe('pickers', () => {
	/** Lists that are not named after their field, such as "searchTickets" of "ticketId". */
	const METHODS: Record<string, string> = {
		countryOfNumbers: 'searchCountries',
		fieldId: 'searchContactFields',
		id: 'searchFallbackVariables',
		keyLabel: 'searchFieldLabels',
		label: 'searchFieldLabels',
		recipientTimeZone: 'searchTimeZones',
		to: 'searchRecipients',
	};
	const methodOf = (name: string) =>
		METHODS[name] ?? `search${name[0]!.toUpperCase()}${name.slice(1).replace(/Id$/, 's')}`;
	const pickers = all.filter(([, { type }]) => type === 'resourceLocator');

	test('every picker starts with its list, which can be searched and has the records of the field', () => {
		for (const [place, { name, modes, default: initial }] of pickers) {
			const list = modes!.find((mode) => mode.name === 'list');
			expect([place, name, initial, list!.typeOptions]).toStrictEqual([
				place,
				name,
				{ mode: 'list', value: '' },
				{ searchListMethod: methodOf(name), searchable: true },
			]);
		}
		const used = new Set(pickers.map(([, { name }]) => methodOf(name)));
		expect(Object.keys(methods.listSearch).toSorted()).toStrictEqual([...used].toSorted());
	});

	test('templates are listed again for another channel, and variables for another template or channel', () => {
		const templates = all.filter(([, { name }]) => name === 'templateId');
		const mappers = all.filter(([, { type }]) => type === 'resourceMapper');
		expect([templates.length, mappers.length]).toStrictEqual([8, 8]);
		for (const [, { typeOptions }] of templates)
			expect(typeOptions!.loadOptionsDependsOn).toContain('options.channelId.value');
		for (const [, { typeOptions }] of mappers) {
			expect(typeOptions!.loadOptionsDependsOn).toStrictEqual([
				'templateId.value',
				'options.channelId.value',
			]);
			const { resourceMapperMethod, supportAutoMap } = typeOptions!.resourceMapper!;
			expect(methods.resourceMapping).toHaveProperty(resourceMapperMethod!);
			expect(supportAutoMap).toBe(false);
		}
	});
});

test('a choice that the service spells in capitals has the name of its value', () => {
	const choices = all
		.filter(([, { type }]) => type === 'options' || type === 'multiOptions')
		.flatMap(([place, { name, options }]) =>
			((options ?? []) as INodePropertyOptions[]).map((option) => [place, name, option] as const),
		)
		.filter(([, , { value }]) => /^[A-Z_]+$/.test(String(value)));
	expect(choices.length).toBeGreaterThan(50);
	for (const [place, field, { name, value }] of choices)
		expect([place, field, name.toUpperCase().replaceAll(' ', '_')]).toStrictEqual([
			place,
			field,
			value,
		]);
});
