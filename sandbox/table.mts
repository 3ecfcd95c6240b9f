/** Records by id, in order of creation. Lists show the newest first, so new records shift rows. */
export class Table<T extends { id: string }> {
	private readonly byId = new Map<string, T>();
	private readonly rows: T[] = [];

	get size(): number {
		return this.rows.length;
	}

	get(id: string): T | undefined {
		return this.byId.get(id);
	}

	add(row: T): T {
		this.byId.set(row.id, row);
		this.rows.push(row);
		return row;
	}

	delete(id: string): void {
		const row = this.byId.get(id);
		if (!row) return;
		this.byId.delete(id);
		this.rows.splice(this.rows.lastIndexOf(row), 1);
	}

	/** Newest first. */
	*newestFirst(): Generator<T> {
		for (let i = this.rows.length - 1; i >= 0; i--) yield this.rows[i] as T;
	}

	/** Rows of one page, newest first, and the total. */
	page(
		keep: ((row: T) => boolean) | undefined,
		{ page, limit }: { page: number; limit: number },
	): { rows: T[]; total: number } {
		const first = (page - 1) * limit;
		const rows: T[] = [];
		let total = 0;
		if (!keep) {
			total = this.rows.length;
			for (let i = total - 1 - first; i >= 0 && rows.length < limit; i--)
				rows.push(this.rows[i] as T);
			return { rows, total };
		}
		for (let i = this.rows.length - 1; i >= 0; i--) {
			const row = this.rows[i] as T;
			if (!keep(row)) continue;
			if (total >= first && rows.length < limit) rows.push(row);
			total++;
		}
		return { rows, total };
	}

	filter(keep: (row: T) => boolean): T[] {
		return [...this.newestFirst()].filter(keep);
	}

	find(keep: (row: T) => boolean): T | undefined {
		for (const row of this.newestFirst()) if (keep(row)) return row;
		return undefined;
	}
}
