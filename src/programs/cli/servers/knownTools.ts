/**
 * Stores the names of the tools that were last listed, for completion in a shell: asking the servers at each Tab would start
 * them. One small file in the data directory. It is only a hint, so errors of reading and writing are ignored.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { isPlainName } from "../../../schemas/call/Pins.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import { jsonFile } from "../../../system/jsonFile.ts"

const FILE = "known-tools.json"
const FILE_MAX_BYTES = 4 * 1024 * 1024
/** Configurations that are remembered; the one listed longest ago is dropped. */
const LISTS_MAX = 16
const NAMES_MAX = 10_000

/** A configuration file and one of its agents. */
export interface Listed {
  readonly file: string
  readonly agent: string
}

const Lists = Schema.Array(
  Schema.Struct({ file: Schema.String, agent: Schema.String, names: Schema.Array(Schema.String) })
)
const files = jsonFile(Lists, FILE_MAX_BYTES)

export type Typeable = Pick<AgentTool, "name" | "server" | "tool">

/** Both names under which a person can type a tool. A shell expands the words of a completion, so one with a meaning to it is left out. */
export const typedNames = (tools: ReadonlyArray<Typeable>): ReadonlyArray<string> =>
  tools.flatMap(({ name, server, tool }) =>
    isPlainName(server) && isPlainName(tool) ? [name, `${server}/${tool}`] : [name]
  )

const place = (directory: string) => join(directory, FILE)

const readAll = (directory: string) =>
  Effect.tryPromise(() => files.read(place(directory))).pipe(
    Effect.map((lists) => lists ?? []),
    Effect.orElseSucceed((): typeof Lists.Type => [])
  )

const isOf =
  ({ agent, file }: Listed) =>
  (one: Listed) =>
    one.file === file && one.agent === agent

export const readKnownTools = (listed: Listed, directory = dataDirectory()): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(readAll(directory), (lists) => lists.find(isOf(listed))?.names ?? [])

/** Unless these are `all` names, keeps those that were known before. */
export const keepKnownTools = Effect.fnUntraced(function* (
  listed: Listed,
  names: ReadonlyArray<string>,
  all = true,
  directory = dataDirectory()
) {
  const lists = yield* readAll(directory)
  const before = all ? [] : (lists.find(isOf(listed))?.names ?? [])
  const kept = [...new Set([...names, ...before])].slice(0, NAMES_MAX)
  const [latest] = lists
  if (latest !== undefined && isOf(listed)(latest) && latest.names.join("\n") === kept.join("\n")) return
  const others = lists.filter((one) => !isOf(listed)(one)).slice(0, LISTS_MAX - 1)
  yield* Effect.ignore(
    Effect.tryPromise(() => files.replace(place(directory), [{ ...listed, names: kept }, ...others]))
  )
})
