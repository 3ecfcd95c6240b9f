import type { Assumption } from '../assumption.mts';
import { broadcastCsvColumns } from './broadcastCsvColumns.mts';
import { broadcastOrder } from './broadcastOrder.mts';
import { broadcastShape } from './broadcastShape.mts';
import { chatActivity } from './chatActivity.mts';
import { chatEscalation } from './chatEscalation.mts';
import { chatOrder } from './chatOrder.mts';
import { contactShape } from './contactShape.mts';
import { exportColumns } from './exportColumns.mts';
import { importErrorColumns } from './importErrorColumns.mts';
import { importShape } from './importShape.mts';
import { importStates } from './importStates.mts';
import { importTemplateColumns } from './importTemplateColumns.mts';
import { listCounts } from './listCounts.mts';
import { listPlace } from './listPlace.mts';
import { messageCursor } from './messageCursor.mts';
import { messageKeys } from './messageKeys.mts';
import { messageOrder } from './messageOrder.mts';
import { notFoundShape } from './notFoundShape.mts';
import { pageSizes } from './pageSizes.mts';
import { paging } from './paging.mts';
import { rateLimitCounts } from './rateLimitCounts.mts';
import { rateLimitHeaders } from './rateLimitHeaders.mts';
import { recordIds } from './recordIds.mts';
import { recordLinks } from './recordLinks.mts';
import { segmentMembers } from './segmentMembers.mts';
import { statusFilter } from './statusFilter.mts';
import { templateComponents } from './templateComponents.mts';
import { templateLimit } from './templateLimit.mts';
import { templateStatus } from './templateStatus.mts';
import { ticketNumber } from './ticketNumber.mts';
import { ticketOrder } from './ticketOrder.mts';
import { ticketStatus } from './ticketStatus.mts';
import { unlistedForbidden } from './unlistedForbidden.mts';
import { waIdForm } from './waIdForm.mts';
import { waIdLookup } from './waIdLookup.mts';
import { waIdUsers } from './waIdUsers.mts';

/**
 * All assumptions. Those that more depends on come first, in case the requests do not suffice; orders come late, so
 * that some time passes between the two readings of a list; what is judged from all responses comes last.
 */
export const assumptions: readonly Assumption[] = [
	listPlace,
	listCounts,
	ticketStatus,
	statusFilter,
	chatEscalation,
	recordLinks,
	notFoundShape,
	messageCursor,
	messageOrder,
	messageKeys,
	chatActivity,
	importStates,
	importShape,
	broadcastShape,
	contactShape,
	paging,
	waIdForm,
	waIdLookup,
	waIdUsers,
	ticketNumber,
	segmentMembers,
	templateStatus,
	templateComponents,
	importTemplateColumns,
	broadcastCsvColumns,
	exportColumns,
	importErrorColumns,
	pageSizes,
	templateLimit,
	recordIds,
	ticketOrder,
	chatOrder,
	broadcastOrder,
	unlistedForbidden,
	rateLimitHeaders,
	rateLimitCounts,
];
