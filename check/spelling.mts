/** How words of a fixed set are written. A report shows them in upper case. */
export function spellingOf(states: readonly string[]) {
	if (states.every((state) => state === state.toUpperCase())) return 'upper case';
	return states.every((state) => state === state.toLowerCase()) ? 'lower case' : 'mixed case';
}
