/**
 * `mcp-live doctor`: looks for what is wrong with a configuration, its servers and this machine, and says how each thing is mended. It asks the
 * running gateway, or starts each server once. Exit code 0 when nothing has to be mended, else 1.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { isWrong, type Finding } from "../../../schemas/doctor/Finding.ts"
import { EXIT_FAILED, ExitWith, root, UsageError } from "../command.ts"
import { masked } from "../masking.ts"
import { columns, print, printJson } from "../output.ts"
import { runningFlags } from "../running/choice.ts"
import { untilStopped } from "../signals.ts"
import { reportName, USUAL } from "./bareFlags.ts"
import type { Fixed } from "./fix.ts"
import type { Gathered } from "./gather.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const MAX_PORT = 65_535

const portOf = (given: Option.Option<number>) => {
  const port = Option.getOrUndefined(given)
  return port === undefined || (port > 0 && port <= MAX_PORT)
    ? Effect.succeed(port)
    : new UsageError({ message: `${port} is not a port: use 1 to ${MAX_PORT}` })
}

/** Loaded when it runs: other commands need nothing of it. */
const parts = Effect.promise(async () => {
  const [{ diagnose }, { fixAll }, { gather }, { aboutOpenClaw }, { renderAll }, { canReport, writeReport }] =
    await Promise.all([
      import("../../../schemas/doctor/Diagnose.ts"),
      import("./fix.ts"),
      import("./gather.ts"),
      import("./openclaw.ts"),
      import("./rendering.ts"),
      import("./report.ts")
    ])
  return { diagnose, fixAll, gather, aboutOpenClaw, renderAll, canReport, writeReport }
})

/** What is left to mend after `fixed`. */
const remaining = (findings: ReadonlyArray<Finding>, fixed: ReadonlyArray<Fixed>): ReadonlyArray<Finding> => {
  const done = new Set(fixed.filter((one) => one.done).map(({ id }) => id))
  const failed = new Set(fixed.filter((one) => !one.done).map(({ id }) => id))
  return findings.filter(({ fix, id }) => fix === undefined || !done.has(id) || failed.has(id))
}

const fixLines = (fixed: ReadonlyArray<Fixed>, dryRun: boolean): ReadonlyArray<string> =>
  fixed.length === 0
    ? ["Nothing here can be mended safely without you."]
    : fixed.map(({ done, reason, what }) =>
        dryRun ? `would ${what}` : done ? `mended: ${what}` : `not mended: ${what}: ${reason}`
      )

const asJson = ({ facts, gateway }: Gathered, findings: ReadonlyArray<Finding>, fixed: ReadonlyArray<Fixed>) => ({
  ok: !isWrong(remaining(findings, fixed)),
  file: facts.file ?? null,
  gateway: gateway?.pid ?? null,
  servers: facts.servers.map(({ config, status }) => ({ name: config.name, state: status?.state ?? null })),
  findings: findings.map(({ fix, ...finding }) => ({ ...finding, fixable: fix !== undefined })),
  fixed
})

export const doctor = Command.make(
  "doctor",
  {
    offline: flag("offline", "Start no server and contact nobody: only look at files and programs"),
    fix: flag(
      "fix",
      "Mend what is safe to mend: what killed processes left, and the permissions of mcp-live's own files"
    ),
    dryRun: flag("dry-run", "With --fix: only say what would be mended"),
    report: Flag.String("report").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription(
        "Write a file for a bug report, with secrets masked; JSON if its name ends in .json; the name may be left out"
      ),
      Flag.optional
    ),
    port: Flag.Int("port").pipe(
      Flag.withMetavar("PORT"),
      Flag.withDescription("Also try whether serve --http can listen on this port"),
      Flag.optional
    ),
    openclaw: Flag.String("openclaw").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription(
        "Check only the MCP of this OpenClaw configuration; without a path, of the one that OpenClaw would use"
      ),
      Flag.optional
    ),
    ...runningFlags
  },
  Effect.fnUntraced(function* ({ dryRun, fix, offline, openclaw, port, report, ...running }) {
    const { json } = yield* root
    if (dryRun && !fix) return yield* new UsageError({ message: "--dry-run is for --fix" })
    const { aboutOpenClaw, canReport, diagnose, fixAll, gather, renderAll, writeReport } = yield* parts
    if (Option.isSome(openclaw)) return yield* aboutOpenClaw(openclaw.value)
    const reportFile = Option.map(report, (name) => (name === USUAL ? reportName(Date.now()) : name))
    if (Option.isSome(reportFile)) yield* canReport(reportFile.value)
    const choices = { ...running, offline, port: yield* portOf(port) }
    const gathered = yield* untilStopped(gather(choices))
    const found = diagnose(gathered.facts)
    // Texts of servers and files may repeat a secret.
    const findings = yield* Effect.forEach(found, ({ mend, what, ...finding }) =>
      Effect.all([masked(what), masked(mend)]).pipe(
        Effect.map(([safeWhat, safeMend]): Finding => ({ ...finding, what: safeWhat, mend: safeMend }))
      )
    )
    const fixed = fix ? yield* fixAll(findings, dryRun) : []
    if (json) yield* printJson(asJson(gathered, findings, fixed))
    else {
      yield* print(renderAll(gathered.facts, findings, offline, columns()))
      if (fix) yield* print(fixLines(fixed, dryRun).join("\n"))
    }
    if (Option.isSome(reportFile)) yield* writeReport(reportFile.value, gathered, findings)
    if (isWrong(remaining(findings, fixed))) return yield* new ExitWith({ code: EXIT_FAILED })
  })
).pipe(
  Command.withDescription(
    "Look for what is wrong with the configuration, its servers and this machine, and say how to mend it. Uses the running gateway, or starts each server once. Exit code 0 if nothing has to be mended, 1 otherwise"
  ),
  Command.withShortDescription("Find out what is wrong, and how to mend it"),
  Command.withExamples([
    { command: "mcp-live doctor", description: "Everything" },
    {
      command: "mcp-live doctor --offline --json",
      description: "Without starting or contacting anything, for a script"
    },
    { command: "mcp-live doctor --fix --dry-run", description: "What could be mended" },
    { command: "mcp-live doctor --report", description: "A file for a bug report" }
  ])
)
