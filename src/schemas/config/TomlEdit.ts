/** Puts one table into a TOML text, and changes nothing else: a new one at the end, and in place of the lines of an old one. */
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import { parse, stringify } from "smol-toml"
import { memberAt, withMember } from "../data/Members.ts"
import type { Section } from "./JsoncEdit.ts"
import { headerOf, openAfter } from "./TomlText.ts"

/** The text without the tables of a path. Comments before the next table belong to that one, and stay. */
const withoutTables = (text: string, path: Section): string => {
  const kept: Array<string> = []
  let pending: Array<string> = []
  let inside = false
  let open: string | undefined
  for (const line of text.split("\n")) {
    const header = open === undefined ? headerOf(line) : undefined
    if (header !== undefined) {
      if (inside) kept.push(...pending)
      pending = []
      inside = path.every((key, i) => header[i] === key)
    }
    if (!inside) kept.push(line)
    else if (open === undefined && /^\s*(?:#.*)?\r?$/.test(line)) pending.push(line)
    else pending = []
    open = openAfter(line, open)
  }
  return kept.join("\n")
}

/** Objects without a prototype, as the parser makes them, compare as others do. */
const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown

export const withTomlEntry = (
  given: string,
  section: Section,
  name: string,
  entry: Readonly<Record<string, unknown>>
): Result.Result<string, string> => {
  const path = [...section, name]
  try {
    const before = normal(parse(given))
    const value = normal(entry)
    if (isDeepStrictEqual(memberAt(before, path), value)) return Result.succeed(given)
    const rest = memberAt(before, path) === undefined ? given : withoutTables(given, path)
    const gap = rest === "" || rest.endsWith("\n\n") ? "" : rest.endsWith("\n") ? "\n" : "\n\n"
    const after = `${rest}${gap}${stringify(withMember({}, path, value) as Record<string, unknown>)}`
    const text = after.endsWith("\n") ? after : `${after}\n`
    return isDeepStrictEqual(normal(parse(text)), withMember(before, path, value))
      ? Result.succeed(text)
      : Result.fail("it cannot be changed without losing something")
  } catch {
    return Result.fail("it is not TOML, or has its servers in another form than tables")
  }
}

/** A file with these entries alone. */
export const tomlOf = (section: Section, entries: Readonly<Record<string, unknown>>): string =>
  stringify(normal(withMember({}, section, entries)) as Record<string, unknown>)

export const tomlEntryIn = (text: string, section: Section, name: string): unknown => {
  try {
    return normal(memberAt(parse(text), [...section, name]) ?? null) ?? undefined
  } catch {
    return undefined
  }
}
