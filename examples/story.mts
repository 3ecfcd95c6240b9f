import type { AxiosInstance } from 'axios';
import type { IRun } from 'n8n-workflow';

/** An example workflow with what it is for, and how to tell that it did it. */
export interface Story {
	/** The workflow's file in this folder. */
	file: string;
	title: string;
	/**
	 * Looks at the service before the workflow runs.
	 *
	 * @param service the messaging service over plain HTTP
	 * @returns how to look again afterwards
	 */
	begin: (service: AxiosInstance) => Promise<Ending>;
}

/** Reads the service back after the run. Lines are shown; a complaint means that the workflow did not do its work. */
export type Ending = (run: IRun) => Promise<{ lines: string[]; complaints: string[] }>;
