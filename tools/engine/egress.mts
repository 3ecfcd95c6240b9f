import { Container } from '@n8n/di';
import { createRequire } from 'node:module';

/** n8n's class for outgoing requests, as far as it is needed here. */
interface Network {
	OutboundHttp: new () => { ssrfConfig: { enabled: boolean } };
}

const requireHere = createRequire(import.meta.url);

/** Undefined in versions of n8n without egress protection. */
function network(): Network | undefined {
	try {
		return createRequire(requireHere.resolve('n8n-core'))('@n8n/backend-network') as Network;
	} catch {
		return undefined;
	}
}

/**
 * The setting N8N_SSRF_PROTECTION_ENABLED of n8n, which blocks requests to private addresses, such as this machine's.
 *
 * @returns undefined in versions of n8n without it
 */
export function egressProtection(): { enabled: boolean } | undefined {
	const found = network();
	return found && Container.get(found.OutboundHttp).ssrfConfig;
}
