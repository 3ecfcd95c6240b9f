/**
 * Contact → Sync a second time, slow and obvious, from docs/jobs/sync-contacts.md: what the contacts are afterwards. It
 * shares no code with the node.
 */

/** A contact of the service. `fields` are labels with values, as the service stores them. */
export interface Person {
	name: string;
	customName: string | null;
	igUsername: string | null;
	waId: string | null;
	igId: string | null;
	fields: [label: string, value: string][];
	isMember: boolean;
}

/** The JSON of an input item; `undefined` stands for a value that the item does not have. */
export interface Row {
	key?: unknown;
	waId?: unknown;
	igId?: unknown;
	name?: unknown;
	customName?: unknown;
	igUsername?: unknown;
	/** The values of custom fields, under their labels. */
	fields: Record<string, unknown>;
}

export interface Settings {
	matchBy: 'waId' | 'igId' | 'customField';
	clearEmpty: boolean;
	segment: 'none' | 'add' | 'addAndRemove';
	/** Whether all items of the run are here: none belongs to another token. */
	isWhole: boolean;
}

export type Result = 'created' | 'updated' | 'unchanged' | 'conflict' | 'failed';

export const KEY_LABEL = 'CRM ID';

/** What identifies a WhatsApp ID: neither its spelling, nor the digits that Mexico, Argentina and Brazil add. */
export function identity(waId: string): string {
	if (/^[a-z]{2}\./i.test(waId)) return waId.slice(0, 2).toUpperCase() + waId.slice(2);
	return waId
		.replace(/\D/g, '')
		.replace(/^521(\d{10})$/, '52$1')
		.replace(/^549(\d{10})$/, '54$1')
		.replace(/^55(\d\d)9(\d{8})$/, '55$1$2');
}

const hasValue = (value: unknown): boolean =>
	value !== undefined && value !== null && asText(value) !== '';
const clean = (text: string): string => text.replace(/\r\n?/g, '\n').normalize('NFC').trim();
const asText = (value: unknown): string =>
	clean(Array.isArray(value) ? value.join(', ') : String(value));

function isSame(stored: string | null, value: unknown): boolean {
	if (stored === null) return false;
	return clean(stored) === asText(value);
}

/** The address of an item, as it is sent: numbers as digits, everything else unchanged. */
function address(value: unknown): string | null {
	if (!hasValue(value)) return null;
	const text = String(value).trim();
	return /^[+\d]/.test(text) ? text.replace(/\D/g, '') : text;
}

