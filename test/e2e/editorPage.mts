import type { Browser, Locator, Page } from 'playwright-core';
import { around, named, signIn, type Area } from './browser.mts';

/** n8n's editor, used as a user would. */
export class EditorPage {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	static async open(
		browser: Browser,
		url: string,
		colorScheme: 'light' | 'dark' = 'light',
	): Promise<EditorPage> {
		return new EditorPage(await signIn(browser, url, colorScheme), url);
	}

	async openWorkflow(workflowId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await named(this.page, 'canvas-node').first().waitFor();
	}

	/** Searches the nodes panel of an empty workflow. */
	async search(text: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		const add = named(this.page, 'canvas-add-button');
		await add.or(named(this.page, 'canvas-plus-button')).first().click();
		await named(this.page, 'node-creator-search-bar').fill(text);
	}

	/** An entry of the nodes panel. */
	found(text: string): Locator {
		return named(this.page, 'item-iterator-item').filter({ hasText: text }).first();
	}

	/** Adds an action from the nodes panel, such as "Create ticket", and opens it. */
	async addAction(action: string): Promise<void> {
		await this.search('conversational');
		await this.found('Conversational Messaging').click();
		await this.page.getByText(/^Actions \(\d+\)/).click();
		await named(this.page, 'item-iterator-item')
			.filter({ has: this.page.getByText(action, { exact: true }) })
			.click();
		await named(this.page, 'ndv').waitFor();
	}

	/** Adds this package as a tool to a new AI agent, and opens it. */
	async addTool(): Promise<void> {
		await this.search('AI Agent');
		await this.found('AI Agent').click();
		await named(this.page, 'ndv-close-button').click();
		await this.node('AI Agent').locator('[data-test-id="canvas-handle-plus"]').last().click();
		await named(this.page, 'node-creator-search-bar').fill('conversational');
		await this.found('Conversational Messaging Tool').click();
		await named(this.page, 'ndv').waitFor();
	}

	/** Opens a node of a saved workflow. */
	async openNode(workflowId: string, name: string): Promise<void> {
		await this.openWorkflow(workflowId);
		await this.node(name).dblclick();
		await named(this.page, 'ndv').waitFor();
	}

	/** Types a value into a field. */
	async fill(field: string, value: string): Promise<void> {
		await this.field(field).locator('input, textarea').first().fill(value);
	}

	/** Leaves a field to the AI agent. */
	async leaveToAgent(field: string): Promise<void> {
		await this.field(field).hover();
		await named(this.page, 'from-ai-override-button').first().click();
	}

	/** Chooses an option of a field. */
	async choose(field: string, option: string): Promise<void> {
		await this.field(field).click();
		await this.page.getByRole('option', { name: option }).first().click();
	}

	/** Drags a field from the input panel into a parameter, and waits until the parameter contains its expression. */
	async drag(input: string, field: string): Promise<void> {
		await named(this.page, 'ndv-input-panel')
			.locator('[data-test-id="run-data-schema-node-name"]')
			.getByText(input, { exact: true })
			.dragTo(this.field(field));
		await this.field(field).getByText(`{{ $json.${input} }}`, { exact: true }).waitFor();
	}

	/** Picks the record whose entry in a field's list contains `text`. */
	async pick(field: string, text: string): Promise<void> {
		await this.openList(field);
		await this.listed(text).click();
	}

	async openList(field: string): Promise<void> {
		await named(this.page, `resource-locator-${field}`)
			// That of a row in the options, after a field of the same name.
			.last()
			.locator('[data-test-id="rlc-input"]')
			.click();
		await named(this.page, 'rlc-item').first().waitFor();
	}

	/** Scrolls the open list until an entry is visible, which loads one page after another. */
	async scrollTo(text: string): Promise<void> {
		await named(this.page, 'rlc-item').filter({ visible: true }).first().hover();
		for (let scrolls = 0; scrolls < 100 && (await this.listed(text).count()) === 0; scrolls++) {
			await this.page.mouse.wheel(0, 2_000);
			await this.page.waitForTimeout(100);
		}
	}

	/** An entry of the open list. */
	listed(text: string): Locator {
		return named(this.page, 'rlc-item').filter({ hasText: text, visible: true }).first();
	}

	/** Adds a field of a collection, by its label. */
	async add(label: string): Promise<void> {
		await named(this.page, 'collection-parameter-add').first().click();
		await named(this.page, 'collection-parameter-option')
			.filter({ has: this.page.getByText(label, { exact: true }), visible: true })
			.first()
			.click();
	}

	/** What a field contains. The list of its modes, if it has one, is before it. */
	async valueOf(field: string): Promise<string> {
		return await this.field(field).locator('input, textarea').last().inputValue();
	}

	/** Runs the open node. */
	async execute(): Promise<void> {
		await named(this.page, 'node-execute-button').first().click();
	}

	/** Waits until the output shows a text. */
	async shows(text: string | RegExp): Promise<void> {
		await named(this.page, 'output-panel').getByText(text).first().waitFor();
	}

	/**
	 * Hides the buttons that lie above the canvas of the open workflow.
	 *
	 * @returns where its steps are, without the note that says how to set it up
	 */
	async showSteps(): Promise<Area> {
		const content = '[class*=_executionButtons] { visibility: hidden }';
		await this.page.addStyleTag({ content });
		return await around(this.page.locator('.vue-flow__node').filter({ hasNotText: 'Set up' }), 12);
	}

	/** Where the parameters of the open node are. */
	async parameters(): Promise<Area> {
		return await around(this.page.locator('.node-settings'), 0);
	}

	/** How many pictures of an animated one the browser finds. */
	async framesOf(webp: Buffer): Promise<number> {
		return await this.page.evaluate<number>(`(async () => {
			const data = await (await fetch('data:image/webp;base64,${webp.toString('base64')}')).arrayBuffer();
			const decoder = new ImageDecoder({ data, type: 'image/webp' });
			await decoder.tracks.ready;
			for (let i = 0; i < decoder.tracks.selectedTrack.frameCount; i++)
				await decoder.decode({ frameIndex: i });
			return decoder.tracks.selectedTrack.frameCount;
		})()`);
	}

	private node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	private field(name: string): Locator {
		return named(this.page, `parameter-input-${name}`);
	}
}
