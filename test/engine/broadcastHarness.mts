import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { addSegment } from '../support/records.mts';
import { byId, templateVariables, type NodeRun, type Outcome } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

/** The number of phone numbers, the first of which ends in `from`. */
export const phones = (count: number, from = 0): string[] =>
	Array.from({ length: count }, (_, index) => `120255501${String(from + index).padStart(2, '0')}`);

/** These numbers as the audience. */
export const list = (...numbers: string[]): INodeParameters => ({
	audience: 'list',
	recipients: numbers.join(', '),
});

/** The option Exclude Segments with these rows: the locator of a segment, or its ID. */
export const exclude = (...segments: (string | INodeParameters)[]): INodeParameters => ({
	excludeSegments: {
		segment: segments.map((each) => ({ segmentId: typeof each === 'string' ? byId(each) : each })),
	},
});

/** The note about recipients with +1. */
export const plusOne = (recipients: string, countries: string): string =>
	`${recipients} with +1 (${countries}): WhatsApp does not deliver marketing templates to US numbers; +1 is also Canada and others`;

/** Whether a request is for the members of a segment. */
export const isSegment = ({ path }: { path: string }): boolean => path.startsWith('/segments/');

/** Broadcast → Create and Preview. `recipientTables` has who receives a broadcast. */
export class BroadcastHarness extends SharedHarness {
	constructor() {
		super({ contacts: 30, tickets: 1, pageCap: 4 });
	}

	/** The broadcasts that the service was sent. */
	get sentBroadcasts(): ReceivedRequest[] {
		return this.sent('POST /broadcasts');
	}

	/** The body of the last one. */
	get broadcastBody(): IDataObject | undefined {
		return this.bodies('POST /broadcasts').at(-1);
	}

	/** The welcome template with its variable, in the editor's form. */
	welcome(language = 'en_US', value: IDataObject = { 'body:name': 'Ann' }) {
		const { id, name } = this.world.templates.find(
			(row) => row.name === 'welcome' && row.language === language,
		)!;
		return {
			templateId: byId(`${id} ${name} ${language}`),
			templateVariables: templateVariables(value, { 'body:name': 'Body {{name}}' }),
		};
	}

	/** Without the operation, because n8n does not save a default value. */
	async create(more: INodeParameters, options: NodeRun = {}): Promise<Outcome> {
		const parameters = { resource: 'broadcast', name: 'Spring', ...this.welcome(), ...more };
		return await this.run(parameters, options);
	}

	async preview(
		more: INodeParameters,
		options: NodeRun = {},
	): Promise<Outcome & { shown: IDataObject }> {
		const outcome = await this.create({ ...more, operation: 'preview' }, options);
		expect(outcome.error).toBeUndefined();
		return { ...outcome, shown: outcome.json[0]! };
	}

	/** Create sends nothing and says this; Preview shows it. */
	async expectStop(parameters: INodeParameters, message: string, next = /./): Promise<void> {
		const { error } = await this.create(parameters);
		expect(error).toMatchObject({ message, description: expect.stringMatching(next) });
		expect((await this.preview(parameters)).shown).toStrictEqual({
			ready: false,
			recipients: null,
			message: `${message}. ${error!.description!}`,
			notes: [],
		});
		expect(this.sentBroadcasts).toStrictEqual([]);
	}

	/** The ID of a segment of these contacts; null for one without a number. */
	segmentOf(numbers: (string | null)[], name = 'Opted out', isDynamic = false): string {
		const members = numbers.map((waId, index) => {
			const known = this.world.contacts.find((contact) => waId !== null && contact.waId === waId);
			const igId = waId === null ? `ig-${this.world.newId()}` : null;
			return (known ?? this.world.addContact({ name: `Member ${index}`, waId, igId })).id;
		});
		const rules = isDynamic ? { channel: 'WHATSAPP' } : null;
		return addSegment(this.world, members, { name, isDynamic, rules }).id;
	}

	/** Responses with the members of any segment. */
	showSegment(data: unknown, meta?: object, times = 1): void {
		this.respond({ success: true, data, meta }, { matches: isSegment, times });
	}
}
