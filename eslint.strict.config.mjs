/**
 * The strictest rules of typescript-eslint, for all code. They are a second configuration because n8n verifies that
 * eslint.config.mjs, in a package in strict mode, is the one of its template.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{ ignores: ['dist/**', '**/node_modules/**', '**/*.js', '**/*.mjs'] },
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts', '**/*.mts'],
		extends: [...tseslint.configs.strictTypeChecked],
		languageOptions: {
			parserOptions: {
				// It imports all of nodes/ and credentials/, so one program serves all files.
				project: './tsconfig.workbench.json',
				tsconfigRootDir: dirname(fileURLToPath(import.meta.url)),
			},
		},
		rules: {
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			'@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
			'@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		linterOptions: { noInlineConfig: true },
	},
	{
		// Handlers respond at once; the code around them awaits.
		files: ['**/*.mts'],
		rules: { '@typescript-eslint/require-await': 'off' },
	},
	{
		// Assertions access responses whose shape is being tested.
		files: ['test/**/*.mts', 'bench/**/*.mts'],
		rules: {
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
			'@typescript-eslint/no-explicit-any': 'off',
			'@typescript-eslint/no-non-null-assertion': 'off',
			// The runner awaits its tests by itself.
			'@typescript-eslint/no-floating-promises': [
				'error',
				{
					allowForKnownSafeCalls: [
						{ from: 'package', name: ['test', 'before', 'after'], package: 'node:test' },
					],
				},
			],
		},
	},
);
