import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';
import { Asking, type Asked } from './asking.mts';
import { openBrowser } from './browser.mts';
import { EndToEnd } from './harness.mts';

/**
 * The pages behind the links of Send and Wait for Response, in n8n itself and in a browser, as somebody with a narrow
 * phone has them. Also runs in the oldest n8n, because versions of n8n read forms in different ways.
 */

const browser = await openBrowser();
const e2e = await EndToEnd.start();
const asking = new Asking(e2e);

after(async () => {
	await browser.close();
	await e2e.close();
});

async function ask(path: string, parameters: INodeParameters): Promise<Asked> {
	return await asking.start(path, await asking.publish(path, parameters));
}

async function openPage(url: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
	const page = await browser.newPage({ viewport: { width: 320, height: 640 }, colorScheme });
	await page.goto(url);
	return page;
}

/** Whether everything on the page is as wide as the window at most. */
const fits = async (page: Page): Promise<boolean> =>
	(await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320;

/** The name of the element that has the focus. */
const focused = async (page: Page): Promise<string> =>
	await page.evaluate<string>('document.activeElement.name || document.activeElement.textContent');

/** How much an element's text differs from what is behind it, as WCAG 2 defines contrast. */
const contrastOf = async (page: Page, selector: string): Promise<number> =>
	await page.evaluate<number>(`(() => {
		const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
		const luminance = (...colors) => {
			for (const color of colors) {
				context.fillStyle = color;
				context.fillRect(0, 0, 1, 1);
			}
			const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) => {
				const share = value / 255;
				return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
			});
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const element = document.querySelector(${JSON.stringify(selector)});
		const behind = [];
		for (let each = element; each; each = each.parentElement)
			behind.unshift(getComputedStyle(each).backgroundColor);
		const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#fff';
		const text = luminance(getComputedStyle(element).color);
		const ground = luminance(canvas, ...behind);
		return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
	})()`);

/** The side at which each line of an element's text begins. */
const sidesOf = async (page: Page, selector: string): Promise<string[]> =>
	await page.evaluate<string[]>(`(() => {
		const range = document.createRange();
		const text = document.querySelector(${JSON.stringify(selector)}).firstChild;
		const box = text.parentElement.getBoundingClientRect();
		let at = 0;
		return text.data.split('\\n').map((line) => {
			range.setStart(text, at);
			range.setEnd(text, at + line.length);
			at += line.length + 1;
			const { left, right } = range.getBoundingClientRect();
			return left - box.left < box.right - right ? 'left' : 'right';
		});
	})()`);

test('an approval is given by keyboard', async () => {
	const asked = await ask('approve', { message: 'Refund 40 € to Ann?' });
	for (const [index, label] of ['Approve', 'Decline'].entries()) {
		const page = await openPage(asked.links[index]!);
		await page.getByRole('main').getByRole('heading', { name: 'Refund 40 € to Ann?' }).waitFor();
		assert.ok(await fits(page));
		await page.keyboard.press('Tab');
		assert.equal(await focused(page), 'approved');
		if (label === 'Decline') {
			await page.keyboard.press('Enter');
			await page.getByText('Recorded: Decline').waitFor();
		}
		await page.close();
	}
	assert.deepEqual(await asking.output(asked), [{ timedOut: false, data: { approved: false } }]);
});

test('free text is sent by keyboard', async () => {
	const asked = await ask('free-text', { responseType: 'freeText', message: 'Which address?' });
	const page = await openPage(asked.links[0]!);
	await page.keyboard.press('Tab');
	await page.keyboard.type('Main Street 1\n<b>Springfield</b>');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	await page.getByText('Recorded: Main Street 1').waitFor();
	assert.ok(await fits(page));
	await page.close();
	assert.deepEqual(await asking.output(asked), [
		{ timedOut: false, data: { text: 'Main Street 1\n<b>Springfield</b>' } },
	]);
});

const FIELDS = [
	{ fieldLabel: 'Name', fieldType: 'text', requiredField: true },
	{ fieldLabel: 'Reason', fieldType: 'textarea' },
	{ fieldLabel: 'Amount', fieldType: 'number', requiredField: true },
	{ fieldLabel: 'Email', fieldType: 'email' },
	{ fieldLabel: 'Date', fieldType: 'date' },
	{
		fieldLabel: 'Solution',
		fieldType: 'dropdown',
		fieldChoices: ['Refund', 'Replacement of everything that was ordered since last November'],
	},
];

test('a form with every type of field is corrected and sent, and what is left empty is null', async () => {
	const asked = await ask('every-field', {
		responseType: 'customForm',
		formFields: { values: FIELDS },
		options: { page: { texts: { title: 'Example Shop' } } },
	});
	const page = await openPage(asked.links[0]!);
	assert.equal(await page.title(), 'Example Shop');
	await page.getByText('* This field is required.').waitFor();
	await page.getByLabel('Name').fill('Ada Müller');
	await page.getByLabel('Reason').fill('Broken\nTwice & "badly"');
	await page.getByLabel('Amount').fill('1.500');
	await page.getByLabel('Email').fill('ada@example.com');
	await page.getByLabel('Date').fill('2028-02-29');
	await page.getByLabel('Solution').selectOption('Refund');
	await page.getByRole('button', { name: 'Submit' }).click();

	await page.getByText('Enter 1.5 or 1500').waitFor();
	assert.ok(await fits(page));
	assert.match(await page.title(), /^Enter 1\.5 or 1500: .* – Example Shop$/);
	assert.equal(await focused(page), 'field-2');
	assert.equal(await page.getByLabel('Amount').getAttribute('aria-invalid'), 'true');
	await page.keyboard.press('ControlOrMeta+A');
	await page.keyboard.type('40,50');
	await page.keyboard.press('Enter');
	await page.getByText('Recorded: Name: Ada Müller').waitFor();
	await page.close();
	assert.deepEqual(await asking.output(asked), [
		{
			timedOut: false,
			data: {
				Name: 'Ada Müller',
				Reason: 'Broken\nTwice & "badly"',
				Amount: 40.5,
				Email: 'ada@example.com',
				Date: '2028-02-29',
				Solution: 'Refund',
			},
		},
	]);

	const again = await asking.start('every-field', asked.saved);
	const empty = await openPage(again.links[0]!);
	await empty.getByLabel('Name').fill('Bo');
	await empty.getByLabel('Amount').fill('0');
	await empty.getByRole('button', { name: 'Submit' }).click();
	await empty.getByText('Recorded: Name: Bo').waitFor();
	await empty.close();
	assert.deepEqual(await asking.output(again), [
		{
			timedOut: false,
			data: { Name: 'Bo', Reason: null, Amount: 0, Email: null, Date: null, Solution: null },
		},
	]);
});

test('a page in Arabic is written from right to left, and a line in English from left to right', async () => {
	const asked = await ask('right-to-left', {
		responseType: 'customForm',
		message: 'هل نعيد المبلغ؟\nRefund 40 € to Ann.\nنعم أو لا.',
		formFields: { values: [{ fieldLabel: 'المبلغ.', fieldType: 'number', requiredField: true }] },
		options: {
			page: {
				texts: {
					language: 'ar',
					title: 'متجر المثال.',
					required: 'هذا الحقل مطلوب.',
					invalid: 'يرجى التحقق من القيمة.',
				},
			},
		},
	});
	for (const colorScheme of ['light', 'dark'] as const) {
		const page = await openPage(asked.links[0]!, colorScheme);
		assert.deepEqual(await sidesOf(page, 'h1'), ['right']);
		assert.deepEqual(await sidesOf(page, 'p'), ['right', 'left', 'right']);
		assert.deepEqual(await sidesOf(page, 'label span'), ['right']);
		await page.getByLabel('المبلغ').fill('أربعون.');
		await page.getByRole('button').click();
		await page.getByText('يرجى التحقق من القيمة.').waitFor();
		assert.equal(await focused(page), 'field-0');
		assert.deepEqual(await sidesOf(page, 'strong'), ['right']);
		assert.ok(await fits(page));
		for (const part of ['h1', 'p', 'label span', 'input', 'strong', 'button'])
			assert.ok((await contrastOf(page, part)) >= 4.5, `${part}, ${colorScheme}`);
		await page.close();
	}
});
