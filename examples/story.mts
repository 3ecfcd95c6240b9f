import type { AxiosInstance } from 'axios';
import type { IRun } from 'n8n-workflow';

/** An answer of the service. */
export interface Answer<T> {
	data: T;
	meta: { total: number; totalPages: number };
}

/** An example workflow with what it is for, and how to tell that it did it. */
export interface Story {
	/** The workflow's file in this folder. */
	file: string;
	title: string;
	/**
	 * Looks at the service before the workflow runs.
	 *
	 * @param service the messaging service over plain HTTP
	 */
	begin: (service: AxiosInstance) => Promise<Telling>;
}

export interface Telling {
	/** What happens at the service once the workflow is published. It begins with a trigger that waits for this. */
	happen?: () => Promise<void>;
	/** Reads the service back after the run. Lines are shown; a complaint means that the workflow did not do its work. */
	ending: (run: IRun) => Promise<{ lines: string[]; complaints: string[] }>;
}
