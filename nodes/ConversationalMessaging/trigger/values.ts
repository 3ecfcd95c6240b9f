export const isCount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

export const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((text) => typeof text === 'string');
