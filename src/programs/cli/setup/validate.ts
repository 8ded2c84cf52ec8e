/**
 * `mcp-live validate`: reports every problem of a configuration with its line. Starts no server. With `--secrets` it also
 * resolves every secret once; otherwise it contacts nobody.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import type { ConfigIssue } from "../../../schemas/config/ConfigIssue.ts"
import { formatIssue } from "../../../schemas/config/ConfigIssue.ts"
import { table } from "../../../schemas/content/Rendering.ts"
import { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { EXIT_FAILED, EXIT_USAGE, ExitWith, root, withLogLevel } from "../command.ts"
import { complain, print, printJson } from "../output.ts"
import { tellingWait } from "../servers/waiting.ts"
import { untilStopped } from "../signals.ts"
import { layerFor, personalCount, type Trial, tryAll, usesOf } from "./trySecrets.ts"

interface Report {
  readonly ok: boolean
  readonly file: string
  readonly agents: ReadonlyArray<string>
  readonly issues: ReadonlyArray<ConfigIssue>
  readonly warnings: ReadonlyArray<ConfigIssue>
}

interface Examined {
  readonly report: Report
  /** `undefined` when it is invalid. */
  readonly config?: GatewayConfig
}

const examine = Effect.fnUntraced(function* (path: Option.Option<string>, agent: Option.Option<string>) {
  const source = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  const layer = source.layer({ path: Option.getOrUndefined(path) })
  return yield* ConfigSource.use(({ load }) => load).pipe(
    Effect.map((config): Examined => {
      const { agents, faults = [], file, warnings } = config
      const known = agents.map(({ id }) => id)
      const unknown = Option.filter(agent, (id) => !known.includes(id))
      const strange = Option.match(unknown, {
        onNone: () => [],
        onSome: (id) => [{ file, line: 0, path: "", message: new UnknownAgent({ agent: id, known }).message }]
      })
      const issues = [...strange, ...faults]
      const report = { ok: issues.length === 0, file, agents: known, issues, warnings }
      return report.ok ? { report, config } : { report }
    }),
    Effect.catchTag("ConfigError", ({ issues, warnings = [] }) =>
      Effect.succeed<Examined>({
        report: { ok: false, file: issues[0]?.file ?? "", agents: [], issues, warnings }
      })
    ),
    Effect.provide(layer)
  )
})

/** Those of one agent, if one was named. */
const chosenOf = ({ agents }: GatewayConfig, agent: Option.Option<string>) =>
  agents.filter(({ id }) => Option.isNone(agent) || agent.value === id)

const trySecrets = (config: GatewayConfig, agent: Option.Option<string>) =>
  // A warning that a value is too short to be masked would reveal something about it here.
  tellingWait(tryAll(usesOf(chosenOf(config, agent))), Effect.succeed("Resolving secrets")).pipe(
    Effect.provide(layerFor(config)),
    untilStopped,
    withLogLevel("Error")
  )

const shown = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")

const renderTrials = (trials: ReadonlyArray<Trial>): string =>
  table([
    ["SERVER", "PLACE", "REFERENCE", "RESULT"],
    ...trials.map(({ agents, place, reason = "ok", reference, server }) =>
      [server ?? `(model of ${agents.join(", ")})`, place, reference, reason].map(shown)
    )
  ])

const renderPersonal = (count: number): string =>
  count === 1
    ? "1 reference depends on the person and was not looked up."
    : `${count} references depend on the person and were not looked up.`

export const renderSecrets = (trials: ReadonlyArray<Trial>, personal: number): string =>
  trials.length + personal === 0
    ? "No secret:// references."
    : [
        ...(trials.length === 0 ? [] : [renderTrials(trials)]),
        ...(personal === 0 ? [] : [renderPersonal(personal)])
      ].join("\n")

const tell = Effect.fnUntraced(function* (report: Report) {
  for (const warning of report.warnings) yield* complain(`warning: ${formatIssue(warning)}`)
  for (const issue of report.issues) yield* complain(formatIssue(issue))
  if (report.issues.length === 0) yield* print(`${report.file} is valid; agents: ${report.agents.join(", ")}`)
})

export const validate = Command.make(
  "validate",
  {
    secrets: Flag.Boolean("secrets").pipe(
      Flag.withDescription(
        "Resolve every secret:// reference once, and say which have a value; exit code 1 if one has none"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ secrets }) {
    const { agent, config: path, json } = yield* root
    const { config, report } = yield* withLogLevel("Warn")(examine(path, agent))
    if (!json) yield* tell(report)
    const trials = secrets && config !== undefined ? yield* trySecrets(config, agent) : []
    const personal = config === undefined ? 0 : personalCount(chosenOf(config, agent))
    const allThere = trials.every(({ ok }) => ok)
    if (json)
      yield* printJson(
        secrets ? { ...report, ok: report.ok && allThere, secrets: trials, ofPersons: personal } : report
      )
    else if (secrets && report.ok) yield* print(renderSecrets(trials, personal))
    if (!report.ok) return yield* new ExitWith({ code: EXIT_USAGE })
    if (!allThere) return yield* new ExitWith({ code: EXIT_FAILED })
  })
).pipe(Command.withDescription("Check the configuration without starting a server"))
