/**
 * `npm run editor`: n8n's editor with this package, a credential and all example workflows, and the messaging service
 * on this machine, until you press Ctrl+C.
 */
import { fastClock } from '../../sandbox/clock.mts';
import { fillIn } from '../../examples/fillIn.mts';
import { EndToEnd, examples } from './harness.mts';
import { OWNER } from './n8nServer.mts';

console.log('Starting n8n and the messaging service…');
const e2e = await EndToEnd.start({ clock: fastClock(10) });
for (const [name, file] of examples()) await e2e.save(fillIn(name, file, e2e.sandbox.world));

console.log(`
n8n       ${e2e.n8n.url}
  e-mail    ${OWNER.email}
  password  ${OWNER.password}

Messaging service  ${e2e.sandbox.baseUrl}
  Its clock runs ten times as fast as yours: broadcasts and imports end sooner.

Tokens, for credentials of your own
  everything allowed       ${e2e.sandbox.tokens.all.value}
  without settings.view    ${e2e.sandbox.tokens.withoutSettings.value}
  expired                  ${e2e.sandbox.tokens.expired.value}

The example workflows are in the list of workflows. Press Ctrl+C to end.`);

// Ctrl+C is the normal way to end it, not a failure.
process.exitCode = 0;
