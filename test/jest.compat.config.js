/** The tests on n8n's engine, on another version of it: see tools/scripts/compat.mts, which sets its path. */
const config = require('../jest.config.js');

const modules = `${process.env.N8N_CORE_FOLDER}/node_modules`;

module.exports = {
	...config,
	rootDir: '..',
	testMatch: ['<rootDir>/test/engine/**/*.test.mts'],
	moduleNameMapper: {
		...config.moduleNameMapper,
		'^(n8n-core|n8n-workflow|reflect-metadata|@n8n/di|@n8n/backend-network)$': `${modules}/$1`,
	},
};
