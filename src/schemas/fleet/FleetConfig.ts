/** `fleet`: several machines that are one gateway, with a database that they share. Without it, a gateway is one process. */
import * as Schema from "effect/Schema"
import type { ConfigIssue } from "../config/ConfigIssue.ts"
import { globs, key, optional, required, sound, text, whole } from "../config/Keys.ts"
import { hasSome, section } from "../config/Sections.ts"
import {
  DATABASE_CONNECTIONS,
  DATABASE_CONNECTIONS_MAX,
  DATABASE_CONNECTIONS_MIN,
  FLEET_KEEP_DAYS,
  FLEET_KEEP_DAYS_MAX
} from "../defaults/Fleet.ts"
import { FLEET_SESSIONS_HIGHEST, FLEET_SESSIONS_MAX } from "../defaults/Listener.ts"
import { kindOfAddress } from "../connection/Address.ts"
import { NODE_NAME } from "./Node.ts"

const PLACE = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)):(?<port>\d{1,5})$/i
const PORT_MAX = 65_535

/** `host` without brackets. */
export const placeIn = (text: string): { readonly host: string; readonly port: number } | undefined => {
  const { name, port, six } = PLACE.exec(text)?.groups ?? {}
  const host = six ?? name
  return host === undefined || Number(port) < 1 || Number(port) > PORT_MAX ? undefined : { host, port: Number(port) }
}

const isAll = (host: string): boolean => host === "0.0.0.0" || /^[0:]+$/.test(host)

export const listenFault = (text: string): string | undefined => {
  const place = placeIn(text)
  return place === undefined || kindOfAddress(place.host) === "unreadable"
    ? 'must be an address of this machine and a port, such as "10.0.0.5:7731" or "0.0.0.0:7731"'
    : undefined
}

const advertiseFault = (text: string): string | undefined => {
  const place = placeIn(text)
  return place === undefined || isAll(place.host)
    ? 'must be a name or an address with a port, such as "node-1.internal:7731"'
    : undefined
}

const nameFault = (text: string): string | undefined =>
  NODE_NAME.test(text) ? undefined : "must be at most 63 letters, digits and dashes, with no dash at either end"

/** `advertise` says it when `listen` is not an address that others can use. */
export const isReachable = (listen: string): boolean => !isAll(placeIn(listen)?.host ?? "")

const Peers = Schema.Struct({
  secret: required(
    text,
    "the secret by which the nodes of the fleet recognize each other; at least 32 characters, the same at each, usually a `secret://` reference"
  )
})

const KEYS = {
  database: optional(
    text,
    "required",
    "the address of the PostgreSQL database, `postgres://user:password@host:5432/name`; usually a `secret://` reference"
  ),
  listen: optional(sound(listenFault), "required", "the address and port on which the other nodes reach this one"),
  peers: optional(Peers, "required", "how the nodes recognize each other"),
  name: optional(sound(nameFault), "the host name, up to its first dot", "the name of this node, which no other has"),
  advertise: optional(
    sound(advertiseFault),
    "`listen`",
    "where the other nodes reach this one, if that is another address; needed when `listen` is all addresses"
  ),
  idempotent: key(
    globs,
    [],
    "tools that may run again, as names or patterns like those of rules: when the node of its server or of its session dies, a call runs again elsewhere, at most three times in all"
  ),
  keepDays: key(
    whole(`a number of days, 1 to ${FLEET_KEEP_DAYS_MAX}`, 1, FLEET_KEEP_DAYS_MAX),
    FLEET_KEEP_DAYS,
    "how many days the audit log and the journal of calls are kept in the database"
  ),
  connections: key(
    whole(
      `a number, ${DATABASE_CONNECTIONS_MIN} to ${DATABASE_CONNECTIONS_MAX}`,
      DATABASE_CONNECTIONS_MIN,
      DATABASE_CONNECTIONS_MAX
    ),
    DATABASE_CONNECTIONS,
    "the most connections to the database that this node has"
  ),
  sessions: key(
    whole(`a number, 1 to ${FLEET_SESSIONS_HIGHEST}`, 1, FLEET_SESSIONS_HIGHEST),
    FLEET_SESSIONS_MAX,
    "the most MCP sessions of this node; it has 512 more connections of clients than that; a node that is full gives new sessions to others"
  )
}

type Written = Schema.Struct.Type<typeof KEYS>

/** How this process is a node of a fleet. */
export interface FleetConfig extends Omit<Written, "database" | "listen" | "peers" | "name" | "advertise"> {
  /** May contain `secret://` references. */
  readonly database: string
  readonly listen: string
  /** Where others reach it. */
  readonly advertise: string
  /** May contain `secret://` references. */
  readonly peersSecret: string
  /** Default: the name of the machine. */
  readonly name: string | undefined
  /** Why it cannot be joined: something that the section refers to is missing. */
  readonly fault?: ConfigIssue | undefined
  /** The same of what only a node needs, and no command that reads the database. */
  readonly nodeFault?: ConfigIssue | undefined
}

/** Other programs have a `fleet`, too. */
export const FLEET = section("fleet", KEYS, (value) => hasSome(value, ["database", "peers"]))
