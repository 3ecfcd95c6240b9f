/** Words that names of keys and columns usually consist of. A name made of these alone is never somebody's. */
export const KEY_WORDS = new Set(
	`id ids uuid guid cuid key keys code ref reference number num no nr seq sequence index position rank order
	name names first last middle full given family sur surname nick display custom user username label labels title
	titles subject summary text texts body content contents message messages msg note notes comment comments
	description desc reason value values type types kind kinds class category categories group groups tag tags
	status statuses state states stage phase step is has was are can needs need should active inactive enabled disabled deleted
	archived read unread seen open opened closed close new old draft pending approved rejected started ended finished completed
	done failed failure failures error errors warning warnings success successful succeeded processed processing queued total
	totals count counts counter counters amount sum size length limit offset page pages per row rows record records entry
	entries item items list lists result results data meta metadata pagination paging cursor next previous prev before
	after more take skip total current max min
	created create creation updated update changed change modified modify inserted added touched at on date time timestamp ts
	day month year hour minute second seconds ms millis duration timezone tz since until from to start end expires expiry expired
	due scheduled schedule sent send sender delivered received receive recipient recipients incoming outgoing inbound outbound in
	out by of and or the for with without as via
	direction way dir me mine self own owner author
	customer customers contact contacts client clients person people member members membership memberships lead visitor agent
	agents assignee assigned assign operator staff team teams user users role roles permission permissions profile
	org organisation organization organisations organizations company account accounts tenant workspace project plan
	chat chats conversation conversations thread threads session sessions dialog room inbox ticket tickets case cases issue
	issues task tasks queue channel channels platform source provider service network integration
	whatsapp wa wamid instagram ig telegram tiktok web webchat facebook messenger sms email mail mails phone phones mobile tel
	telephone msisdn cell fax address addresses street city zip postal postcode country region province language languages locale lang
	url urls uri link links href path file files filename image images picture photo avatar logo icon media mime attachment
	attachments video audio document sticker caption preview format template templates component components header footer
	button buttons variable variables parameter parameters param params example examples quality score rating hsm namespace
	broadcast broadcasts campaign campaigns audience segment segments rule rules condition conditions filter filters dynamic
	static flow flows journey journeys trigger triggers keyword automation bot ai auto
	job jobs import imports importer export exports upload download log logs event events history activity activities
	statistic statistics stat stats metrics metric report reports rate bounced clicked replied opted opt optin optout
	subscribed unsubscribed blocked spam block
	priority severity level urgency importance escalation escalated escalate escalations handover human
	resolved resolution closed solved response responses reply replies request requests answer answers question payload
	settings setting config configuration options option preferences property properties attribute attributes field fields
	column columns extra extras additional other others default defaults version revision external internal remote local
	parent child children related relation relations root base main primary secondary api app application token secret hash
	checksum signature ip device browser agent os public private visible hidden visibility locked flag flags
	test live mode origin destination target context related ttl category credits credit price cost currency tax invoice
	online offline available availability busy away presence last latest earliest recent
	interaction interactions contacted spoke talked wrote written write visit visits
	utc iso epoch unix sort sorted ascending descending asc desc query search term filter scope
	assigned unassigned takeover held hold holder responsible
	import template sample row line lines failed valid invalid skipped duplicate duplicates imported
	all any none eq ne gt lt gte lte equals contains operator
	e g`
		.split(/\s+/)
		.filter(Boolean),
);

/** Keys whose values are maps with keys of the users' own, such as the labels of custom fields. */
export const MAP_NAMES =
	/^(?:custom|extra|additional|user|dynamic|contact)?_?(?:custom_?)?(?:fields?|attributes?|properties|props|labels?|tags?|variables?|params|parameters|metadata|values|data_?fields?|traits|answers|columns|by_?\w+|\w+_?by_?\w+)$/i;

/** Words that states, types and directions usually consist of, in any case. */
export const STATE_WORDS = new Set(
	`open opened new created draft pending waiting queued enqueued scheduled accepted received submitted started starting
	initialized processing in progress running active inactive importing sending working paused on hold held delayed deferred
	retrying retry snoozed assigned unassigned escalated none resolved solved closed done complete completed finished success
	successful succeeded processed imported sent delivered read seen partial partially with errors error errored failed failure
	fail rejected cancelled canceled aborted expired stopped terminated interrupted ended timeout timed out skipped deleted
	disabled archived blocked approved verified unverified review under appeal flagged limit exceeded locked not to do reopened
	inbound outbound incoming outgoing in out from to customer contact client user agent operator bot ai flow human system
	business organization service visitor echo me us them
	low medium normal high urgent critical minor major marketing utility authentication
	whatsapp instagram telegram tiktok shop webchat web chat widget website facebook messenger sms email mail line viber
	text image video audio document file location sticker template interactive button list reaction contacts media voice
	header body footer buttons url phone number copy code quick reply otp carousel order
	admin supervisor owner manager member guest
	static dynamic now schedule segment csv yes no true false`
		.split(/\s+/)
		.filter(Boolean),
);

/** Words of the names of rate-limit headers. */
export const HEADER_WORDS = new Set(
	`x rate ratelimit limit limits limited remaining left used reset resets next refill retry after policy quota
	throttle throttling throttled throttler window requests request calls call api app user token tenant client key
	available budget tokens points short medium long second minute hour day default global burst ms seconds at time in
	sec min msec timestamp epoch total max allowed count period interval`
		.split(/\s+/)
		.filter(Boolean),
);
