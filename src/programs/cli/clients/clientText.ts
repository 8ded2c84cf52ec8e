/** The forms of clients' files: how an entry is put into one, and how one with new entries alone looks. */
import type * as Result from "effect/Result"
import { type ClientName } from "../../../schemas/config/clients/ClientNames.ts"
import type { Section } from "../../../schemas/config/JsoncEdit.ts"
import { withMember } from "../../../schemas/data/Members.ts"

type Entry = Readonly<Record<string, unknown>>

export interface ClientText {
  readonly withEntry: (text: string, section: Section, name: string, entry: Entry) => Result.Result<string, string>
  readonly entryIn: (text: string, section: Section, name: string) => unknown
  /** A file with these entries and nothing else. */
  readonly whole: (section: Section, entries: Readonly<Record<string, Entry>>) => string
}

/** The parsers of TOML and YAML are loaded for their clients only. */
export const clientText = async (client: ClientName): Promise<ClientText> => {
  if (client === "codex") {
    const { tomlEntryIn, tomlOf, withTomlEntry } = await import("../../../schemas/config/TomlEdit.ts")
    return { withEntry: withTomlEntry, entryIn: tomlEntryIn, whole: tomlOf }
  }
  if (client === "goose") {
    const { withYamlEntry, yamlEntryIn, yamlOf } = await import("../../../schemas/config/YamlEdit.ts")
    return { withEntry: withYamlEntry, entryIn: yamlEntryIn, whole: yamlOf }
  }
  const { entryIn, withEntry } = await import("../../../schemas/config/JsoncEdit.ts")
  return {
    withEntry,
    entryIn,
    whole: (section, entries) => `${JSON.stringify(withMember({}, section, entries), undefined, 2)}\n`
  }
}
