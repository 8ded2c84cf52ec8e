/**
 * What is remembered of the tools of one server: which definition of each was approved, which one waits for the operator,
 * and what they said of it. Pure: how it gets into a file and out of it is a layer's business.
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { PINS_PIECE_CHARS } from "../defaults/Pins.ts"
import type { VisibleDefinition } from "./DefinitionHash.ts"
import type { JsonObject } from "../data/Json.ts"
import type { PinMode } from "./PinMode.ts"

/** What a definition is that was not approved. */
export const UNAPPROVED = ["changed", "new", "rejected"] as const
export type Unapproved = (typeof UNAPPROVED)[number]

/** How a definition stands with the operator, under the `pin` of its server. */
export interface PinCheck {
  /** `definitionHash` of it. */
  readonly hash: string
  readonly pin: "approved" | Unapproved
  /** It is neither listed nor called. */
  readonly withheld: boolean
  /** The operator has something to look at: that it is not approved, what it is named like, or how its server is started. */
  readonly open: boolean
}

/** A definition as it was at some time. */
export interface Pinned {
  readonly hash: string
  /** When it was approved, or first seen; milliseconds since the epoch. */
  readonly at: number
  /** What is shown of it: known secrets are masked, so the hash does not always follow from it. */
  readonly definition: VisibleDefinition
  /** `instructionsHash` of the server's instructions at that time. */
  readonly instructions: string
  /** How its server was started when the operator approved it or it was first seen, where that is another way than now. */
  readonly launch?: string | undefined
}

/** What is remembered of one tool. */
export interface ToolPin {
  readonly name: string
  readonly approved?: Pinned | undefined
  /** What the server has now, or had last, instead. */
  readonly pending?: Pinned | undefined
  /** Nothing but the approved definition works, also under `warn`. */
  readonly rejected: boolean
  /** The server did not list it any more. */
  readonly gone: boolean
  /** A tool that was gone when this one came, and is the same but for the name. */
  readonly renamedFrom?: string | undefined
  /** `server/tool`: a tool of another server that was there before and has the same name, or one that looks the same. */
  readonly shadows?: string | undefined
  /** The hosts that it was listed for, where those are not all that its server knows. */
  readonly hosts?: ReadonlyArray<string> | undefined
}

/** What is remembered of the tools of one server that is started in one way. */
export interface ServerPins {
  readonly server: string
  /** `launchIdentity` of it. */
  readonly launch: string
  /** `configurationIdentity` of the configuration that it belongs to; of none where it is older than that, or a session's. */
  readonly configuration?: string | undefined
  /** When it was first seen; milliseconds since the epoch. */
  readonly since: number
  /** Every text of instructions that a definition stands with, by its hash. */
  readonly instructions: ReadonlyMap<string, string>
  /** How it was started, as `startedAs` says it, by `launchIdentity`: now, and when a definition was approved. */
  readonly launches: ReadonlyMap<string, JsonObject>
  /** The hosts that it has listed its tools for, each as `offeredBy` says it; not known where that was not noted yet. */
  readonly hosts?: ReadonlyArray<string> | undefined
  readonly tools: ReadonlyMap<string, ToolPin>
}

/** A server of which nothing is known, and whose first definitions nobody has trusted. */
export const noPins = (server: string, launch: string, since: number): ServerPins => ({
  server,
  launch,
  since,
  instructions: new Map(),
  launches: new Map(),
  tools: new Map()
})

/** What the operator should know of a definition that counts as approved; it is told until they have approved it. */
const hasAside = ({ approved, shadows }: ToolPin): boolean => shadows !== undefined || approved?.launch !== undefined

/** How one definition of a tool stands; `pins` is left out when they cannot be read. */
export const pinCheckOf = (pins: ServerPins | undefined, mode: PinMode, tool: string, hash: string): PinCheck => {
  if (mode === "off") return { hash, pin: "approved", withheld: false, open: false }
  const known = pins?.tools.get(tool)
  if (known?.approved?.hash === hash) return { hash, pin: "approved", withheld: false, open: hasAside(known) }
  if (known?.rejected === true) return { hash, pin: "rejected", withheld: true, open: true }
  return { hash, pin: known?.approved === undefined ? "new" : "changed", withheld: mode === "block", open: true }
}

/** How a tool is called in a list: what the operator has to know of it. */
export type PinStatus = "approved" | Unapproved | "gone"

export const statusOf = ({ approved, gone, pending, rejected }: ToolPin): PinStatus => {
  if (rejected) return "rejected"
  if (gone) return "gone"
  if (pending === undefined) return "approved"
  return approved === undefined ? "new" : "changed"
}

/** Without texts and ways to start it that no definition stands with any more. */
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

/** Whether a name means nothing to a shell, and says nothing to a model. */
export const isPlainName = (name: string): boolean => PLAIN.test(name)

/** How the operator looks at it. A name that would mean something to a shell is left out: it is found in the list. */
export const diffCommand = (server: string, tool?: string): string => {
  if (!isPlainName(server)) return "mcp-live pins diff"
  return `mcp-live pins diff ${[server, ...(tool !== undefined && isPlainName(tool) ? [tool] : [])].join("/")}`
}

// ---- what the operator says ----------------------------------------------------------------------------------------

/** What the operator says of a definition. */
export type Verdict = "approve" | "reject" | "forget"

/** As it is now, under this name and this way to start its server. */
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

/** Without a definition that waits, it is the approved one that is rejected. */
const rejected = ({ approved, pending, ...rest }: ToolPin): ToolPin =>
  pending === undefined
    ? { ...rest, pending: approved, rejected: true }
    : { ...rest, ...(approved === undefined ? {} : { approved }), pending, rejected: true }

const AFTER: Readonly<Record<Verdict, (pin: ToolPin, at: number) => ToolPin | undefined>> = {
  approve: approved,
  reject: rejected,
  forget: () => undefined
}

/** A verdict on some tools; approved tools that are gone are forgotten: nothing of them is left to approve. */
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

/** Whether `approve` has anything to say on it. */
export const isOpen = (pin: ToolPin): boolean => statusOf(pin) !== "approved" || hasAside(pin)

/** Those of servers that the same configuration starts in another way since: nobody may use these any more. */
export const olderLaunches = (all: ReadonlyArray<ServerPins>): ReadonlySet<ServerPins> => {
  const keyOf = ({ configuration = "", server }: ServerPins) => `${configuration} ${server}`
  const newest = new Map<string, number>()
  for (const pins of all) newest.set(keyOf(pins), Math.max(pins.since, newest.get(keyOf(pins)) ?? pins.since))
  return new Set(all.filter((pins) => pins.since < newest.get(keyOf(pins))!))
}

/**
 * Without those of no configuration that one has taken over by now: they are kept for other configurations which start the
 * same server in the same way.
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

/** In pieces, each made when it is asked for: all of them may be megabytes. */
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

/** `undefined` for what is damaged, or was written by another version. */
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
      // The shape was checked as far as anything depends on it; what is in the schemas is only shown.
      tools: new Map(tools.map((tool) => [tool.name, tool as ToolPin]))
    }
  } catch {
    return undefined
  }
}
