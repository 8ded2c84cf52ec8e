/** Adds servers to the text of an openclaw.json, and reads those that it has. Comments and order stay as they are. */
import JSON5 from "json5"
import * as Result from "effect/Result"
import { dirname } from "node:path"
import { isObject } from "../../data/Json.ts"
import { formatIssue } from "../ConfigIssue.ts"
import type { GatewayConfig } from "../GatewayConfig.ts"
import { decodeConfig } from "../DecodeConfig.ts"
import { memberAt } from "../../data/Members.ts"
import { membersOf } from "../Fields.ts"
import type { Environment } from "../Interpolation.ts"
import { type Section, withEntry } from "../JsoncEdit.ts"
import { noLines } from "../KeyLines.ts"
import type { Entry } from "./ImportPlan.ts"
import { openclaw } from "./Openclaw.ts"
import { takeEntry } from "./Taking.ts"

/** The last ones that a configuration merges come first. */
export const SECTIONS: ReadonlyArray<Section> = [
  ["agents", "defaults", "mcp", "servers"],
  ["mcp", "servers"],
  ["mcpServers"],
  ["servers"]
]
const USUAL: Section = ["mcp", "servers"]

/** Where the file has its servers now. */
export const sectionIn = (root: unknown): Section => SECTIONS.find((path) => isObject(memberAt(root, path))) ?? USUAL

const NOBODY = { home: "/", folder: "/", workspace: "/", readText: () => undefined, inputs: new Map() }

/** An entry in canonical words, as far as it can be read. */
const canonical = (value: unknown): Entry => {
  try {
    return takeEntry(openclaw, [], value, NOBODY).entry
  } catch {
    return {}
  }
}

const ofAgents = (root: unknown): ReadonlyArray<unknown> => {
  const list = memberAt(root, ["agents", "list"])
  const entries = memberAt(root, ["agents", "entries"])
  return [...(Array.isArray(list) ? list : []), ...(isObject(entries) ? Object.values(entries) : [])]
}

/** The servers of a configuration by name, wherever they are. */
export const serversIn = (root: unknown): ReadonlyMap<string, Entry> => {
  const places = [
    ...ofAgents(root).map((agent) => memberAt(agent, ["mcp", "servers"])),
    ...SECTIONS.toReversed().map((path) => memberAt(root, path))
  ]
  const all = places.flatMap((servers) => (isObject(servers) ? membersOf(servers) : []))
  const merged = new Map<string, Entry>()
  for (const [name, value] of all) merged.set(name, { ...merged.get(name), ...canonical(value) })
  return merged
}

export const parsed = (text: string): unknown => {
  try {
    return JSON5.parse(text)
  } catch {
    return undefined
  }
}

/** The machine on which a configuration has to be valid. */
export interface Machine {
  readonly env: Environment
  readonly home: string
}

/** What a text means as the configuration at `path`. Fails with a sentence. */
export const meant = (text: string, path: string, { env, home }: Machine): Result.Result<GatewayConfig, string> => {
  const context = { file: path, shownFile: path, lines: noLines, directory: dirname(path), home, env }
  return Result.mapError(
    decodeConfig(parsed(text), context),
    ({ issues }) => `${path} would not be valid, so nothing was changed: ${formatIssue(issues[0]!)}`
  )
}

export const unsafe = (path: string, why: string): string =>
  `${path} cannot be changed safely: ${why}. Nothing was changed`

/**
 * The text with the servers, in their order. Fails with a sentence if the result would not be a valid configuration, or if the text has a
 * server of one of the names: it has come since the names were chosen.
 */
export const withServers = (
  before: string,
  path: string,
  entries: ReadonlyArray<readonly [string, Entry]>,
  machine: Machine
): Result.Result<string, string> => {
  const root = parsed(before)
  const known = serversIn(root)
  const taken = entries.find(([name]) => known.has(name))
  if (taken !== undefined) {
    return Result.fail(
      `${path} was changed meanwhile and has a server '${taken[0]}' now: nothing was changed, try again`
    )
  }
  const section = sectionIn(root)
  const text = entries.reduce<Result.Result<string, string>>(
    (far, [name, entry]) => Result.flatMap(far, (so) => withEntry(so, section, name, entry)),
    Result.succeed(before)
  )
  return Result.flatMap(
    Result.mapError(text, (why) => unsafe(path, why)),
    (after) => Result.map(meant(after, path, machine), () => after)
  )
}
