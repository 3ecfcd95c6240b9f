import type { AxiosInstance } from 'axios';
import type { IRun } from 'n8n-workflow';

/** A response of the service. */
export interface Answer<T> {
	data: T;
	meta: { total: number; totalPages: number };
}

/** An example workflow, its purpose, and how to check its result. */
export interface Story {
	/** The workflow's file in this folder. */
	file: string;
	title: string;
	/**
	 * Reads the state of the service before the workflow runs.
	 *
	 * @param service the messaging service over plain HTTP
	 */
	begin: (service: AxiosInstance) => Promise<Telling>;
}

export interface Telling {
	/** Causes the event that the workflow's trigger waits for, once the workflow is published. */
	happen?: () => Promise<void>;
	/**
	 * Reads the state of the service after the run. Lines are shown; a complaint means that the workflow did not do
	 * what it should.
	 */
	ending: (run: IRun) => Promise<{ lines: string[]; complaints: string[] }>;
}
