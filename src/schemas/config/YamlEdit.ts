/** Puts one entry into a YAML text. Comments and order stay; the file is written back with its own indentation where that is regular. */
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import { parse, parseDocument, stringify } from "yaml"
import { memberAt, withMember } from "../data/Members.ts"
import type { Section } from "./JsoncEdit.ts"

export const withYamlEntry = (
  given: string,
  section: Section,
  name: string,
  entry: Readonly<Record<string, unknown>>
): Result.Result<string, string> => {
  const path = [...section, name]
  const value: unknown = JSON.parse(JSON.stringify(entry))
  try {
    const document = parseDocument(given, { prettyErrors: false, logLevel: "silent" })
    if (document.errors.length > 0) return Result.fail("it is not YAML")
    const before: unknown = document.toJS({ maxAliasCount: 100 }) ?? {}
    if (isDeepStrictEqual(yamlEntryIn(given, section, name), value)) return Result.succeed(given)
    // `extensions:` alone is no object yet.
    for (const [i] of section.entries()) {
      const outer = section.slice(0, i + 1)
      if (document.hasIn(outer) && document.getIn(outer) === null) document.setIn(outer, document.createNode({}))
    }
    document.setIn(path, document.createNode(value))
    const text = document.toString({ lineWidth: 0 })
    return isDeepStrictEqual(parse(text), withMember(before, path, value))
      ? Result.succeed(text)
      : Result.fail("it cannot be changed without losing something")
  } catch {
    return Result.fail("it is not YAML, or has something else where its extensions should be")
  }
}

/** A file with these entries alone. */
export const yamlOf = (section: Section, entries: Readonly<Record<string, unknown>>): string =>
  stringify(withMember({}, section, entries), { lineWidth: 0 })

export const yamlEntryIn = (text: string, section: Section, name: string): unknown => {
  try {
    return memberAt(parse(text), [...section, name])
  } catch {
    return undefined
  }
}
