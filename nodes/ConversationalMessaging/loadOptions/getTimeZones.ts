import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

/** The names of all time zones, for the editor. */
export async function getTimeZones(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const { supportedValuesOf } = Intl as typeof Intl & {
		supportedValuesOf: (key: 'timeZone') => string[];
	};
	const names = ['UTC', ...supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
	return await Promise.resolve(names.map((name) => ({ name, value: name })));
}
