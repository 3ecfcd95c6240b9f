import Papa from 'papaparse';
import { iso } from '../clock.mts';
import type { PageSize } from '../contract.mts';
import type { SandboxOptions } from '../options.mts';
import type { FailedRow, ImportJob } from '../records.mts';
import { csvFile, invalid, notFound, pageOf, record, wholeList } from '../replies.mts';
import type { World } from '../world.mts';
import { csvLine } from './contacts.mts';
import { jobData } from '../shapes.mts';
import { type Service, newJobId } from './service.mts';

const QUEUED_MS = 2_000;
const MS_PER_ROW = 20;

/** The state of a job at a given time: it progresses on its own, and imports its rows while it is processed. */
function stateOf(
	world: World,
	job: ImportJob,
): { state: 'queued' | 'processing' | 'completed' | 'failed'; processed: number } {
	const running = world.now() - job.queuedAt - QUEUED_MS;
	const done = Math.min(job.total, Math.floor(running / MS_PER_ROW));
	const takeable = job.total === 0 ? 0 : Math.floor((job.pending.length * done) / job.total);
	for (; job.taken < takeable; job.taken++) {
		const row = job.pending[job.taken] as ImportJob['pending'][number];
		const known =
			(row.waId && world.findContactByWaId(row.waId)) ||
			(row.igId && world.findContactByIgId(row.igId));
		if (known) world.changeContact(known, { name: row.name });
		else world.addContact({ name: row.name, waId: row.waId || null, igId: row.igId || null });
	}
	if (running < 0) return { state: 'queued', processed: 0 };
	if (done < job.total) return { state: 'processing', processed: done };
	return {
		state: job.pending.length === 0 && job.total > 0 ? 'failed' : 'completed',
		processed: job.total,
	};
}

/** The document names two states, but not their spelling. */
const STATES: Record<
	SandboxOptions['shapes']['importStates'],
	(state: string) => string | undefined
> = {
	lower: (state) => state,
	upper: (state) => state.toUpperCase(),
	usual: (state) =>
		({ queued: 'PENDING', processing: 'RUNNING', completed: 'SUCCEEDED', failed: 'ERRORED' })[
			state
		],
	unknown: (state) =>
		({ queued: 'stage-1', processing: 'stage-2', completed: 'stage-3', failed: 'stage-4' })[state],
	none: () => undefined,
};

function jobView(
	world: World,
	job: ImportJob,
	{ shapes: { importStates } }: SandboxOptions,
): { id: string; [field: string]: unknown } {
	const { state, processed } = stateOf(world, job);
	return {
		id: job.id,
		fileName: job.fileName,
		status: STATES[importStates](state),
		totalRows: job.total,
		processedRows: processed,
		successCount: job.taken,
		failedCount: processed === job.total ? job.failedRows.length : 0,
		createdAt: job.createdAt,
	};
}

const isBlank = (cell: string): boolean => cell.trim() === '';

/** Separates the rows of a file into valid and rejected ones. */
function readRows(
	csv: string,
	[name = '', waId = '', igId = '']: string[],
): {
	pending: ImportJob['pending'];
	failedRows: FailedRow[];
	total: number;
} {
	const { data, meta } = Papa.parse<Record<string, string>>(csv, {
		header: true,
		skipEmptyLines: true,
	});
	if (!meta.fields?.includes(name))
		throw invalid(`The CSV file needs a header row with a column "${name}"`);
	const pending: ImportJob['pending'] = [];
	const failedRows: FailedRow[] = [];
	data.forEach((cells, index) => {
		const row = { name: cells[name] ?? '', waId: cells[waId] ?? '', igId: cells[igId] ?? '' };
		const reason = isBlank(row.name)
			? 'name is missing'
			: isBlank(row.waId) && isBlank(row.igId)
				? 'waId or igId is missing'
				: undefined;
		if (reason) failedRows.push({ row: index + 2, ...row, reason });
		else pending.push(row);
	});
	return { pending, failedRows, total: data.length };
}

function jobOr404(world: World, id: string): ImportJob {
	const job = world.imports.get(id);
	if (!job) throw notFound('Import job');
	return job;
}

export const imports: Service = {
	importContacts({ world, file, options }) {
		if (!file) throw invalid('A CSV file is required');
		const now = world.now();
		const job = world.imports.add({
			id: newJobId(world, world.imports, options),
			fileName: file.name,
			...readRows(file.text, options.shapes.importColumns),
			taken: 0,
			queuedAt: now,
			createdAt: iso(now),
		});
		return record(jobData(jobView(world, job, options), 'import', options.shapes));
	},

	listContactImports({ world, query, pageSize, options }) {
		const { limit } = pageOf(query, pageSize as PageSize);
		const active = (job: ImportJob) => ['queued', 'processing'].includes(stateOf(world, job).state);
		const jobs = world.imports.filter((job) => query.activeOnly !== true || active(job));
		const rows = jobs.map((job) => jobView(world, job, options));
		return wholeList('imports', rows, limit);
	},

	getContactImport({ world, params, options }) {
		const job = jobView(world, jobOr404(world, params.id as string), options);
		return record(jobData(job, 'import', options.shapes));
	},

	getContactImportErrors({ world, params }) {
		const job = jobOr404(world, params.id as string);
		const lines = job.failedRows.map((row) =>
			csvLine([String(row.row), row.name, row.waId, row.igId, row.reason]),
		);
		return csvFile(
			`import-${job.id}-errors.csv`,
			csvLine(['row', 'name', 'waId', 'igId', 'error']) + lines.join(''),
		);
	},
};
