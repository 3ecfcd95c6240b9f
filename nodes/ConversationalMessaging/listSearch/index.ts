import { searchAgents } from './agents';
import { searchBroadcasts } from './broadcasts';
import { searchChannels } from './channels';
import { searchChats } from './chats';
import { searchContacts } from './contacts';
import { searchCountries } from './countries';
import { searchContactFields, searchFieldLabels } from './customFields';
import { searchFlows } from './flows';
import { searchImports } from './imports';
import { searchRecipients } from './recipients';
import { searchSegments } from './segments';
import { searchTickets } from './tickets';
import { searchTimeZones } from './timeZones';

/** The methods behind every "From List", by the names that the fields use. */
export const listSearch = {
	searchAgents,
	searchBroadcasts,
	searchChannels,
	searchChats,
	searchContactFields,
	searchContacts,
	searchCountries,
	searchFieldLabels,
	searchFlows,
	searchImports,
	searchRecipients,
	searchSegments,
	searchTickets,
	searchTimeZones,
};
