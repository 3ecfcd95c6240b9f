import dns from 'node:dns';

/** No name server is asked: it knows no host. Call `mockRestore` after the test. */
export const replaceNameServer = (): jest.SpyInstance<void, [host: string]> =>
	jest.spyOn(dns, 'lookup').mockImplementation(((
		host: string,
		_options: unknown,
		done: (error: Error) => void,
	) => {
		const code = 'ENOTFOUND';
		done(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, syscall: 'getaddrinfo' }));
	}) as typeof dns.lookup) as unknown as jest.SpyInstance<void, [host: string]>;
