import {
	WITHOUT_VALUE,
	type Absence,
	type FieldKind,
} from '../../nodes/ConversationalMessaging/parameters/emptyValues.ts';

const KINDS: Record<FieldKind, string> = {
	required: 'What the operation needs',
	optional: 'Other fields and options',
	limit:
		'Filters, _Send Once Key_, _Add to Segment_, and the options that limit a broadcast, such as _Exclude Segments_',
	mayBeEmpty:
		'Fields of _Update_ and _Create or Update_, one of the two IDs of a new contact, cells of rows for _Sync_ and _Import_, filters with _Ignore Empty Filters_, _Country of Numbers_, a caption, a reason, a description',
	clearing: 'Cells of rows for _Sync_ with _Clear Empty Values_',
};

const ABSENCES: Record<Absence, string> = {
	notSet: 'Not set',
	missing: 'Its expression finds nothing',
	empty: 'Its expression returns an empty value',
	leftOutByModel: 'An agent’s model leaves it out',
};

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;

/** What a field without a value means, for users. */
export function emptyValuesTable(): string {
	const absences = Object.keys(ABSENCES) as Absence[];
	const kinds = Object.keys(KINDS) as FieldKind[];
	return [
		row(['Field', ...absences.map((absence) => ABSENCES[absence])]),
		row(['Field', ...absences].map(() => '---')),
		...kinds.map((kind) =>
			row([KINDS[kind], ...absences.map((absence) => WITHOUT_VALUE[kind][absence])]),
		),
	].join('\n');
}
