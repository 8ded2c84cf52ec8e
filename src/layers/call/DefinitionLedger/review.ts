/**
 * What becomes of the pins of a server when it lists its tools: on first use everything is trusted, after that whatever is
 * different waits for the operator and is told. Servers list other tools for a host that offers other features: what comes
 * with a host that is seen for the first time is trusted where everything else is as it was approved, and what is not listed
 * for one host is not gone for another. Pure.
 */
import {
  instructionsHash,
  namelessHash,
  PARTS,
  partsOf,
  type Part,
  type VisibleDefinition
} from "../../../schemas/call/DefinitionHash.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import { noPins, tidied, type Pinned, type ServerPins, type ToolPin } from "../../../schemas/call/Pins.ts"

/** What a server lists, and what is known besides. */
export interface Listed {
  readonly server: string
  /** `launchIdentity` of it. */
  readonly launch: string
  /** `startedAs` of it. */
  readonly started: JsonObject
  /** `offeredBy` the host that it lists them for. */
  readonly host: string
  readonly instructions: string | undefined
  /** What may be kept of each definition, and the hash of the whole. */
  readonly tools: ReadonlyArray<{ readonly hash: string; readonly definition: VisibleDefinition }>
  readonly at: number
  /** `server/tool` of another server's that was there before and looks the same; asked for tools that were not known. */
  readonly shadowed: (tool: string) => string | undefined
}

interface Told {
  readonly tool: string
  readonly hash: string | null
  readonly previous?: string | undefined
}

/** Something that the operator should know. */
export type PinChange =
  | (Told & { readonly _tag: "Changed"; readonly parts: ReadonlyArray<Part> })
  | (Told & { readonly _tag: "New" })
  | (Told & { readonly _tag: "Renamed"; readonly from: string })
  | (Told & { readonly _tag: "Removed" })
  | (Told & { readonly _tag: "Shadowing"; readonly shadows: string })
  /** The server is started in another way; that alone changes the hash of each of its tools. */
  | { readonly _tag: "Launched"; readonly hash: string; readonly previous: string }
  /** Of the server as a whole: it changes the hash of each of its tools. */
  | { readonly _tag: "Instructions"; readonly hash: string; readonly previous: string; readonly tools: number }

export interface Reviewed {
  readonly pins: ServerPins
  /** Whatever is not as it was approved, also when it was so the last time. */
  readonly changes: ReadonlyArray<PinChange>
  /** Whether there is anything new to keep. */
  readonly altered: boolean
  /** Tools that were trusted because the server, or this host of it, was seen for the first time. */
  readonly trusted: number
  readonly isFirst: boolean
}

const changedParts = (before: VisibleDefinition, after: VisibleDefinition): ReadonlyArray<Part> => {
  const [known, now] = [partsOf(before), partsOf(after)]
  return PARTS.filter((part) => known[part] !== now[part])
}

/** A server that was never asked by which host it lists knows every one. */
const knowsHost = ({ hosts }: Pick<ServerPins, "hosts">, host: string): boolean => hosts?.includes(host) !== false

/** Whether the server has listed it for this host before. */
const wasListed = (pins: ServerPins, { hosts }: ToolPin, host: string): boolean =>
  hosts === undefined ? knowsHost(pins, host) : hosts.includes(host)

/** As it is, and listed for this host. */
const listedFor = (pin: ToolPin, host: string): ToolPin =>
  pin.hosts?.includes(host) === false ? { ...pin, hosts: [...pin.hosts, host] } : pin

/** Tools that are not listed any more, by what they are without their names: each stands for one that was renamed. */
const vanishedBy = (pins: ServerPins, listed: ReadonlySet<string>, host: string): Map<string, string> =>
  new Map(
    [...pins.tools.values()].flatMap((pin): ReadonlyArray<[string, string]> =>
      pin.approved === undefined || listed.has(pin.name) || !wasListed(pins, pin, host)
        ? []
        : [[namelessHash(pin.approved.definition), pin.name]]
    )
  )

/** Every tool of the list that is known is as it was approved, for this way to start its server. */
const isSettled = (pins: ServerPins, { tools }: Listed): boolean =>
  tools.every(({ definition, hash }) => {
    const pin = pins.tools.get(definition.name)
    if (pin === undefined || pin.rejected) return true
    return pin.approved?.hash === hash && pin.approved.launch === undefined
  })

