/** How one client describes its servers: the keys that mean the same as ours, and what needs more than another name. */
import type { KeyPath } from "../KeyPath.ts"
import type { ClientContext } from "./ClientServer.ts"
import type { VariableSyntax } from "./Variables.ts"

/** A key of the client that means the same as one of ours, perhaps in another unit. */
export interface Pair {
  /** In openclaw.json, such as `["tools", "exclude"]`. */
  readonly own: KeyPath
  readonly theirs: string
  /** Values of a wrong type stay as they are: the decoder reports them. */
  readonly read: (value: unknown) => unknown
  readonly write: (value: unknown) => unknown
  /** Read, but never written. */
  readonly isOld?: true
}

const asIs = (value: unknown): unknown => value

export const same = (...keys: ReadonlyArray<string>): ReadonlyArray<Pair> =>
  keys.map((key) => ({ own: [key], theirs: key, read: asIs, write: asIs }))

export const renamed = (own: string, theirs: string): Pair => ({
  own: own.split("."),
  theirs,
  read: asIs,
  write: asIs
})

/** A name that is understood, but that the client no longer writes. */
export const old = (own: string, theirs: string): Pair => ({ ...renamed(own, theirs), isOld: true })

const scaled = (by: number) => (value: unknown) => (typeof value === "number" ? value * by : value)
const SECOND_MS = 1000

export const seconds = (own: string, theirs: string): Pair => ({
  ...renamed(own, theirs),
  read: scaled(SECOND_MS),
  write: scaled(1 / SECOND_MS)
})

const not = (value: unknown): unknown => (typeof value === "boolean" ? !value : value)

export const negated = (own: string, theirs: string): Pair => ({ ...renamed(own, theirs), read: not, write: not })

/** The entry of a client while it is read. */
export interface Taking {
  /** The client's value; it counts as taken. */
  readonly get: (key: string) => unknown
  /** The client's value, which may be taken elsewhere. */
  readonly see: (key: string) => unknown
  /** Sets a part of our entry, unless it is set already; `from` is where the client has it. */
  readonly put: (own: KeyPath, value: unknown, from: KeyPath) => void
  /** The same for a value in our words, in which no variable of the client is looked for. */
  readonly own: (own: KeyPath, value: unknown, from: KeyPath) => void
  readonly remark: (path: KeyPath, message: string) => void
  /** Does not take the server. */
  readonly leave: (reason: string, key?: string) => never
}

/** The entry of a client while it is written. */
export interface Giving {
  /** Our value, which counts as given; `undefined` if it is not set. */
  readonly get: (own: string) => unknown
  /** Our value, which may be given elsewhere. */
  readonly see: (own: string) => unknown
  /** The texts in a value, with variables as the client writes them. */
  readonly texts: (value: unknown) => unknown
  /** Sets a key of the client's entry. */
  readonly put: (theirs: string, value: unknown) => void
  /** What gets lost. */
  readonly lose: (own: string, why?: string) => void
  /** Does not write the server at all. */
  readonly leave: (reason: string) => never
  readonly isRemote: boolean
  readonly name: string
}

/** Where the servers are in a file: a name, or the path of the objects to it. */
export type Section = ReadonlyArray<string>

export interface Format {
  readonly section: Section
  readonly variables: VariableSyntax
  readonly pairs: ReadonlyArray<Pair>
  /** Keys that the client knows and that are not taken, with the reason; an empty one for what only describes the server. */
  readonly inert: Readonly<Record<string, string>>
  /** Takes what needs more than another name. Keys that it takes are not looked at again. */
  readonly take?: (taking: Taking, context: ClientContext) => void
  /** The same in the other direction. */
  readonly give?: (giving: Giving) => void
  /** What the rest of the file says of a server. */
  readonly beside?: (root: Readonly<Record<string, unknown>>, name: string) => ReadonlyArray<Beside>
}

/** A part of an entry that is elsewhere in the client's file. It counts where the entry itself says nothing. */
export interface Beside {
  readonly own: KeyPath
  readonly value: unknown
  /** In the file. */
  readonly path: KeyPath
  /** What of it is not taken. */
  readonly remark?: string
}
