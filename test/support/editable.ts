/** A gateway in this process whose configuration is a file that a test edits. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import type { McpLiveOptions } from "../../src/layers/McpLive/options.ts"
import type { ConfigState } from "../../src/schemas/config/ConfigState.ts"
import type { ServerStatus } from "../../src/schemas/connection/ServerState.ts"
import { shell } from "../fixtures/servers.ts"
import type { ToolResult } from "../../src/schemas/call/Tool.ts"
import { bodyOf } from "./boundaries.ts"
import { inFolder } from "./folder.ts"
import { reachable } from "./control.ts"
import { pauses } from "./pause.ts"

/** What the server said, or our own words. */
const textIn = ({ content: [block] }: ToolResult): string => {
  if (block?.type !== "text") return ""
  return block.text.includes("<<<EXTERNAL") ? bodyOf(block.text) : block.text
}

/** With `more`, other settings; the entries are those of `servers`. */
export const configOf = (servers: Readonly<Record<string, object>>, more: Readonly<Record<string, object>> = {}) => {
  const { mcp = {}, ...beside } = more
  return { ...beside, mcp: { ...mcp, servers } }
}

/** A server that does what it is told, with variables. */
export const told = (env: Readonly<Record<string, string>> = {}, more: object = {}) => ({ ...shell(), env, ...more })

export const editable = Effect.fnUntraced(function* (
  config: unknown,
  options: (folder: string) => McpLiveOptions = () => ({}),
  name = "openclaw.json"
) {
  const folder = yield* inFolder
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  const write = (text: unknown) => writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text, null, 2))
  write(config)
  const gateway = yield* reachable(
    {},
    {
      dataDirectory: join(folder, "data"),
      ...options(folder),
      replace: { config: ConfigSourceLayer.layer({ path: file }) }
    }
  )
  const { live, log, runtime } = gateway
  yield* runtime.ready

  /** Waits until it holds; asked after each change of the configuration or of a server. */
  const until = (holds: Effect.Effect<boolean>) =>
    Stream.merge(
      Stream.map(live.states, () => undefined),
      runtime.changes
    ).pipe(
      Stream.mapEffect(() => holds),
      Stream.filter((is) => is),
      Stream.runHead
    )
  const untilState = (holds: (state: ConfigState) => boolean) => until(Effect.sync(() => holds(live.state())))
  const untilServer = (name: string, holds: (status: ServerStatus | undefined) => boolean) =>
    until(Effect.map(runtime.status, (servers) => holds(servers[name])))
  const untilTools = (holds: (names: ReadonlyArray<string>) => boolean) =>
    until(Effect.map(runtime.allTools, (tools) => holds(tools.map(({ name }) => name))))

  const call = (tool: string, args: Readonly<Record<string, unknown>> = {}) =>
    Effect.map(runtime.call(tool, args), textIn)
  const pid = (server: string) => Effect.map(runtime.status, (servers) => servers[server]?.pid ?? null)
  const logged = (pattern: RegExp) =>
    Effect.sync(() => log.some((line) => pattern.test(line))).pipe(
      Effect.repeat({ schedule: pauses, until: (is) => is })
    )

  return {
    ...gateway,
    folder,
    file,
    /** Writes the file in place. */
    edit: (next: unknown) => Effect.sync(() => write(next)),
    /** Writes another file, and puts it in the place of the first. */
    replace: (next: unknown) =>
      Effect.sync(() => {
        writeFileSync(`${file}.new`, JSON.stringify(next))
        renameSync(`${file}.new`, file)
      }),
    untilState,
    untilServer,
    untilTools,
    call,
    pid,
    logged
  }
})
