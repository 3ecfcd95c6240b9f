/** A wording that on-screen texts do not use, and what to write instead. */
export type AvoidedWording = [pattern: RegExp, reason: string];

/**
 * Wordings to keep out of everything a user reads in n8n. Most of them treat software as a person or a status as a
 * place, which readers stumble over. n8n asks authors of community nodes to avoid the last ones; On Error is its own name.
 */
export const AVOIDED: AvoidedWording[] = [
	[
		/\b(?:tells?|told|telling)\b/i,
		'Software does not talk. Say what it shows, returns or reports.',
	],
	[
		/\b(?:stands?|stood|standing)\b/i,
		'A record does not stand anywhere. It has a status, a list contains it.',
	],
	[
		/\b(?:takes?|took|taken|taking) (?:\S+ ){0,4}?for\b/i,
		'An idiom. Say what something is regarded as.',
	],
	[
		/\b(?:comes?|came|coming) to\b/i,
		'A record does not travel between statuses. Its status changes to another.',
	],
	[/\b(?:comes?|came|coming) (?:back|out)\b/i, 'Say what is returned.'],
	[/\bso many\b/i, 'Give the number, or write "up to N".'],
	[/\bas it (?:stands|is)\b/i, 'Write "unchanged" or "the current state".'],
	[/\bthe person\b/i, 'The user is "you". Others are agents, contacts or customers.'],
	[/\bin the place of\b/i, 'Write "instead of".'],
	[
		/\b(?:is|are|was|were) over\b/i,
		'Say what ended: "the poll ran out of time", "24 hours have passed".',
	],
	[/\b(?:goes?|going|gone|went) through\b/i, 'A request succeeds or completes.'],
	[/\blook(?:s|ed|ing)? (?:at|in)\b/i, 'Write "check".'],
	[/\b(?:hears?|heard) (?:of|how)\b/i, 'Software reports, users get a report.'],
	[/\b(?:moves?|moved|moving)\b/i, 'A status changes. Nothing moves.'],
	[/\btravel(?:s|led|ing)?\b/i, 'Requests contain contacts, and are sent.'],
	[
		/(?<!\bOn )\b(?:errors?|problems?|failures?|mistakes?)\b/i,
		'n8n asks for messages that say what happened and what to do.',
	],
	[/\bof (?:which|whom)\b/i, 'Two sentences, or "with", say it more plainly.'],
];

/** Wordings that read as if translated: neither on-screen texts nor the documentation use them. */
export const TICS: AvoidedWording[] = [
	[/\bthose (?:that|which)\b/i, 'Repeat the noun.'],
	[/\b(?:is|are|was|were) to be\b/i, 'Write "must be", or who does it.'],
	[/\b(?:is|are) told\b/i, 'Say who reports what to whom.'],
	[/\bin turn\b/i, 'Write "in rotation" or "one after another".'],
	[
		/\bin (?:another|the same|a different) way (?:than|as)\b/i,
		'Write "differently from" or "like".',
	],
	[
		/\b(?:anew|all the while|for good|as of now)\b/i,
		'Write "again", "meanwhile", "permanently", "from now on".',
	],
	[/\bcom(?:es?|ing) to (?:its|an|the) end\b/i, 'Write "ends" or "is complete".'],
];
