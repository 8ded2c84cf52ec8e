/**
 * Edits the servers of a configuration: adds one, removes one, switches one on or off. Comments and order stay. Each returns the new text, or a
 * sentence that says why there is none. Pure.
 */
import * as Result from "effect/Result"
import { nearest } from "../call/Names.ts"
import { isObject } from "../data/Json.ts"
import { memberAt, type Path } from "../data/Members.ts"
import { type Machine, meant, parsed, sectionIn, SECTIONS, serversIn, unsafe } from "./clients/AddServers.ts"
import type { GatewayConfig } from "./GatewayConfig.ts"
import { withoutValue, withValue } from "./JsoncEdit.ts"

export interface Edit {
  readonly text: string
  /** What it means. */
  readonly config: GatewayConfig
}

export interface Target extends Machine {
  readonly path: string
  /** Without one, the edit is for all agents. */
  readonly agent?: string | undefined
}

type Text = Result.Result<string, string>

const SERVERS = ["mcp", "servers"]

/** The places of the agents by their ids. */
export const agentsIn = (root: unknown): ReadonlyArray<readonly [string, Path]> => {
  const list = memberAt(root, ["agents", "list"])
  const entries = memberAt(root, ["agents", "entries"])
  return [
    ...(Array.isArray(list) ? list : []).flatMap((agent, i): ReadonlyArray<readonly [string, Path]> => {
      const id = memberAt(agent, ["id"])
      return typeof id === "string" ? [[id, ["agents", "list", i]]] : []
    }),
    ...(isObject(entries) ? Object.keys(entries) : []).map((id) => [id, ["agents", "entries", id]] as const)
  ]
}

/** Where an agent has servers of its own. */
const placeOf = (root: unknown, agent: string): Result.Result<Path, string> => {
  const agents = agentsIn(root)
  const found = agents.find(([id]) => id === agent)
  if (found !== undefined) return Result.succeed([...found[1], ...SERVERS])
  const known = agents.map(([id]) => id).join(", ")
  return Result.fail(`the file describes no agent '${agent}'${known === "" ? "" : `; it has ${known}`}`)
}

const finished = (text: Text, target: Target): Result.Result<Edit, string> =>
  Result.flatMap(
    Result.mapError(text, (why) => unsafe(target.path, why)),
    (after) => Result.map(meant(after, target.path, target), (config) => ({ text: after, config }))
  )

/** Whether the name is taken for any agent: entries of one name are merged, and would become something else. */
export const isTaken = (text: string, name: string): boolean => serversIn(parsed(text)).has(name)

export const addServer = (
  text: string,
  target: Target,
  name: string,
  entry: Readonly<Record<string, unknown>>
): Result.Result<Edit, string> => {
  const root = parsed(text)
  if (isTaken(text, name)) {
    return Result.fail(
      `there is a server '${name}' already: remove it first ('mcp-live remove ${name}'), or choose another name`
    )
  }
  const section: Result.Result<Path, string> =
    target.agent === undefined ? Result.succeed(sectionIn(root)) : placeOf(root, target.agent)
  return Result.flatMap(section, (path) => finished(withValue(text, [...path, name], entry), target))
}

/** All places in which a server of that name is described; the one that counts most comes first. */
const placesOf = (
  root: unknown,
  name: string,
  agent: string | undefined
): Result.Result<ReadonlyArray<Path>, string> => {
  const own = agentsIn(root).map(([id, path]) => [id, [...path, ...SERVERS, name]] as const)
  const isThere = (path: Path): boolean => memberAt(root, path) !== undefined
  if (agent !== undefined) return Result.map(placeOf(root, agent), (path) => [[...path, name]].filter(isThere))
  const shared = SECTIONS.map((section): Path => [...section, name]).filter(isThere)
  const ofAgents = own.filter(([, path]) => isThere(path))
  if (shared.length === 0 && ofAgents.length > 0) {
    return Result.fail(`only the agent '${ofAgents[0]![0]}' has a server '${name}': add --agent ${ofAgents[0]![0]}`)
  }
  return Result.succeed([...shared, ...ofAgents.map(([, path]) => path)])
}

const unknown = (root: unknown, name: string): string => {
  const names = [...serversIn(root).keys()]
  const near = nearest(name, names)
  return `there is no server '${name}'${near === null ? (names.length === 0 ? "" : `; there are: ${names.join(", ")}`) : `; did you mean '${near}'?`}`
}

/** Without an agent, also what single agents say of it. */
export const removeServer = (text: string, target: Target, name: string): Result.Result<Edit, string> => {
  const root = parsed(text)
  return Result.flatMap(placesOf(root, name, target.agent), (places) => {
    if (places.length === 0) return Result.fail(unknown(root, name))
    const without = places.reduce<Text>(
      (far, path) => Result.flatMap(far, (so) => withoutValue(so, path)),
      Result.succeed(text)
    )
    return finished(without, target)
  })
}

/** The key that an entry has for it, with the value. */
const switchOf = (entry: unknown, on: boolean): readonly [string, boolean] =>
  memberAt(entry, ["enabled"]) === undefined && memberAt(entry, ["disabled"]) !== undefined
    ? ["disabled", !on]
    : ["enabled", on]

/** For one agent, what it says of a server of all agents is added to its own entry. */
export const switchServer = (text: string, target: Target, name: string, on: boolean): Result.Result<Edit, string> => {
  const root = parsed(text)
  return Result.flatMap(placesOf(root, name, target.agent), (places) => {
    const isKnown = places.length > 0 || (target.agent !== undefined && isTaken(text, name))
    if (!isKnown) return Result.fail(unknown(root, name))
    const place: Result.Result<Path, string> =
      places[0] === undefined
        ? Result.map(placeOf(root, target.agent!), (path) => [...path, name])
        : Result.succeed(places[0])
    return Result.flatMap(place, (path) => {
      const [key, value] = switchOf(memberAt(root, path), on)
      return finished(withValue(text, [...path, key], value), target)
    })
  })
}
