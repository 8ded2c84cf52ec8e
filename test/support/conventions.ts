/** OpenTelemetry's conventions for MCP as data: which attributes a span or a metric may have, and which it needs. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

interface Entry {
  readonly ref?: string
  readonly ref_group?: string
  readonly requirement_level?: unknown
}
interface Group {
  readonly id?: string
  readonly type?: string
  readonly name?: string
  readonly kind?: string
  readonly instrument?: string
  readonly unit?: string
  readonly attributes: ReadonlyArray<Entry>
}
interface Conventions {
  readonly attribute_groups: ReadonlyArray<Group>
  readonly spans: ReadonlyArray<Group>
  readonly metrics: ReadonlyArray<Group>
  readonly explicit_bucket_boundaries: ReadonlyArray<number>
  readonly methods: ReadonlyArray<string>
}

export const CONVENTIONS = parse(
  readFileSync(fileURLToPath(new URL("../fixtures/telemetry/conventions.yaml", import.meta.url)), "utf8")
) as Conventions

/** What a group names, with the groups that it refers to. */
const namesIn = ({ attributes }: Group, is: (entry: Entry) => boolean): ReadonlyArray<string> =>
  attributes.flatMap((entry) =>
    entry.ref_group === undefined
      ? entry.ref !== undefined && is(entry)
        ? [entry.ref]
        : []
      : namesIn(
          CONVENTIONS.attribute_groups.find(({ id }) => id === entry.ref_group)!,
          is
        )
  )

export const allowed = (group: Group): ReadonlySet<string> => new Set(namesIn(group, () => true))
export const required = (group: Group): ReadonlyArray<string> =>
  namesIn(group, ({ requirement_level }) => requirement_level === "required")
/** Never without being asked for. */
export const optIn = (group: Group): ReadonlySet<string> =>
  new Set(namesIn(group, ({ requirement_level }) => requirement_level === "opt_in"))
