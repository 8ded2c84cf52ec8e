/**
 * The pins of one server's tools: the approved definition of each, the one that waits for the operator, and the operator's
 * decisions. Pure: a layer reads and writes the files.
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { PINS_PIECE_CHARS } from "../defaults/Pins.ts"
import type { VisibleDefinition } from "./DefinitionHash.ts"
import type { JsonObject } from "../data/Json.ts"
import type { PinMode } from "./PinMode.ts"

/** The states of a definition that is not approved. */
export const UNAPPROVED = ["changed", "new", "rejected"] as const
export type Unapproved = (typeof UNAPPROVED)[number]

/** The state of a definition, under the `pin` setting of its server. */
export interface PinCheck {
  /** Its `definitionHash`. */
  readonly hash: string
  readonly pin: "approved" | Unapproved
  /** It is neither listed nor called. */
  readonly withheld: boolean
  /** The operator should look at it: it is not approved, has the name of another tool, or its server is started in another way. */
  readonly open: boolean
}

/** A definition as it was at some time. */
export interface Pinned {
  readonly hash: string
  /** When it was approved or first seen; milliseconds since the epoch. */
  readonly at: number
  /** The definition for display: known secrets are masked, so the hash cannot always be computed from it. */
  readonly definition: VisibleDefinition
  /** The `instructionsHash` of the server's instructions at that time. */
  readonly instructions: string
  /** How the server was started when the definition was approved or first seen, if that differs from now. */
  readonly launch?: string | undefined
}

/** The pin of one tool. */
export interface ToolPin {
  readonly name: string
  readonly approved?: Pinned | undefined
  /** The server's current definition, or its last one, if it is not the approved one. */
  readonly pending?: Pinned | undefined
  /** Only the approved definition works, even with `warn`. */
  readonly rejected: boolean
  /** The server no longer lists the tool. */
  readonly gone: boolean
  /** The name of a tool with the same definition that had gone when this one appeared. */
  readonly renamedFrom?: string | undefined
  /** `server/tool`: an older tool of another server with the same name, or one that looks the same. */
  readonly shadows?: string | undefined
  /** The hosts that it was listed for, if not all that its server knows. */
  readonly hosts?: ReadonlyArray<string> | undefined
}

/** The pins of one server with one way to start it. */
export interface ServerPins {
  readonly server: string
  /** Its `launchIdentity`. */
  readonly launch: string
  /**
   * The `configurationIdentity` of its configuration; `undefined` for pins that are older than this field, and for servers of
   * sessions.
   */
  readonly configuration?: string | undefined
  /** When it was first seen; milliseconds since the epoch. */
  readonly since: number
  /** The instructions that belong to the definitions, by hash. */
  readonly instructions: ReadonlyMap<string, string>
  /** How it was started, as `startedAs` describes it, by `launchIdentity`: now, and when a definition was approved. */
  readonly launches: ReadonlyMap<string, JsonObject>
  /** The hosts that it has listed its tools for, as `offeredBy` identifies them; `undefined` for older pins. */
  readonly hosts?: ReadonlyArray<string> | undefined
  readonly tools: ReadonlyMap<string, ToolPin>
}

/** The pins of a server that was never seen. */
export const noPins = (server: string, launch: string, since: number): ServerPins => ({
  server,
  launch,
  since,
  instructions: new Map(),
  launches: new Map(),
  tools: new Map()
})

/** Whether the operator should look at a definition although it counts as approved. This is reported until they approve it. */
const hasAside = ({ approved, shadows }: ToolPin): boolean => shadows !== undefined || approved?.launch !== undefined

/** The state of one definition of a tool; `pins` is `undefined` when they cannot be read. */
export const pinCheckOf = (pins: ServerPins | undefined, mode: PinMode, tool: string, hash: string): PinCheck => {
  if (mode === "off") return { hash, pin: "approved", withheld: false, open: false }
  const known = pins?.tools.get(tool)
  if (known?.approved?.hash === hash) return { hash, pin: "approved", withheld: false, open: hasAside(known) }
  if (known?.rejected === true) return { hash, pin: "rejected", withheld: true, open: true }
  return { hash, pin: known?.approved === undefined ? "new" : "changed", withheld: mode === "block", open: true }
}

