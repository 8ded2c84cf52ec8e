/**
 * The sections of a configuration that only mcp-live has (`audit`, `acp`, …): each is a name and a table of keys. They are
 * under `mcp` in openclaw.json, and next to `servers` or `mcpServers` in files of those formats. At the top of other files
 * they belong to another program.
 */
import * as Schema from "effect/Schema"
import { isObject } from "../data/Json.ts"
import { member } from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import { type Keys, readKeys } from "./ReadKeys.ts"
import type { Report } from "./Report.ts"

export interface Section<K extends Keys> {
  readonly name: string
  readonly keys: K
  /** The values of an absent section. */
  readonly defaults: Schema.Struct.Type<K>
  /** Whether an object of that name, where other programs have theirs, was meant for mcp-live. */
  readonly isOurs: (value: Record<string, unknown>) => boolean
}

/** Where a section was found, and its value. */
export interface Place {
  readonly path: KeyPath
  readonly value: unknown
}

export const hasSome = (value: Record<string, unknown>, names: ReadonlyArray<string>): boolean =>
  names.some((name) => member(value, name) !== undefined)

export const section = <K extends Keys>(
  name: string,
  keys: K,
  isOurs: Section<K>["isOurs"] = (value) => hasSome(value, Object.keys(keys))
): Section<K> => ({
  name,
  keys,
  defaults: Schema.decodeUnknownSync(Schema.Struct(keys))({}) as Schema.Struct.Type<K>,
  isOurs
})

/** The section, wherever it is; `inMcp` is the value under `mcp`. */
export const findSection = (
  report: Report,
  root: Record<string, unknown>,
  { isOurs, name }: Pick<Section<Keys>, "name" | "isOurs">,
  inMcp: unknown
): Place | undefined => {
  const value = member(root, name)
  const isHere = value !== undefined && hasSome(root, ["servers", "mcpServers"])
  if (inMcp !== undefined) {
    if (isHere) report.error([name], `means the same as "mcp.${name}", which is also given: keep one`)
    return { path: ["mcp", name], value: inMcp }
  }
  if (isHere) return { path: [name], value }
  if (isObject(value) && isOurs(value)) report.warn([name], `has no effect here: it belongs under "mcp.${name}"`)
  return undefined
}

export const readSection = <K extends Keys>(
  report: Report,
  { defaults, keys }: Section<K>,
  place: Place | undefined
): Schema.Struct.Type<K> =>
  place === undefined ? defaults : { ...defaults, ...readKeys(keys, report, place.path, place.value) }
