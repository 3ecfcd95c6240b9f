import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { debianProgram } from '../../tools/scripts/debian.mts';
import { OWNER } from './n8nServer.mts';

const PICTURES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/**
 * Debian's Chromium, or the one in CHROMIUM. Without its background services, which would contact hosts that no test
 * needs.
 */
export async function openBrowser(): Promise<Browser> {
	const executablePath =
		process.env.CHROMIUM ??
		debianProgram(
			'chromium',
			'/usr/bin/chromium',
			'/usr/bin/chromium-browser',
			'/usr/bin/google-chrome',
		);
	return await chromium.launch({
		executablePath,
		args: [
			...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-gpu',
			'--disable-quic',
			'--disable-sync',
			'--no-first-run',
		],
	});
}

/** A page of n8n's editor, signed in through its log-in form. */
export async function signIn(
	browser: Browser,
	url: string,
	colorScheme: 'light' | 'dark' = 'light',
): Promise<Page> {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
	await page.goto(`${url}/signin`);
	await page.fill('input[type=email]', OWNER.email);
	await page.fill('input[type=password]', OWNER.password);
	await page.keyboard.press('Enter');
	await page.waitForURL(/home|workflow/);
	return page;
}

/** An element by n8n's test ID. */
export const named = (page: Page, name: string) => page.locator(`[data-test-id="${name}"]`);

/** A part of the window, in its pixels. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** How wide a picture is at most, in pixels: twice the width that a page of the documentation has for it. */
const WIDTH = 1_660;

/** Saves a picture of the window, or a part of it, for the documentation. */
export async function picture(page: Page, name: string, part?: Area): Promise<void> {
	const area = part ?? windowOf(page);
	save(`${name}.webp`, await capture(page, area, Math.min(2.5, WIDTH / area.width)));
}

export function save(name: string, content: Buffer): void {
	writeFileSync(`${PICTURES}${name}`, content);
}

export function windowOf(page: Page): Area {
	return { x: 0, y: 0, ...page.viewportSize()! };
}

/** The part of the window with all of these elements, and a margin. @throws if none is visible */
export async function around(elements: Locator, margin = 24): Promise<Area> {
	const boxes: Area[] = [];
	for (const element of await elements.all()) {
		const box = await element.boundingBox();
		if (box) boxes.push(box);
	}
	if (boxes.length === 0) throw new Error(`Nothing is visible of ${elements.toString()}`);
	const x = Math.min(...boxes.map((box) => box.x)) - margin;
	const y = Math.min(...boxes.map((box) => box.y)) - margin;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}

/**
 * A picture in the WebP format, once nothing moves any more: as soon as two in a row are the same.
 *
 * @param scale pixels of the picture per pixel of the window: text is drawn in this size, not enlarged
 */
export async function capture(page: Page, area: Area, scale: number): Promise<Buffer> {
	const client = await page.context().newCDPSession(page);
	try {
		const clip = { ...area, scale };
		const options = { format: 'webp', quality: 80, clip } as const;
		let { data } = await client.send('Page.captureScreenshot', options);
		for (let tries = 0; tries < 20; tries++) {
			await page.waitForTimeout(300);
			const before = data;
			({ data } = await client.send('Page.captureScreenshot', options));
			if (data === before) break;
		}
		return Buffer.from(data, 'base64');
	} finally {
		await client.detach();
	}
}
