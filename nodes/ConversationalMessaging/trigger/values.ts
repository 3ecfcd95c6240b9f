export const isCount = (value: unknown): value is number =>
	Number.isFinite(value) && (value as number) >= 0;

export const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((text) => typeof text === 'string');