/** `pins` is left out for a server that was never seen: its first definitions are trusted. */
export const reviewed = (pins: ServerPins | undefined, listed: Listed): Reviewed => {
  const { at, host, launch, server, started } = listed
  const known = pins ?? noPins(server, launch, at)
  const isTrusted = pins === undefined || (!knowsHost(pins, host) && isSettled(pins, listed))
  const others = known.hosts?.filter((one) => one !== host) ?? []
  const hosts = { hosts: [...others, host] }
  let trusted = 0
  const instructions = instructionsHash(listed.instructions)
  const names = new Set(listed.tools.map(({ definition }) => definition.name))
  const tools = new Map<string, ToolPin>()
  const changes: Array<PinChange> = []
  const vanished = known.tools.size === 0 ? new Map<string, string>() : vanishedBy(known, names, host)
  let launched: Extract<PinChange, { _tag: "Launched" }> | undefined
  let onlyInstructions: Extract<PinChange, { _tag: "Instructions" }> | undefined

  const pinned = (hash: string, definition: VisibleDefinition): Pinned => ({ hash, at, definition, instructions })

  const meet = (hash: string, definition: VisibleDefinition): ToolPin => {
    const { name } = definition
    const shadows = listed.shadowed(name)
    const aside = { ...(shadows === undefined ? {} : { shadows }), ...(others.length === 0 ? {} : { hosts: [host] }) }
    const fresh = pinned(hash, definition)
    if (isTrusted) {
      trusted++
      return { name, approved: fresh, rejected: false, gone: false, ...aside }
    }
    const from = vanished.get(namelessHash(fresh.definition))
    if (from === undefined) return { name, pending: fresh, rejected: false, gone: false, ...aside }
    vanished.delete(namelessHash(fresh.definition))
    return { name, pending: fresh, rejected: false, gone: false, renamedFrom: from, ...aside }
  }

  const tellUnapproved = (pin: ToolPin, hash: string, definition: VisibleDefinition) => {
    const { approved, name: tool, renamedFrom } = pin
    if (approved === undefined) {
      if (renamedFrom === undefined) changes.push({ _tag: "New", tool, hash })
      else changes.push({ _tag: "Renamed", tool, hash, from: renamedFrom })
      return
    }
    const parts = changedParts(approved.definition, definition)
    const previous = approved.hash
    if (approved.instructions !== instructions) {
      onlyInstructions = {
        _tag: "Instructions",
        hash: instructions,
        previous: approved.instructions,
        tools: (onlyInstructions?.tools ?? 0) + 1
      }
      if (parts.length === 0) return
    }
    if (approved.launch !== undefined) {
      launched = { _tag: "Launched", hash: launch, previous: approved.launch }
      if (parts.length === 0) return
    }
    changes.push({ _tag: "Changed", tool, hash, previous, parts })
  }

  for (const { definition, hash } of listed.tools) {
    const before = known.tools.get(definition.name)
    const pin =
      before === undefined
        ? meet(hash, definition)
        : again(listedFor(before, host), hash, () => pinned(hash, definition))
    tools.set(definition.name, pin)
    if (pin.shadows !== undefined) {
      changes.push({ _tag: "Shadowing", tool: pin.name, hash, shadows: pin.shadows })
    }
    if (pin.approved?.hash !== hash) tellUnapproved(pin, hash, definition)
    else if (pin.approved.launch !== undefined) {
      launched = { _tag: "Launched", hash: launch, previous: pin.approved.launch }
    }
  }

  const renamed = new Set([...tools.values()].map(({ renamedFrom }) => renamedFrom))
  for (const pin of known.tools.values()) {
    if (names.has(pin.name)) continue
    if (!wasListed(known, pin, host)) {
      tools.set(pin.name, pin.hosts === undefined ? { ...pin, hosts: others } : pin)
      continue
    }
    if (!(pin.approved !== undefined || pin.rejected)) continue
    tools.set(pin.name, pin.gone ? pin : { ...pin, gone: true })
    if (pin.gone || pin.approved === undefined || renamed.has(pin.name)) continue
    changes.push({ _tag: "Removed", tool: pin.name, hash: null, previous: pin.approved.hash })
  }

  return {
    pins: tidied({
      ...known,
      ...hosts,
      launches: known.launches.has(launch) ? known.launches : new Map(known.launches).set(launch, started),
      instructions: new Map(known.instructions).set(instructions, listed.instructions ?? ""),
      tools
    }),
    changes: [
      ...(launched === undefined ? [] : [launched]),
      ...(onlyInstructions === undefined ? [] : [onlyInstructions]),
      ...changes
    ],
    altered:
      pins === undefined ||
      known.hosts === undefined ||
      !knowsHost(known, host) ||
      !known.launches.has(launch) ||
      !sameEntries(pins.tools, tools),
    trusted,
    isFirst: pins === undefined
  }
}

/**
 * What is known of a server that is started in another way than before: its approved definitions, as those of the other
 * launch. With `trusting`, a definition that is still the same is approved for this one as well.
 */
export const inherited = (before: ServerPins, listed: Listed, trusting: boolean): ServerPins => {
  const now = new Map(listed.tools.map((tool) => [tool.definition.name, tool]))
  const instructions = instructionsHash(listed.instructions)
  const tools = [...before.tools.values()].flatMap((pin): ReadonlyArray<[string, ToolPin]> => {
    const { approved, name } = pin
    if (approved === undefined) return pin.rejected ? [[name, pin]] : []
    const tool = now.get(name)
    const stays =
      trusting &&
      tool !== undefined &&
      approved.instructions === instructions &&
      changedParts(approved.definition, tool.definition).length === 0
    const { launch: _, ...definition } = approved
    const launch = approved.launch ?? before.launch
    const carried = {
      ...definition,
      hash: stays ? tool.hash : approved.hash,
      ...(launch === listed.launch ? {} : { launch })
    }
    const aside = {
      ...(pin.shadows === undefined ? {} : { shadows: pin.shadows }),
      ...(pin.hosts === undefined ? {} : { hosts: pin.hosts })
    }
    return [[name, { name, approved: carried, rejected: pin.rejected, gone: pin.gone, ...aside }]]
  })
  return { ...before, launch: listed.launch, since: listed.at, tools: new Map(tools) }
}

const sameEntries = <A>(a: ReadonlyMap<string, A>, b: ReadonlyMap<string, A>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)

/** A tool that is known, as it is listed this time. */
const again = (before: ToolPin, hash: string, pinned: () => Pinned): ToolPin => {
  const here = before.gone ? { ...before, gone: false } : before
  if (before.approved?.hash === hash) {
    // What was rejected stays on record; what was only different has gone again.
    const { pending, ...rest } = here
    return before.rejected || pending === undefined ? here : rest
  }
  return before.pending?.hash === hash ? here : { ...here, pending: pinned() }
}
