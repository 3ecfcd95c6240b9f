/**
 * Ends the process if Node.js is too old. Scripts import it first. They and what they import from here use syntax and
 * named imports that Node.js 12 has; otherwise an older Node.js would stop at those before it gets here.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`This is Node.js ${process.versions.node}. Install Node.js 20.19 or newer.`);
	process.exit(1);
}
