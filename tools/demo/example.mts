import type { AxiosInstance } from 'axios';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { readdirSync } from 'node:fs';

/** @returns the names of the workflows' files in examples/ */
export const exampleFiles = (): string[] =>
	readdirSync(new URL('../../examples', import.meta.url)).filter((name) => name.endsWith('.json'));

/** The body of a response of the service. */
export interface ServiceResponse<T> {
	data: T;
	meta: { total: number; totalPages: number };
}

/** An example workflow, its purpose, and how to check its result. */
export interface Example {
	/** The workflow's file in examples/. */
	file: string;
	title: string;
	/**
	 * Reads the state of the service before the workflow runs, for the comparison afterwards.
	 *
	 * @param service the messaging service over plain HTTP
	 */
	prepare: (
		service: AxiosInstance,
		customer: Customer,
		platform: Platform,
	) => Promise<PreparedExample>;
}

/** What customers do, which no API of the service does. */
export interface Customer {
	/** Writes a message in a chat, now or at another time, in milliseconds since the epoch. */
	write: (chatId: string, text: string, at?: number) => void;
}

/** What the owner of the messaging platform does, who approves templates. */
export interface Platform {
	pauseTemplate: (name: string) => void;
}

/** An example whose workflow can be run now. */
export interface PreparedExample {
	/**
	 * Causes the events that the workflow's trigger waits for, once the workflow is published.
	 *
	 * @returns how many items start the workflow
	 */
	causeEvent?: () => Promise<number>;
	/** The same for a second run, which continues what the first one began. */
	causeNextEvent?: () => Promise<number>;
	/** What people enter in the form that starts the workflow, one after the other. */
	submissions?: IDataObject[];
	/** Responds to the messages that the workflow waits for, as those who got them. */
	respond?: () => Promise<void>;
	/** The item with which another trigger of the workflow starts it after the first run, whose result it may contain. */
	continueWith?: (run: IRun) => { trigger: string; item: INodeExecutionData };
	/** Waits until the service has done what happens while a Wait node lets time pass. */
	letTimePass?: () => Promise<void>;
	/**
	 * Reads the state of the service after the run, or the second one. Lines are printed; each failure is a deviation from
	 * the expected result.
	 */
	check: (run: IRun) => Promise<{ lines: string[]; failures: string[] }>;
}
