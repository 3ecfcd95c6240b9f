import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { debianProgram } from '../../scripts/debian.mts';
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

/** Takes a screenshot for the documentation. */
export async function picture(page: Page, name: string): Promise<void> {
	await page.screenshot({ path: `${PICTURES}${name}.png` });
}
