/** How often code reads from values that it is given: its work, on any machine. */
export class Work {
	reads = 0;

	/** The same value, whose reads are counted, however deep. */
	watch<T>(value: T): T {
		if (typeof value !== 'object' || value === null) return value;
		return new Proxy(value, {
			get: (target, name) => {
				this.reads++;
				return this.watch(Reflect.get(target, name) as unknown);
			},
			ownKeys: (target) => {
				this.reads++;
				return Reflect.ownKeys(target);
			},
		});
	}
}
