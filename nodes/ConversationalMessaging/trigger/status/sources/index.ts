import { broadcasts } from './broadcasts';
import { chats } from './chats';
import { importJobs } from './importJobs';
import type { StatusSource } from './source';
import { tickets } from './tickets';

/** All sources, in the order of the list of events. */
export const sources: StatusSource[] = [broadcasts, chats, importJobs, tickets];
