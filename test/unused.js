/** Stands in for a library that n8n's engine loads and these tests never use. */
module.exports = new Proxy(
	{},
	{ get: (_target, name) => (name === '__esModule' ? false : class {}) },
);