/** The status of a tool in lists. */
export type PinStatus = "approved" | Unapproved | "gone"

export const statusOf = ({ approved, gone, pending, rejected }: ToolPin): PinStatus => {
  if (rejected) return "rejected"
  if (gone) return "gone"
  if (pending === undefined) return "approved"
  return approved === undefined ? "new" : "changed"
}

/** Drops texts and launches that no definition refers to any more. */
export const tidied = (pins: ServerPins): ServerPins => {
  const known = [...pins.tools.values()].flatMap(({ approved, pending }) => [approved, pending])
  const used = new Set(known.map((pinned) => pinned?.instructions))
  const started = new Set([pins.launch, ...known.map((pinned) => pinned?.launch)])
  return {
    ...pins,
    instructions: new Map([...pins.instructions].filter(([hash]) => used.has(hash))),
    launches: new Map([...pins.launches].filter(([hash]) => started.has(hash)))
  }
}

const PLAIN = /^[\w.-]+$/

/** Whether a name has no meaning to a shell and no message for a model. */
export const isPlainName = (name: string): boolean => PLAIN.test(name)

/** The command that shows it to the operator. A name that has a meaning to a shell is left out: the list shows it. */
export const diffCommand = (server: string, tool?: string): string => {
  if (!isPlainName(server)) return "mcp-live pins diff"
  return `mcp-live pins diff ${[server, ...(tool !== undefined && isPlainName(tool) ? [tool] : [])].join("/")}`
}

// ---- the operator's decisions ---------------------------------------------------------------------------------------

/** The operator's decisions on a definition. */
export const VERDICTS = ["approve", "reject", "forget"] as const
/** The operator's decision on a definition. */
export type Verdict = (typeof VERDICTS)[number]

/** Approved as it is now, with this name and this launch of its server. */
const approved = ({ approved, gone, hosts, name, pending }: ToolPin, at: number): ToolPin | undefined => {
  const meant = pending ?? (gone ? undefined : approved)
  if (meant === undefined) return undefined
  const { launch: _, ...definition } = meant
  return {
    name,
    approved: { ...definition, at },
    rejected: false,
    gone: false,
    ...(hosts === undefined ? {} : { hosts })
  }
}

/** Without a waiting definition, the approved one is rejected. */
const rejected = ({ approved, pending, ...rest }: ToolPin): ToolPin =>
  pending === undefined
    ? { ...rest, pending: approved, rejected: true }
    : { ...rest, ...(approved === undefined ? {} : { approved }), pending, rejected: true }

const AFTER: Readonly<Record<Verdict, (pin: ToolPin, at: number) => ToolPin | undefined>> = {
  approve: approved,
  reject: rejected,
  forget: () => undefined
}

/** Applies a decision to some tools. Approving a tool that is gone deletes its pin. */
export const decided = (pins: ServerPins, verdict: Verdict, tools: ReadonlyArray<string>, at: number): ServerPins => {
  const next = new Map(pins.tools)
  for (const name of tools) {
    const pin = next.get(name)
    if (pin === undefined) continue
    const after = AFTER[verdict](pin, at)
    if (after === undefined) next.delete(name)
    else next.set(name, after)
  }
  return tidied({ ...pins, tools: next })
}

/** Whether `approve` would change anything. */
export const isOpen = (pin: ToolPin): boolean => statusOf(pin) !== "approved" || hasAside(pin)

