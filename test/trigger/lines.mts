/** Scripts of histories, as `script.mts` and `messages/script.mts` describe them. */

interface Carrier {
	/** Carries out a line that is no poll. */
	apply: (line: string) => void;
	/** Carries out a poll, and returns it and what is expected next, line by line. */
	poll: (during: During) => Promise<string[]>;
}

/** The lines to carry out before requests of the next poll, by the number of the request. */
export type During = ReadonlyMap<number, readonly string[]>;

/** Carries out a script, and returns it with what each poll really did instead of what is written below it. */
export async function carryOutLines(script: string, { apply, poll }: Carrier): Promise<string> {
	let during = new Map<number, string[]>();
	const carriedOut: string[] = [];
	for (const line of script.split('\n').map((text) => text.trim())) {
		if (line === '' || line.startsWith('=') || line.startsWith(':')) continue;
		if (line.startsWith('poll')) {
			carriedOut.push(...(await poll(during)));
			during = new Map();
			continue;
		}
		carriedOut.push(line);
		const planned = /^during (\d+): (.*)/.exec(line);
		if (planned) {
			const number = Number(planned[1]);
			during.set(number, [...(during.get(number) ?? []), planned[2]!]);
		} else apply(line);
	}
	return carriedOut.join('\n');
}

/** The script as it is written, without its indentation. */
export const linesOf = (script: string): string =>
	script
		.split('\n')
		.map((line) => line.trim().replace(/^([=:]) /, '  $1 '))
		.filter((line) => line !== '')
		.join('\n');
