/** A wording that on-screen texts do not use. */
export interface AvoidedWording {
	pattern: RegExp;
	/** Why, and what to write instead. */
	reason: string;
	/** A text that must be found. */
	example: string;
}

/**
 * Wordings to keep out of everything a user reads in n8n. Most of them treat software as a person or a status as a
 * place, which readers stumble over. n8n asks authors of community nodes to avoid the last ones.
 */
export const AVOIDED: AvoidedWording[] = [
	{
		pattern: /\b(?:tells?|told|telling)\b/i,
		reason: 'Software does not talk. Say what it shows, returns or reports.',
		example: 'The service tells nobody of changes',
	},
	{
		pattern: /\b(?:stands?|stood|standing)\b/i,
		reason: 'A record does not stand anywhere. It has a status, a list contains it.',
		example: 'Only tickets that stand here',
	},
	{
		pattern: /\b(?:takes?|took|taken|taking) (?:\S+ ){0,4}?for\b/i,
		reason: 'An idiom. Say what something is regarded as.',
		example: 'Takes every rejection for a bad token',
	},
	{
		pattern: /\b(?:comes?|came|coming) to\b/i,
		reason: 'A record does not travel between statuses. Its status changes to another.',
		example: 'Only changes that come to one of these',
	},
	{
		pattern: /\b(?:comes?|came|coming) (?:back|out)\b/i,
		reason: 'Say what is returned.',
		example: 'How the CSV comes out',
	},
	{
		pattern: /\bso many\b/i,
		reason: 'Give the number, or write "up to N".',
		example: 'The first so many rows',
	},
	{
		pattern: /\bas it (?:stands|is)\b/i,
		reason: 'Write "unchanged" or "the current state".',
		example: 'The record is returned as it is',
	},
	{
		pattern: /\bthe person\b/i,
		reason: 'The user is "you". Others are agents, contacts or customers.',
		example: 'The person is asked',
	},
	{
		pattern: /\bin the place of\b/i,
		reason: 'Write "instead of".',
		example: 'The rows as items in the place of the job',
	},
	{
		pattern: /\b(?:is|are|was|were) over\b/i,
		reason: 'Say what ended: "the poll ran out of time", "24 hours have passed".',
		example: 'The time of this poll is over',
	},
	{
		pattern: /\b(?:goes?|going|gone|went) through\b/i,
		reason: 'A request succeeds or completes.',
		example: 'The next poll that goes through',
	},
	{
		pattern: /\blook(?:s|ed|ing)? (?:at|in)\b/i,
		reason: 'Write "check".',
		example: 'Look at it in the dashboard',
	},
	{
		pattern: /\b(?:hears?|heard) (?:of|how)\b/i,
		reason: 'Software reports, users get a report.',
		example: 'Hear of imports that somebody else started',
	},
	{
		pattern: /\b(?:moves?|moved|moving)\b/i,
		reason: 'A status changes. Nothing moves.',
		example: 'Tickets that moved since the last poll',
	},
	{
		pattern: /\btravel(?:s|led|ing)?\b/i,
		reason: 'Requests contain contacts, and are sent.',
		example: 'The contacts travel in as few requests as it takes',
	},
	{
		// On Error is a setting of n8n.
		pattern: /(?<!\bOn )\b(?:errors?|problems?|failures?|mistakes?)\b/i,
		reason: 'n8n asks for messages that say what happened and what to do.',
		example: 'An error occurred',
	},
];

/** Wordings that read as if translated: neither on-screen texts nor the documentation use them. */
export const TICS: AvoidedWording[] = [
	{
		pattern: /\bof (?:which|whom)\b/i,
		reason: 'Two sentences, or "with", say it more plainly.',
		example: '10,000 contacts of which 20 changed',
	},
	{
		pattern: /\bthose (?:that|which)\b/i,
		reason: 'Repeat the noun.',
		example: 'Those that the service rejects are sent again',
	},
	{
		pattern: /\b(?:is|are|was|were) to be\b/i,
		reason: 'Write "must be", or who does it.',
		example: 'Unless an existing contact is to be rejected',
	},
	{
		pattern: /\b(?:is|are) told\b/i,
		reason: 'Say who reports what to whom.',
		example: 'The recipient is told how to respond',
	},
	{
		pattern: /\bin turn\b/i,
		reason: 'Write "in rotation" or "one after another".',
		example: 'Tickets go to the agents in turn',
	},
	{
		pattern: /\bin (?:another|the same|a different) way (?:than|as)\b/i,
		reason: 'Write "differently from" or "like".',
		example: 'Messages are read in another way than the other events',
	},
	{
		pattern: /\b(?:anew|all the while|for good|as of now)\b/i,
		reason: 'Write "again", "meanwhile", "permanently", "from now on".',
		example: 'The times are counted anew',
	},
	{
		pattern: /\bcom(?:es?|ing) to (?:its|an|the) end\b/i,
		reason: 'Write "ends" or "is complete".',
		example: 'Until a long history comes to its end',
	},
];
