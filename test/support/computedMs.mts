/** How long this process has computed, in milliseconds: on a busy machine, an action takes longer, but computes as much. */
export function computedMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
}
