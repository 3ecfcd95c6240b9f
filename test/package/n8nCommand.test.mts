import { n8nCommand, n8nImage } from '../../tools/scripts/n8nCommand.mts';

const start = {
	action: 'start' as const,
	folder: '/tmp/run-1',
	env: { PATH: '/n8n/bin', HOME: '/tmp/run-1', N8N_PORT: '5678', N8N_USER_FOLDER: '/tmp/run-1' },
	name: 'n8n-test-5678',
};
const IMAGE = 'docker.n8n.io/n8nio/n8n:3.0.0';

const machine = (programs: string[], { image = IMAGE, uid = 1000 } = {}) => ({
	has: (program: string) => programs.includes(program),
	user: { uid, gid: uid },
	env: { N8N_IMAGE: image, PATH: '/usr/bin', HOME: '/home/ann' },
});

test.each([[undefined], ['']])('without an image (%j), n8n from npm is started', (image) => {
	expect(n8nImage({ N8N_IMAGE: image })).toBeUndefined();
	const { program, args, env, end } = n8nCommand(start, machine(['docker'], { image: '' }));
	expect(program).toMatch(/node$/);
	expect(args).toStrictEqual([expect.stringMatching(/n8n\/bin\/n8n$/), 'start']);
	expect([env, end]).toStrictEqual([start.env, undefined]);
});

test('an image is started with Docker, with its data mounted, on the network of this machine', () => {
	const { program, args, end } = n8nCommand(start, machine(['docker', 'podman']));
	expect(program).toBe('docker');
	expect(args).toStrictEqual([
		'run',
		'--name',
		'n8n-test-5678',
		'--network=host',
		'--user=1000:1000',
		'--volume',
		'/tmp/run-1:/tmp/run-1',
		'--env',
		'N8N_PORT',
		'--env',
		'N8N_USER_FOLDER',
		IMAGE,
		'start',
	]);
	expect(end).toStrictEqual({ program: 'docker', args: ['rm', '--force', 'n8n-test-5678'] });
});

test('the client has the values of n8n’s variables, and keeps its own path and home', () => {
	expect(n8nCommand(start, machine(['docker'])).env).toMatchObject({
		N8N_PORT: '5678',
		PATH: '/usr/bin',
		HOME: '/home/ann',
	});
});

test.each([
	[1000, true],
	[0, false],
])('Podman, as user %i, keeps the user of the files: %j', (uid, keeps) => {
	const { program, args } = n8nCommand(start, machine(['podman'], { uid }));
	expect(program).toBe('podman');
	expect(args.includes('--userns=keep-id')).toBe(keeps);
});

test('a worker is a container of its own', () => {
	const worker = { ...start, action: 'worker' as const, name: 'n8n-test-5680' };
	const { args, end } = n8nCommand(worker, machine(['docker']));
	expect([args[2], args.at(-1), end?.args.at(-1)]).toStrictEqual([
		'n8n-test-5680',
		'worker',
		'n8n-test-5680',
	]);
});

test('an image without Docker and Podman is refused, with what to do', () => {
	expect(() => n8nCommand(start, machine([]))).toThrow(
		/neither docker nor podman.*unset N8N_IMAGE/,
	);
});
