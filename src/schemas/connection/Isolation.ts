/** Who has processes of a server for themselves, and which process a server is. Pure. */
import { SERVE_OWN_IDLE_MS } from "../defaults/Serve.ts"
import type { Isolation } from "../config/ServerKeys.ts"
import { matchesGlob } from "../data/Glob.ts"
import { memoOf } from "../data/Memo.ts"
import { type Person, personIdOf } from "../login/Identity.ts"
import { isForPersonsOnly, launchFor } from "./PersonPlaceholder.ts"
import { fingerprint, ownerOf, type ServerConfig } from "./ServerConfig.ts"

/** Who has one of a server for itself; `undefined` where it is shared as ever. */
export const isolationOf = ({ isolate }: ServerConfig, ofAll: Isolation | false): Isolation | undefined => {
  const chosen = isolate ?? ofAll
  return chosen === false ? undefined : chosen
}

/** As an agent has it: one that is not shared with other agents is its alone. */
export const heldByAgent = (agent: string, server: ServerConfig): ServerConfig =>
  server.share || server.session !== undefined ? server : { ...server, share: true, holder: `agent ${agent}` }

/** The entry, as it is for one person. One that cannot be made for them is never started, and neither is one that is made for nobody. */
const madeFor = (server: ServerConfig, person: Person | undefined): ServerConfig => {
  if (server.isolate !== "person" || (person === undefined && isForPersonsOnly(server))) return server
  const { launch, problem } = launchFor(server.launch, person)
  if (problem === undefined) return { ...server, launch, written: server.launch }
  return { ...server, fault: server.fault ?? { file: "", line: 0, path: "", message: problem } }
}

export interface Visitor {
  /** Who holds its token. */
  readonly principal: string
  /** Of its connection. */
  readonly session: string
  /** Behind it, if it is known. */
  readonly person?: Person | undefined
}

const CLIENT = "client "
const SESSION = "session "
const PERSON = "person "

const holderFor = (isolation: Isolation, { person, principal, session }: Visitor): string => {
  if (isolation === "session") return `${SESSION}${session} of ${principal}`
  // Whoever is no person is one by its client.
  return isolation === "client" || person === undefined ? CLIENT + principal : PERSON + personIdOf(person)
}

/** As a client has it that has one of its own: started when it needs it. What it holds is lost when that is stopped. */
export const heldByClient = (server: ServerConfig, isolation: Isolation, visitor: Visitor): ServerConfig => {
  const { person } = visitor
  return {
    ...madeFor(server, person),
    // One of a session has no other user, and leaves nothing behind.
    share: isolation !== "session",
    lazy: true,
    idleTtlMs: server.idleTtlMs === 0 ? SERVE_OWN_IDLE_MS : server.idleTtlMs,
    holder: holderFor(isolation, visitor),
    ...(isolation === "person" && person !== undefined ? { person } : {})
  }
}

/** Whether it is one client's alone. */
export const isOneClients = ({ holder }: ServerConfig): boolean =>
  holder !== undefined && (holder.startsWith(CLIENT) || holder.startsWith(SESSION))

/** Whether it is that of one client or of one person. */
export const isOwn = (config: ServerConfig): boolean =>
  isOneClients(config) || config.holder?.startsWith(PERSON) === true

/** Whose login counts there, where each person has their own; `undefined` for the user who runs this program. */
export const accountOf = (config: ServerConfig): string | undefined =>
  config.launch.kind !== "stdio" && config.launch.auth?.per === "person" && isOwn(config) ? config.holder : undefined

/** The same, of the person with this id. */
export const accountOfPerson = (personId: string): string => PERSON + personId

/** Enough to tell one session from another. */
const SESSION_SHOWN_CHARS = 8
/** Enough to tell two persons of the same name apart. */
const PERSON_SHOWN_CHARS = 6

const PERSON_ID = /^[0-9a-f]{32}$/

/** Who has it alone, in words for the operator; `undefined` if it is the agent's. */
export const whoseOf = (config: Pick<ServerConfig, "holder" | "person" | "session">): string | undefined => {
  const { holder = "", person, session } = config
  if (session !== undefined) return SESSION + session.slice(0, SESSION_SHOWN_CHARS)
  if (person !== undefined) return `${person.name} #${personIdOf(person).slice(0, PERSON_SHOWN_CHARS)}`
  if (holder.startsWith(CLIENT)) return holder.slice(CLIENT.length)
  if (!holder.startsWith(SESSION)) return undefined
  const [id = "", ...principal] = holder.slice(SESSION.length).split(" of ")
  return `${principal.join(" of ")}, ${SESSION}${id.slice(0, SESSION_SHOWN_CHARS)}`
}

/**
 * Whether what `whoseOf` says names a person, by a pattern for the name or by the id: their own processes, and those of their clients. A client
 * that is no person's begins with `client`.
 */
export const isPersons = (whose: string | undefined, pattern: string): boolean => {
  if (whose === undefined || whose.startsWith(CLIENT) || whose.startsWith(SESSION)) return false
  const [wanted, text] = [pattern.toLowerCase(), whose.toLowerCase()]
  const isId = PERSON_ID.test(wanted) && text.endsWith(` #${wanted.slice(0, PERSON_SHOWN_CHARS)}`)
  return isId || matchesGlob(`${wanted} by *`, text) || matchesGlob(`${wanted} #*`, text)
}

/**
 * The same for somebody of whom the ids and the clients are known. The beginning of an id may be that of another person's, too, so one of the names
 * has to be there, unless none is known.
 */
export const isOfPerson = (
  whose: string | undefined,
  { clients, ids, names }: Readonly<Record<"clients" | "ids" | "names", ReadonlyArray<string>>>
): boolean => {
  if (whose === undefined) return false
  const known = names.filter((name) => name !== "")
  const isNamed = known.length === 0 || known.some((name) => whose.startsWith(`${name} #`))
  return (
    (isNamed && ids.some((id) => whose.endsWith(` #${id.slice(0, PERSON_SHOWN_CHARS)}`))) ||
    clients.some((client) => whose === client || whose.startsWith(`${client}, ${SESSION}`))
  )
}

/** The name of a server with whose it is. */
export const nameWith = (server: string, whose: string | undefined): string =>
  whose === undefined ? server : `${server} (${whose})`

/** The same for those who share a process or a connection: the name of the server, and what tells it from others of that name. */
export const processOf = memoOf((config: ServerConfig): string =>
  config.holder === undefined ? ownerOf(config) : `${ownerOf(config)}\n${config.holder}`
)

/** What a pool keeps one supervised server for. */
export const poolKeyOf = (config: ServerConfig): string =>
  fingerprint(config) + (config.enabled ? "" : ":disabled") + (config.holder === undefined ? "" : `:${config.holder}`)
