/** The nodes of a fleet, and the connections between them. Defaults and limits, with their units in the names. */

/** The oldest contract (`FLEET_CONTRACT`) whose nodes this version still works with. */
export const FLEET_CONTRACT_OLDEST = 1
/** A handshake that takes longer is ended; so many are under way at a time, in all and from one address. */
export const PEER_HANDSHAKE_MS = 3_000
export const PEER_HANDSHAKES_MAX = 512
export const PEER_HANDSHAKES_OF_ADDRESS_MAX = 64
/** Handshakes of those who are no nodes yet: so many at once and a minute, from one address and from all. */
export const STRANGERS_OF_ADDRESS_BURST = 64
export const STRANGERS_OF_ADDRESS_PER_MINUTE = 600
export const STRANGERS_BURST = 512
export const STRANGERS_PER_MINUTE = 6_000
/** So many addresses are remembered: of strangers, and of those who have proved the secret. */
export const PEER_ADDRESSES_MAX = 4_096
/** Connections of other nodes. */
export const PEER_CONNECTIONS_MAX = 16_384
/** A node that does not accept a connection within this time is silent. */
export const PEER_DIAL_MS = 1_500
/** A node that is asked what runs there has this time to answer. */
export const NODE_ANSWER_MS = 2_000
/** One message between nodes: the largest result of a server fits. */
export const PEER_MESSAGE_MAX_BYTES = 256 * 1024 * 1024
/** How often an open connection is asked whether the other end lives, and after how much silence it is given up. */
export const PEER_PING_MS = 5_000
export const PEER_SILENT_MS = 15_000
/** A node writes to the database that it lives, and asks the others directly. */
export const HEARTBEAT_MS = 1_000
/** A node that was not heard of for this time may be dead; it is, if it does not answer either. */
export const NODE_EXPIRES_MS = 3_000
/** A node serves what belongs to it for this time after it was last confirmed. Less than the time after which it may be replaced. */
export const NODE_LEASE_MS = 2_500
/** Rows of dead nodes are kept for people to look at. */
export const DEAD_NODE_KEPT_MS = 24 * 60 * 60_000
/** A server process stays for this time after other nodes have stopped using it: a connection that broke may come back. */
export const FAR_LEASE_GRACE_MS = 10_000
/** Reports and questions that wait for another node; more are left out. */
export const FAR_EVENTS_WAITING_MAX = 1_024
/** Server processes that all nodes use, at one node. */
export const SERVERS_OF_NODE_MAX = 10_000
/** A use waits for so long for a place to be found, before the server counts as unavailable. */
export const PLACING_MS = 5_000
export const PLACING_RETRY_MS = 500
/** A node that goes waits for the calls of others for this time. */
export const HAND_OVER_MS = 30_000
/** A request that was refused because its place has moved is sent to the new one, so often. */
export const MOVED_TRIES = 5
/** The headers of a request that is passed on: those of its client, and what its token says of the client. */
export const PEER_HEADERS_MAX_BYTES = 512 * 1024
/** How often somebody's page looks for nodes that have come, and tries those again that were not reached. */
export const NODE_LOOK_MS = 2_000
/** The first line of a connection on behalf of a person: groups, roles and scopes are bounded in a token. */
export const INTRODUCTION_MAX_BYTES = 1024 * 1024
/** What somebody hears of other nodes stays for so long after their last page, and so many of their calls wait for a page that reads slowly. */
export const PERSON_HEARD_KEPT_MS = 5_000
export const PERSON_CALLS_WAITING_MAX = 1_024
/** A line about questions that are for nobody is logged this often, and so many different ones are remembered. */
export const UNASKED_LOGGED_MS = 60_000
export const UNASKED_REMEMBERED_MAX = 256
