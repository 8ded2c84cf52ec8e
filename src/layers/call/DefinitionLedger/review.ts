/**
 * Reviews a list of tools against the pins of its server. On first use everything is trusted; after that, every difference
 * waits for the operator and is reported. Servers list other tools for hosts that offer other features: tools for a host that
 * is seen for the first time are trusted if everything else is as approved, and a tool that is not listed for one host is not
 * gone for another. Pure.
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

/** A list of a server, with what is needed to review it. */
export interface Listed {
  readonly server: string
  /** Its `launchIdentity`. */
  readonly launch: string
  /** Its `startedAs`. */
  readonly started: JsonObject
  /** The features of the host that it was listed for (`offeredBy`). */
  readonly host: string
  readonly instructions: string | undefined
  /** The part of each definition that may be stored, and the hash of the whole. */
  readonly tools: ReadonlyArray<{ readonly hash: string; readonly definition: VisibleDefinition }>
  readonly at: number
  /** Returns `server/tool` of an older tool of another server with the same name; called for unknown tools. */
  readonly shadowed: (tool: string) => string | undefined
}

interface Told {
  readonly tool: string
  readonly hash: string | null
  readonly previous?: string | undefined
}

/** A difference that the operator should know about. */
export type PinChange =
  | (Told & { readonly _tag: "Changed"; readonly parts: ReadonlyArray<Part> })
  | (Told & { readonly _tag: "New" })
  | (Told & { readonly _tag: "Renamed"; readonly from: string })
  | (Told & { readonly _tag: "Removed" })
  | (Told & { readonly _tag: "Shadowing"; readonly shadows: string })
  /** The server is started in another way, which alone changes the hash of all its tools. */
  | { readonly _tag: "Launched"; readonly hash: string; readonly previous: string }
  /** The instructions of the server changed, which changes the hash of all its tools. */
  | { readonly _tag: "Instructions"; readonly hash: string; readonly previous: string; readonly tools: number }

export interface Reviewed {
  readonly pins: ServerPins
  /** Every difference from the approved state, including those that were there before. */
  readonly changes: ReadonlyArray<PinChange>
  /** Whether there is anything new to store. */
  readonly altered: boolean
  /** Tools that were trusted because the server, or the host, was seen for the first time. */
  readonly trusted: number
  readonly isFirst: boolean
}

const changedParts = (before: VisibleDefinition, after: VisibleDefinition): ReadonlyArray<Part> => {
  const [known, now] = [partsOf(before), partsOf(after)]
  return PARTS.filter((part) => known[part] !== now[part])
}

/** Pins from before hosts were recorded apply to every host. */
const knowsHost = ({ hosts }: Pick<ServerPins, "hosts">, host: string): boolean => hosts?.includes(host) !== false

/** Whether the server has listed the tool for this host before. */
const wasListed = (pins: ServerPins, { hosts }: ToolPin, host: string): boolean =>
  hosts === undefined ? knowsHost(pins, host) : hosts.includes(host)

/** The pin, marked as listed for this host. */
const listedFor = (pin: ToolPin, host: string): ToolPin =>
  pin.hosts?.includes(host) === false ? { ...pin, hosts: [...pin.hosts, host] } : pin

/** Tools that are no longer listed, by their definition without the name: each may be the former name of a renamed tool. */
const vanishedBy = (pins: ServerPins, listed: ReadonlySet<string>, host: string): Map<string, string> =>
  new Map(
    [...pins.tools.values()].flatMap((pin): ReadonlyArray<[string, string]> =>
      pin.approved === undefined || listed.has(pin.name) || !wasListed(pins, pin, host)
        ? []
        : [[namelessHash(pin.approved.definition), pin.name]]
    )
  )

const PLACEHOLDER = "{person"

/**
 * Whether a person is in the stored one only, or in the true one only: earlier versions stored a launch as it was made for the person who came
 * first, and whoever forgets a person masks their name in all launches, which may be a word of another server's.
 */
const isAmiss = (known: JsonObject | undefined, started: JsonObject): boolean => {
  const [text, stored] = [JSON.stringify(started), JSON.stringify(known ?? started)]
  return stored !== text && (text.includes(PLACEHOLDER) || stored.includes(PLACEHOLDER))
}

/** Whether every known tool of the list is as approved, for this launch. */
const isSettled = (pins: ServerPins, { tools }: Listed): boolean =>
  tools.every(({ definition, hash }) => {
    const pin = pins.tools.get(definition.name)
    if (pin === undefined || pin.rejected) return true
    return pin.approved?.hash === hash && pin.approved.launch === undefined
  })

/** Without `pins`, the server is new and its first definitions are trusted. */
export const reviewed = (pins: ServerPins | undefined, listed: Listed): Reviewed => {
  const { at, host, launch, server, started } = listed
  const known = pins ?? noPins(server, launch, at)
  const isTrusted = pins === undefined || (!knowsHost(pins, host) && isSettled(pins, listed))
  const others = known.hosts?.filter((one) => one !== host) ?? []
  const hosts = { hosts: [...others, host] }
  let trusted = 0
  const instructions = instructionsHash(listed.instructions)
  const isDescribed = known.launches.has(launch) && !isAmiss(known.launches.get(launch), started)
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
      launches: isDescribed ? known.launches : new Map(known.launches).set(launch, started),
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
      !isDescribed ||
      !sameEntries(pins.tools, tools),
    trusted,
    isFirst: pins === undefined
  }
}

/**
 * The pins of a server that is now started in another way: its approved definitions, marked with the other launch. With
 * `trusting`, definitions that have not changed are approved for this launch, too.
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

/** A known tool, as it is listed now. */
const again = (before: ToolPin, hash: string, pinned: () => Pinned): ToolPin => {
  const here = before.gone ? { ...before, gone: false } : before
  if (before.approved?.hash === hash) {
    // A rejected definition stays on record; a merely different one is dropped.
    const { pending, ...rest } = here
    return before.rejected || pending === undefined ? here : rest
  }
  return before.pending?.hash === hash ? here : { ...here, pending: pinned() }
}
