import { RequestBudget } from '../../nodes/ConversationalMessaging/trigger/budget.ts';
import {
	LatestStates,
	type StaticData,
} from '../../nodes/ConversationalMessaging/trigger/latest.ts';

/**
 * A process of n8n that polls one workflow, and n8n's database. A poll begins with `state` and ends with `keep`. What is not
 * saved is lost when the workflow is loaded again, except for what the trigger itself keeps in the process.
 */
export class N8n {
	/** The static data of the workflow. */
	data: StaticData = {};

	private latest = new LatestStates();

	/** What the trigger has sent in this process. */
	sent = new RequestBudget();

	/** @param database shared by all processes of one n8n */
	constructor(private readonly database = { staticData: '{}' }) {}

	/** The state that a poll begins with. */
	get state(): unknown {
		return this.latest.recall('node', 'Trigger', this.data);
	}

	/** Whether nothing was saved yet. */
	get isNew(): boolean {
		return this.database.staticData === '{}';
	}

	keep(before: unknown, after: string, hasEvents: boolean): void {
		this.latest.keep('node', 'Trigger', this.data, { before, after, hasEvents });
	}

	/** As n8n does after a poll with events, and when it publishes the workflow. */
	save(): void {
		this.database.staticData = JSON.stringify(this.data);
	}

	/** The workflow is loaded again, because it is published again, or this process takes over. */
	load(): void {
		this.data = JSON.parse(this.database.staticData) as StaticData;
	}

	/** The process ends, and begins anew. */
	restart(): void {
		this.latest = new LatestStates();
		this.sent = new RequestBudget();
		this.load();
	}
}
