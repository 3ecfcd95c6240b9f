/**
 * The records of the sandbox. Their fields are our interpretation: the document names few of them (`x-undocumented`).
 */
export type ChannelType = 'WHATSAPP' | 'INSTAGRAM' | 'WEBCHAT' | 'TELEGRAM' | 'TIKTOK_SHOP';
export type TicketStatus = 'OPEN' | 'IN_PROGRESS' | 'RESOLVED' | 'CLOSED';
export type Priority = 'LOW' | 'MEDIUM' | 'HIGH' | 'URGENT';

/** The text that a search of contacts matches: part of the record, but not of responses. */
export const SEARCH_TEXT = Symbol('search text');

export interface ContactField {
	id: string;
	label: string;
	value: string;
}

export interface Contact {
	id: string;
	name: string;
	customName: string | null;
	waId: string | null;
	igId: string | null;
	igUsername: string | null;
	customFields: ContactField[];
	createdAt: string;
	updatedAt: string;
	[SEARCH_TEXT]?: string;
}

export interface Session {
	id: string;
	agentId: string | null;
	/** AI and flow sessions end when a chat is escalated. */
	kind: 'AGENT' | 'AI' | 'FLOW';
	startedAt: string;
}

export interface Chat {
	id: string;
	channel: ChannelType;
	channelId: string;
	contactId: string;
	needsEscalation: boolean;
	escalationReason: string | null;
	assigneeId: string | null;
	session: Session | null;
	/** When the customer last wrote, in milliseconds; null for never. */
	lastInboundAt: number | null;
	createdAt: string;
}

export interface Message {
	id: string;
	chatId: string;
	direction: 'INBOUND' | 'OUTBOUND';
	type: string;
	content: Record<string, unknown>;
	agentId: string | null;
	createdAt: string;
}

export interface Note {
	id: string;
	body: string;
	authorId: string | null;
	createdAt: string;
}

export interface Ticket {
	id: string;
	ticketNumber: string;
	title: string;
	status: TicketStatus;
	priority: Priority;
	assigneeId: string | null;
	contactId: string | null;
	chatId: string | null;
	notes: Note[];
	createdAt: string;
	updatedAt: string;
}

export interface Segment {
	id: string;
	name: string;
	description: string | null;
	isDynamic: boolean;
	rules: Record<string, unknown> | null;
	members: Set<string>;
	createdAt: string;
}

export interface Template {
	id: string;
	name: string;
	category: string;
	language: string;
	components: unknown[];
	channelId: string | null;
	status: 'PENDING' | 'APPROVED' | 'REJECTED';
	/** The owner's decision, which becomes `status` with the next sync. */
	decision: 'APPROVED' | 'REJECTED';
	/** Whether the owner may change its category. */
	allowCategoryChange?: boolean;
	createdAt: string;
}

export interface Broadcast {
	id: string;
	name: string;
	channelId: string | null;
	templateId: string;
	templateName: string;
	templateLanguage: string;
	audienceMode: 'list' | 'segment' | 'csv';
	recipients: string[];
	scheduleType: 'now' | 'schedule';
	/** When it is queued, in milliseconds. */
	startsAt: number;
	cancelled: boolean;
	settings: Record<string, unknown>;
	createdAt: string;
}

export interface FailedRow {
	row: number;
	name: string;
	waId: string;
	igId: string;
	reason: string;
}

export interface ImportJob {
	id: string;
	fileName: string;
	total: number;
	failedRows: FailedRow[];
	/** Rows that are imported while the job is processed. */
	pending: { name: string; waId: string; igId: string }[];
	taken: number;
	queuedAt: number;
	createdAt: string;
}

export interface Flow {
	id: string;
	name: string;
	keyword: string;
	active: boolean;
	createdAt: string;
}

export interface Channel {
	id: string;
	name: string;
	type: ChannelType;
	phoneNumber: string | null;
	isDefault: boolean;
}

export interface User {
	id: string;
	name: string;
	email: string;
	role: string;
}
