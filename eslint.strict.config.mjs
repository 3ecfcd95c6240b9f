/**
 * The strictest rules of typescript-eslint for the code that is published. They are a second configuration because n8n
 * verifies that eslint.config.mjs, in a package in strict mode, is the one of its template.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{ ignores: ['**', '!nodes/**', '!credentials/**'] },
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		extends: [...tseslint.configs.strictTypeChecked],
		linterOptions: { noInlineConfig: true },
		languageOptions: {
			parserOptions: {
				project: './tsconfig.json',
				tsconfigRootDir: dirname(fileURLToPath(import.meta.url)),
			},
		},
		rules: {
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			'@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
			'@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
		},
	},
);
