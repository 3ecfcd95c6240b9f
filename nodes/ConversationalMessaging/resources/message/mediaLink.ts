import type { IBinaryData } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { isPublicUrl } from '../../api/access/publicUrl';
import type { OperationContext } from '../../runner/operationContext';

/** How long the service can download a file from n8n. */
const LINK_EXPIRY = '1 hour';

/**
 * A link to a file that anybody can open for a limited time.
 *
 * @throws NodeOperationError if the service could not open it
 */
export function mediaLink(context: OperationContext, file: IBinaryData): string {
	const link = context.n8n.helpers.createBinarySignedUrl(file, LINK_EXPIRY);
	// A service in the same network as n8n can open its private address.
	if (isPublicUrl(link) || !isPublicUrl(context.client.baseUrl)) return link;
	throw context.invalid(
		shown`The service cannot download the file from n8n, because ${new URL(link).origin} is not a public address`,
		'Set n8n’s WEBHOOK_URL to its public address, or set Media Source to URL.',
	);
}
