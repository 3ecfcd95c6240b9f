import type { Locator, Page } from 'playwright-core';
import { named } from './browser.mts';

/** n8n's editor with a node of this package open, used the way a person uses it. */
export class EditorPage {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Searches the nodes panel of an empty workflow for this package and opens it. */
	async openPackage(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await named(this.page, 'canvas-add-button')
			.or(named(this.page, 'canvas-plus-button'))
			.first()
			.click();
		await this.choosePackage();
	}

	/** Searches the open nodes panel for this package and chooses it. */
	async choosePackage(): Promise<void> {
		await named(this.page, 'node-creator-search-bar').fill('conversational');
		await named(this.page, 'item-iterator-item')
			.filter({ hasText: 'Conversational Messaging' })
			.first()
			.click();
	}

	/** Adds an action from the nodes panel, as "Create ticket", and has it open. */
	async addAction(action: string): Promise<void> {
		await this.openPackage();
		await this.page.getByText(/^Actions \(\d+\)/).click();
		await named(this.page, 'item-iterator-item')
			.filter({ has: this.page.getByText(action, { exact: true }) })
			.click();
		await named(this.page, 'ndv').waitFor();
	}

	/** Opens a node of a workflow that was saved. */
	async openNode(workflowId: string, node: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${node}"]`).dblclick();
	}

	/** Types a value into a field. */
	async fill(field: string, value: string): Promise<void> {
		await this.field(field).locator('input, textarea').first().fill(value);
	}

	/** Chooses an option of a field. */
	async choose(field: string, option: string): Promise<void> {
		await this.field(field).click();
		await this.page.getByRole('option', { name: option }).first().click();
	}

	/** Picks a record from a field's list, where `text` is found in its line. */
	async pick(field: string, text: string): Promise<void> {
		await this.openList(field);
		await this.listed(text).click();
	}

	async openList(field: string): Promise<void> {
		await named(this.page, `resource-locator-${field}`).locator('[data-test-id="rlc-input"]').click();
		await named(this.page, 'rlc-item').first().waitFor();
	}

	/** A line of the list that is open. */
	listed(text: string): Locator {
		return named(this.page, 'rlc-item').filter({ hasText: text, visible: true }).first();
	}

	/** Adds a field of a collection, by its label. */
	async add(label: string): Promise<void> {
		await named(this.page, 'collection-parameter-add').first().click();
		await this.page.getByText(label, { exact: true }).last().click();
	}

	/** Runs the node that is open. */
	async execute(): Promise<void> {
		await named(this.page, 'node-execute-button').first().click();
	}

	/** Waits until the output shows a text. */
	async shows(text: string | RegExp): Promise<void> {
		await named(this.page, 'output-panel').getByText(text).first().waitFor();
	}

	private field(name: string): Locator {
		return named(this.page, `parameter-input-${name}`);
	}
}
