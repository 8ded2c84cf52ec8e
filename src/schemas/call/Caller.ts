/** Whose call it is: made once at the door, from what the door has checked. What a client says of itself is not in it. Pure. */
import { type Identity, type Person, personIdOf } from "../login/Identity.ts"

/** Whose call it is. The door makes one object for a client and passes the same with each of its requests. */
export interface Caller {
  /**
   * The client, where the agent has several that do not know each other: the holder of a token, or `operator` for commands and the page. Each
   * has its own limits, sessions and kept results.
   */
  readonly client?: string | undefined
  /** The person behind it; `undefined` for a program that acts for itself. */
  readonly person?: Person | undefined
  readonly groups: ReadonlyArray<string>
  readonly roles: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
  /** By what the rules of clients decide; `undefined` for those who are subject to none: the operator, and clients that are not over HTTP. */
  readonly identity?: Identity | undefined
}

const NOTHING_MORE: Pick<Caller, "groups" | "roles" | "scopes"> = { groups: [], roles: [], scopes: [] }

/** A caller of which only its client is known. */
export const callerOf = (client: string | undefined): Caller => ({ client, ...NOTHING_MORE })

/** Who holds a token: `principal` is the client as limits, sessions and records have it. */
export const callerWith = (principal: string | undefined, identity: Identity | undefined): Caller => {
  if (identity === undefined) return callerOf(principal)
  const { groups, person, roles, scopes } = identity
  return { client: principal, person, groups, roles, scopes, identity }
}

/** The issuer of the users of an operating system: no address, so that no token can name it. */
const OPERATING_SYSTEM = "operating system"

export interface TerminalUser {
  readonly username: string
  /** `undefined` on Windows. */
  readonly uid: number | undefined
}

/** The user who runs this program: at a terminal and in an editor, calls are theirs. */
export const callerAtTerminal = ({ uid, username }: TerminalUser, client?: string): Caller => ({
  client,
  person: { issuer: OPERATING_SYSTEM, subject: String(uid ?? username), name: username },
  ...NOTHING_MORE
})

/** Somebody who is known by the operating system alone. */
export const isTerminal = ({ issuer }: Pick<Person, "issuer">): boolean => issuer === OPERATING_SYSTEM

/** The id of somebody who has logged in; the user of the operating system, to whom the data directory belongs, has none. */
export const loggedInId = (caller: Caller | undefined): string | undefined =>
  caller?.person === undefined || isTerminal(caller.person) ? undefined : personIdOf(caller.person)
