/** Adds servers to the text of an openclaw.json, and reads those that it has. Comments and order stay as they are. */
import JSON5 from "json5"
import * as Result from "effect/Result"
import { dirname } from "node:path"
import { isObject } from "../../data/Json.ts"
import { formatIssue } from "../ConfigIssue.ts"
import { decodeConfig } from "../DecodeConfig.ts"
import { memberAt } from "../../data/Members.ts"
import { membersOf } from "../Fields.ts"
import type { Environment } from "../Interpolation.ts"
import { type Section, withEntry } from "../JsoncEdit.ts"
import { noLines } from "../KeyLines.ts"
import type { Entry } from "./ImportPlan.ts"
import { openclaw } from "./Openclaw.ts"
import { takeEntry } from "./Taking.ts"

const SECTIONS: ReadonlyArray<Section> = [
  ["agents", "defaults", "mcp", "servers"],
  ["mcp", "servers"],
  ["mcpServers"],
  ["servers"]
]
const USUAL: Section = ["mcp", "servers"]

/** Where the file has its servers now. */
const sectionIn = (root: unknown): Section => SECTIONS.find((path) => isObject(memberAt(root, path))) ?? USUAL

const NOBODY = { home: "/", workspace: "/", readText: () => undefined, inputs: new Map() }

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

const parsed = (text: string): unknown => {
  try {
    return JSON5.parse(text)
  } catch {
    return undefined
  }
}

/** The text with the servers, in their order. Fails with a sentence if the result would not be a valid configuration. */
export const withServers = (
  before: string,
  path: string,
  entries: ReadonlyArray<readonly [string, Entry]>,
  { env, home }: { readonly env: Environment; readonly home: string }
): Result.Result<string, string> => {
  const section = sectionIn(parsed(before))
  // The last one first, since each is put before the others.
  const text = entries
    .toReversed()
    .reduce<Result.Result<string, string>>(
      (far, [name, entry]) => Result.flatMap(far, (so) => withEntry(so, section, name, entry)),
      Result.succeed(before)
    )
  return Result.flatMap(
    Result.mapError(text, (why) => `${path} cannot be changed safely: ${why}. Nothing was changed`),
    (after) => {
      const context = { file: path, shownFile: path, lines: noLines, directory: dirname(path), home, env }
      const decoded = decodeConfig(parsed(after), context)
      return Result.isSuccess(decoded)
        ? Result.succeed(after)
        : Result.fail(`${path} would not be valid, so nothing was changed: ${formatIssue(decoded.failure.issues[0]!)}`)
    }
  )
}