/** @returns the contacts afterwards, in their order and new ones last, and the result of each row */
export function sync(
	before: readonly Person[],
	rows: readonly Row[],
	{ matchBy, clearEmpty, segment, isWhole }: Settings,
): { after: Person[]; results: Result[] } {
	const people = structuredClone(before) as Person[];
	const isField = matchBy === 'customField';
	const valuesOf = (person: Person, label: string) =>
		person.fields.filter((field) => field[0] === label).map((field) => field[1]);
	const isSpelledOtherwise = (person: Person, label: string) =>
		valuesOf(person, label).length === 0 &&
		person.fields.some((field) => field[0].toLowerCase() === label.toLowerCase());
	const keys = rows.map((row) => {
		const value = isField ? row.key : row[matchBy];
		if (!hasValue(value)) return null;
		return matchBy === 'waId' ? identity(address(value)!) : String(value).trim();
	});

	const noLabel = people.every((person) => valuesOf(person, KEY_LABEL).length === 0);
	if (isField && noLabel && people.some((person) => isSpelledOtherwise(person, KEY_LABEL)))
		return { after: people, results: rows.map(() => 'failed') };

	// A contact that shows no address may have one: nobody knows which rows are new.
	const isUnshown =
		matchBy === 'igId' &&
		people.every(({ igId }) => igId === null) &&
		people.some(({ waId }) => waId === null);
	if (isUnshown) return { after: people, results: rows.map(() => 'failed') };

	const found = rows.map((row) => {
		const byKey = people.filter((person) =>
			valuesOf(person, KEY_LABEL).map(clean).includes(String(row.key)),
		);
		const waId = matchBy === 'igId' ? null : address(row.waId);
		const igId = matchBy === 'waId' ? null : address(row.igId);
		const byAddress = people.filter(
			(person) =>
				(waId !== null && person.waId !== null && identity(person.waId) === identity(waId)) ||
				(igId !== null && person.igId === igId),
		);
		return {
			waId,
			igId,
			byAddress,
			all: isField && byKey.length > 0 ? byKey : byAddress,
			hasKey: byKey.length > 0,
		};
	});

	const decided = rows.map((row, index): Result | { person?: Person } => {
		const { waId, igId, byAddress, all, hasKey } = found[index]!;
		if (keys[index] === null) return 'failed';
		if (keys.filter((key) => key === keys[index]).length > 1 || all.length > 1) return 'conflict';
		const person = all[0];
		if (!person) return hasValue(row.name) && (waId ?? igId) !== null ? {} : 'conflict';
		if (byAddress.some((other) => other !== person)) return 'conflict';
		const labels = Object.keys(row.fields).filter(
			(label) => hasValue(row.fields[label]) || (clearEmpty && row.fields[label] !== undefined),
		);
		if (isField) labels.push(KEY_LABEL);
		if (isField && !hasKey && valuesOf(person, KEY_LABEL).some(hasValue)) return 'conflict';
		const isOdd = (label: string) =>
			valuesOf(person, label).length > 1 || isSpelledOtherwise(person, label);
		return labels.some(isOdd) ? 'conflict' : { person };
	});

	/** Whether another item has the same address, or an address of the contact that only its address shows as this one's. */
	const isContested = (index: number): boolean => {
		const { waId, igId, all, hasKey } = found[index]!;
		return found.some(
			(other, n) =>
				n !== index &&
				keys[n] !== null &&
				((waId !== null && other.waId !== null && identity(waId) === identity(other.waId)) ||
					(igId !== null && igId === other.igId) ||
					(!hasKey && all[0] !== undefined && other.byAddress.includes(all[0]))),
		);
	};

	const after = [...people];
	const matched = new Set<Person>();
	const results = rows.map((row, index): Result => {
		const decision = decided[index]!;
		if (typeof decision === 'string') return decision;
		if (isContested(index)) return 'conflict';
		const { waId, igId } = found[index]!;
		const isNew = !decision.person;
		const person: Person = decision.person ?? {
			...{ name: '', customName: null, igUsername: null, waId, igId, fields: [], isMember: false },
		};
		if (isNew) after.push(person);
		let isChanged = false as boolean;
		const change = (action: () => void) => {
			action();
			isChanged = true;
		};
		if (waId !== null && (person.waId === null || identity(person.waId) !== identity(waId)))
			change(() => (person.waId = waId));
		if (igId !== null && person.igId !== igId) change(() => (person.igId = igId));
		for (const name of ['name', 'customName', 'igUsername'] as const) {
			if (hasValue(row[name])) {
				if (!isSame(person[name], row[name])) change(() => (person[name] = asText(row[name])));
			} else if (clearEmpty && row[name] !== undefined && name !== 'name' && person[name]) {
				change(() => (person[name] = null));
			}
		}
		const fields: Record<string, unknown> = {
			...row.fields,
			...(isField && { [KEY_LABEL]: String(row.key) }),
		};
		for (const [label, value] of Object.entries(fields)) {
			const field = person.fields.find(([name]) => name === label);
			if (hasValue(value)) {
				if (!field) change(() => person.fields.push([label, asText(value)]));
				else if (!isSame(field[1], value)) change(() => (field[1] = asText(value)));
			} else if (clearEmpty && value !== undefined && field && clean(field[1]) !== '') {
				change(() => (field[1] = ''));
			}
		}
		matched.add(person);
		if (segment !== 'none' && !person.isMember) change(() => (person.isMember = true));
		if (isNew) return 'created';
		return isChanged ? 'updated' : 'unchanged';
	});

	const isSettled =
		isWhole && results.every((result) => result !== 'conflict' && result !== 'failed');
	if (segment === 'addAndRemove' && isSettled)
		for (const person of after) person.isMember &&= matched.has(person);
	return { after, results };
}
