import { createRequire } from 'node:module';

/** Loads what only the benchmarks need, which is installed in a separate folder because of its size. */
export const fromReference = createRequire(new URL('reference/package.json', import.meta.url));
