import { createRequire } from 'node:module';
import type { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';

/** The clock of the built package, which the engine loads. That of the source is another one. */
export const { clock: builtClock } = createRequire(import.meta.url)(
	'../../dist/nodes/ConversationalMessaging/api/base/clock.js',
) as { clock: typeof clock };
