import type { Kind } from '../kind';
import { broadcasts } from './broadcasts';
import { chats } from './chats';
import { importJobs } from './importJobs';
import { tickets } from './tickets';

/** Everything that can be watched, in the order of the list of events. */
export const kinds: Kind[] = [broadcasts, chats, importJobs, tickets];
