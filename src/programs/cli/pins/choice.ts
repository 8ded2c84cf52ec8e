/** Finds the tools that an argument of `mcp-live pins` names, or explains why there are none. */
import * as Effect from "effect/Effect"
import { sha256 } from "../../../schemas/call/DefinitionHash.ts"
import { nearest } from "../../../schemas/call/Names.ts"
import type { ServerPins, ToolPin } from "../../../schemas/call/Pins.ts"
import { spelledName } from "../../../schemas/content/SpelledText.ts"
import { UsageError } from "../command.ts"

export interface Chosen {
  readonly pins: ServerPins
  readonly pin: ToolPin
}

const isNamed = ({ name }: ToolPin, given: string) => name === given || spelledName(name) === given

/** `SERVER` or `SERVER/TOOL`; both names may contain a slash. */
const chosenIn = (all: ReadonlyArray<ServerPins>, target: string): ReadonlyArray<Chosen> =>
  all.flatMap((pins) => {
    const tools = [...pins.tools.values()].map((pin): Chosen => ({ pins, pin }))
    const server = spelledName(pins.server)
    if (target === server || target === pins.server) return tools
    const tool = target.startsWith(`${server}/`) ? target.slice(server.length + 1) : undefined
    return tool === undefined ? [] : tools.filter(({ pin }) => isNamed(pin, tool))
  })

export const isWholeServer = (all: ReadonlyArray<ServerPins>, target: string) =>
  all.some(({ server }) => target === server || target === spelledName(server))

export const chosen = Effect.fnUntraced(function* (all: ReadonlyArray<ServerPins>, target: string) {
  const found = chosenIn(all, target)
  if (found.length > 0) return found
  return yield* new UsageError({ message: unknownWords(all, target) })
})

const NAMES_MAX = 12

const named = (names: ReadonlyArray<string>): string =>
  [...names.slice(0, NAMES_MAX), ...(names.length > NAMES_MAX ? [`${names.length - NAMES_MAX} more`] : [])].join(", ")

const serverNamesOf = (all: ReadonlyArray<ServerPins>) => [...new Set(all.map(({ server }) => spelledName(server)))]

export const serversOf = (all: ReadonlyArray<ServerPins>): string => named(serverNamesOf(all)) || "none"

/** The pins of one server. An unknown server is wrong usage. */
export const pinsOf = Effect.fnUntraced(function* (all: ReadonlyArray<ServerPins>, server: string) {
  if (isWholeServer(all, server))
    return all.filter((pins) => pins.server === server || spelledName(pins.server) === server)
  const near = nearest(server, serverNamesOf(all))
  const hint = near === null ? `known servers: ${serversOf(all)}` : `did you mean '${near}'?`
  return yield* new UsageError({ message: `'${spelledName(server)}' is not a known server; ${hint}` })
})

/** The server may be known even if the tool is not. */
const unknownWords = (all: ReadonlyArray<ServerPins>, target: string): string => {
  const server = serverNamesOf(all).find((name) => target === name || target.startsWith(`${name}/`))
  if (server === undefined) return `nothing is known of '${spelledName(target)}'; known servers: ${serversOf(all)}`
  const own = all.filter((pins) => spelledName(pins.server) === server)
  const tools = [...new Set(own.flatMap(({ tools }) => [...tools.keys()].map(spelledName)))]
  const tool = target.slice(server.length + 1)
  if (tools.length === 0) return `no tools of '${server}' are known`
  const near = nearest(tool, tools)
  const hint = near === null ? `known tools: ${named(tools)}` : `did you mean '${server}/${near}'?`
  return `no tool '${spelledName(tool)}' of '${server}' is known; ${hint}`
}

export const hashOf = ({ approved, pending }: ToolPin): string | undefined => (pending ?? approved)?.hash

/** A hash over all rows that were shown together, independent of their order. */
export const seenHash = (rows: ReadonlyArray<Chosen>): string =>
  sha256(
    rows
      .map(({ pin, pins }) => `${pins.launch} ${hashOf(pin)} ${pin.name}`)
      .toSorted()
      .join("\n")
  )

export const pathOf = ({ pin, pins }: Chosen): string => `${spelledName(pins.server)}/${spelledName(pin.name)}`
