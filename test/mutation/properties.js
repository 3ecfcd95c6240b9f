/** A property is checked with the same values for every fault, with fewer of them, and without looking for the smallest. */
const fc = require('fast-check');

fc.configureGlobal({ numRuns: 30, seed: 1, endOnFailure: true });
