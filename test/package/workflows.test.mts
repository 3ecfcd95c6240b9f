/** The rules of the workflows, above all of the one that publishes. */
import { readdirSync, readFileSync } from 'node:fs';
// By its path: for all other tests, "yaml" is the contract alone (test/yaml.js).
import { parse } from '../../node_modules/yaml/dist/index.js';

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	permissions?: Record<string, string>;
	environment?: string;
	needs?: string | string[];
	'timeout-minutes'?: number;
	steps: Step[];
}

interface Workflow {
	permissions?: Record<string, string>;
	jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows/';
const files = readdirSync(FOLDER).map((name) => ({
	name,
	text: readFileSync(FOLDER + name, 'utf8'),
}));
const workflows = files.map(({ name, text }) => ({ ...(parse(text) as Workflow), name }));
const jobs = workflows.flatMap(({ name, permissions, jobs: all }) =>
	Object.entries(all).map(([id, job]) => ({ name: `${name}, ${id}`, permissions, ...job })),
);

test('each action is named by its commit, with its version beside it, and everywhere by the same', () => {
	const lines = files.flatMap(({ text }) => text.match(/uses: .*/g) ?? []);
	expect(lines.length).toBeGreaterThan(5);
	for (const line of lines)
		expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	const commits = new Map(lines.map((line) => [line.split('@')[0], line]));
	expect(lines.filter((line) => commits.get(line.split('@')[0]) !== line)).toStrictEqual([]);
});

test.each(jobs)('$name has a time limit, and no right but to read unless it publishes', (job) => {
	expect(job['timeout-minutes']).toBeGreaterThan(0);
	const permissions = { ...(job.permissions ?? {}) };
	if (job.environment === 'npm') expect(permissions).toStrictEqual({ 'id-token': 'write' });
	else expect(Object.values(permissions).filter((right) => right !== 'read')).toStrictEqual([]);
	for (const { uses, with: settings } of job.steps)
		if (uses?.startsWith('actions/checkout@'))
			expect(settings).toMatchObject({ 'persist-credentials': false });
});

describe('publish.yml', () => {
	const { pack, test: tests, publish } = workflows.find(({ name }) => name === 'publish.yml')!.jobs;
	const runs = (job: Job) => job.steps.flatMap(({ run }) => run ?? []);
	const actions = (job: Job) => job.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);

	test('jobs without rights check the tag and pack, and test, apart from each other', () => {
		for (const job of [pack!, tests!]) {
			expect(job.permissions).toStrictEqual({ contents: 'read' });
			expect(job.needs).toBeUndefined();
		}
		expect(runs(tests!)).toStrictEqual(['npm test']);
		expect(actions(tests!)).not.toContain('actions/upload-artifact');
		expect(runs(pack!)).toStrictEqual([
			'node tools/scripts/release.mjs "$GITHUB_REF_NAME"',
			'node tools/scripts/task.mjs build -- npm pack',
		]);
	});

	test('the job with the right to publish has only the tarball', () => {
		expect(publish!.needs).toStrictEqual(['pack', 'test']);
		expect(publish!.environment).toBe('npm');
		expect(actions(publish!)).toStrictEqual(['actions/setup-node', 'actions/download-artifact']);
		expect(runs(publish!)).toStrictEqual(['npm publish ./*.tgz']);
	});

	test('none restores a cache', () => {
		const steps = [...pack!.steps, ...tests!.steps, ...publish!.steps];
		const settings = steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@'));
		expect(
			settings.map(({ with: { cache, ...node } = {} }) => [cache, node['package-manager-cache']]),
		).toStrictEqual([
			[undefined, false],
			[undefined, false],
			[undefined, false],
		]);
		expect([pack!, tests!, publish!].flatMap(actions)).not.toContain('actions/cache');
	});
});

test('Dependabot keeps updates of what is published apart from those of the tools', () => {
	const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
		updates: { groups?: Record<string, Record<string, string[]>> }[];
	};
	const published = [...readFileSync('gulpfile.js', 'utf8').matchAll(/bundle\('(.+?)'/g)].map(
		([, file]) =>
			/from '([^'/]+)/.exec(readFileSync(`nodes/ConversationalMessaging/${file!}.ts`, 'utf8'))![1]!,
	);
	expect(published).toHaveLength(2);
	const { bundled, tools } = updates[0]!.groups!;
	expect(bundled!.patterns).toStrictEqual(published.toSorted());
	expect(tools!['exclude-patterns']).toStrictEqual(published.toSorted());
});
