/** `mcp-live validate`: every problem of a configuration with its line. Starts no server. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import type { ConfigIssue } from "../../schemas/GatewayConfig.ts"
import { formatIssue } from "../../schemas/GatewayConfig.ts"
import { UnknownAgent } from "../../schemas/UnknownAgent.ts"
import { ConfigSource } from "../../services/ConfigSource.ts"
import { EXIT_USAGE, ExitWith, root, withLogLevel } from "./command.ts"
import { complain, print, printJson } from "./output.ts"

interface Report {
  readonly ok: boolean
  readonly file: string
  readonly agents: ReadonlyArray<string>
  readonly issues: ReadonlyArray<ConfigIssue>
  readonly warnings: ReadonlyArray<ConfigIssue>
}

const examine = Effect.fnUntraced(function* (path: Option.Option<string>, agent: Option.Option<string>) {
  const source = yield* Effect.promise(() => import("../../layers/ConfigSource.ts"))
  const layer = source.layer({ path: Option.getOrUndefined(path) })
  return yield* ConfigSource.use(({ load }) => load).pipe(
    Effect.map(({ agents, file, warnings }): Report => {
      const known = agents.map(({ id }) => id)
      const unknown = Option.filter(agent, (id) => !known.includes(id))
      const issues = Option.match(unknown, {
        onNone: () => [],
        onSome: (id) => [{ file, line: 0, path: "", message: new UnknownAgent({ agent: id, known }).message }]
      })
      return { ok: issues.length === 0, file, agents: known, issues, warnings }
    }),
    Effect.catchTag("ConfigError", ({ issues }) =>
      Effect.succeed<Report>({ ok: false, file: issues[0]?.file ?? "", agents: [], issues, warnings: [] })
    ),
    Effect.provide(layer)
  )
})

export const validate = Command.make(
  "validate",
  {},
  Effect.fnUntraced(function* () {
    const { agent, config, json } = yield* root
    const report = yield* withLogLevel("Warn")(examine(config, agent))
    if (json) {
      yield* printJson(report)
    } else {
      for (const warning of report.warnings) yield* complain(`warning: ${formatIssue(warning)}`)
      for (const issue of report.issues) yield* complain(formatIssue(issue))
      if (report.ok) yield* print(`${report.file} is valid; agents: ${report.agents.join(", ")}`)
    }
    if (!report.ok) return yield* new ExitWith({ code: EXIT_USAGE })
  })
).pipe(Command.withDescription("Check the configuration without starting anything"))
