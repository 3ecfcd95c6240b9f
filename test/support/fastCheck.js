/**
 * fast-check as all tests get it: with the same values in every run, so that a result changes only with the code.
 * With LONG or RUNS, the values are new each time; a property that fails prints its seed.
 */
const fc = require('fast-check/itself');

if (!process.env.LONG && !process.env.RUNS) fc.configureGlobal({ seed: 8 });

module.exports = fc;