/** The pins of servers that the same configuration starts in another way now: they are no longer used. */
export const olderLaunches = (all: ReadonlyArray<ServerPins>): ReadonlySet<ServerPins> => {
  const keyOf = ({ configuration = "", server }: ServerPins) => `${configuration} ${server}`
  const newest = new Map<string, number>()
  for (const pins of all) newest.set(keyOf(pins), Math.max(pins.since, newest.get(keyOf(pins)) ?? pins.since))
  return new Set(all.filter((pins) => pins.since < newest.get(keyOf(pins))!))
}

/**
 * Leaves out pins without a configuration that one has adopted since: they are only kept for other configurations that start
 * the same server in the same way.
 */
export const withoutClaimed = (all: ReadonlyArray<ServerPins>): ReadonlyArray<ServerPins> => {
  const keyOf = ({ launch, server }: ServerPins) => `${launch} ${server}`
  const claimed = new Set(all.flatMap((pins) => (pins.configuration === undefined ? [] : [keyOf(pins)])))
  return all.filter((pins) => pins.configuration !== undefined || !claimed.has(keyOf(pins)))
}

// ---- as text -------------------------------------------------------------------------------------------------------

const VERSION = 1

const PinnedFile = Schema.Struct({
  hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  at: Schema.Finite,
  definition: Schema.Struct({
    name: Schema.String,
    title: Schema.optionalKey(Schema.String),
    description: Schema.String,
    inputSchema: Schema.Record(Schema.String, Schema.Unknown),
    outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    annotations: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  }),
  instructions: Schema.String,
  launch: Schema.optionalKey(Schema.String)
})

const PinsFile = Schema.Struct({
  version: Schema.Literal(VERSION),
  server: Schema.String,
  launch: Schema.String,
  configuration: Schema.optionalKey(Schema.String),
  since: Schema.Finite,
  instructions: Schema.Array(Schema.Struct({ hash: Schema.String, text: Schema.String })),
  launches: Schema.optionalKey(
    Schema.Array(Schema.Struct({ hash: Schema.String, started: Schema.Record(Schema.String, Schema.Unknown) }))
  ),
  hosts: Schema.optionalKey(Schema.Array(Schema.String)),
  tools: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      approved: Schema.optionalKey(PinnedFile),
      pending: Schema.optionalKey(PinnedFile),
      rejected: Schema.Boolean,
      gone: Schema.Boolean,
      renamedFrom: Schema.optionalKey(Schema.String),
      shadows: Schema.optionalKey(Schema.String),
      hosts: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
})

const decode = Schema.decodeUnknownExit(PinsFile)

/** In parts that are made on demand: all of them may be megabytes. */
export function* renderPins({ instructions, launches, tools, ...rest }: ServerPins): Generator<string> {
  const head = {
    version: VERSION,
    ...rest,
    instructions: [...instructions].map(([hash, text]) => ({ hash, text })),
    launches: [...launches].map(([hash, started]) => ({ hash, started }))
  }
  let piece = `${JSON.stringify(head).slice(0, -1)},"tools":[`
  let separator = ""
  for (const pin of tools.values()) {
    piece += separator + JSON.stringify(pin)
    separator = ","
    if (piece.length < PINS_PIECE_CHARS) continue
    yield piece
    piece = ""
  }
  yield `${piece}]}`
}

/** `undefined` for damaged files and those of another version. */
export const readPins = (text: string): ServerPins | undefined => {
  try {
    const decoded = decode(JSON.parse(text))
    if (!Exit.isSuccess(decoded)) return undefined
    const { configuration, hosts, instructions, launch, launches = [], server, since, tools } = decoded.value
    return {
      server,
      launch,
      ...(configuration !== undefined && { configuration }),
      since,
      instructions: new Map(instructions.map(({ hash, text }) => [hash, text])),
      launches: new Map(launches.map(({ hash, started }) => [hash, started as JsonObject])),
      ...(hosts !== undefined && { hosts }),
      // Everything that the code depends on is checked; the contents of the schemas are only shown.
      tools: new Map(tools.map((tool) => [tool.name, tool as ToolPin]))
    }
  } catch {
    return undefined
  }
}
