import { broadcasts } from './broadcasts';
import { chats } from './chats';
import { importJobs } from './importJobs';
import { segments } from './segments';
import type { StatusSource } from './source';
import { templates } from './templates';
import { tickets } from './tickets';

/** All sources, in the order of the list of events. */
export const sources: StatusSource[] = [
	broadcasts,
	chats,
	segments,
	importJobs,
	templates,
	tickets,
];
