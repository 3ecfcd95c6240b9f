import { outputOf } from '../engine/engine.mts';
import type { ServiceResponse, Example } from './example.mts';

interface Contact {
	id: string;
	waId?: string;
	igId?: string;
}

/** The outputs of Compare. */
const [SAME, DIFFERENT, MISSING] = [1, 2, 3];

export const contactBackup: Example = {
	file: 'contact-backup.json',
	title: 'Back up contacts, restore them in another organization, and compare',

	async prepare(service) {
		const params = { limit: 1 };
		const { data } = await service.get<ServiceResponse<Contact[]>>('/contacts', { params });
		const [newest] = data.data;
		const field = { label: 'birthday', value: '1990-05-06' };
		await service.post(`/contacts/${newest?.id ?? 'none'}/fields`, field);
		return {
			continueWith(run) {
				const [file] = outputOf(run, 'To File');
				const binary = { Backup: file?.binary?.data ?? { data: '', mimeType: '' } };
				return { trigger: 'Upload Backup', item: { json: {}, binary } };
			},
			async check(run) {
				const counts = [MISSING, SAME, DIFFERENT].map((output) => outputOf(run, 'Compare', output));
				const [missing = [], same = [], different = []] = counts;
				const hasAddress = missing.filter(({ json: { waId, igId } }) => waId ?? igId);
				const failures: string[] = [];
				if (
					hasAddress.length + different.length > 0 ||
					same.length !== data.meta.total - missing.length
				)
					failures.push('Expected all contacts with an address to be the same');
				const lines = [
					`${same.length} contacts are the same, ${missing.length} have no address, ${different.length} differ`,
				];
				return await Promise.resolve({ lines, failures });
			},
		};
	},
};
