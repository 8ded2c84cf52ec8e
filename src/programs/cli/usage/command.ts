/** `mcp-live usage`: how much people, agents, clients, servers and tools used, from the audit log. Starts no server. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { tokensOf, USAGE_PARTS, type UsageFigures, type UsagePart } from "../../../schemas/call/Usage.ts"
import { AUDIT_SHOWN } from "../../../schemas/defaults/Audit.ts"
import { AuditTrail } from "../../../services/call/AuditTrail.ts"
import { trailLayer } from "../audit/trail.ts"
import { root, serverFlag, UsageError, withLogLevel } from "../command.ts"
import { columns, complain, print, printJson } from "../output.ts"
import { limitFlag, sinceFlag, sinceOf } from "../recordFlags.ts"
import { untilStopped } from "../signals.ts"
import { renderUsage } from "./rendering.ts"

const pattern = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("PATTERN"), Flag.withDescription(description), Flag.optional)

const isPart = (word: string): word is UsagePart => USAGE_PARTS.some((part) => part === word)

/** Each part once, in the order in which they were written. */
const partsOf = (text: string): ReadonlyArray<UsagePart> | undefined => {
  const words = [...new Set(text.split(",").map((word) => word.trim().toLowerCase()))]
  return words.every(isPart) ? words : undefined
}

const withTokens = <A extends UsageFigures>(figures: A) => ({
  ...figures,
  estimatedTokens: tokensOf(figures.resultChars)
})

export const usage = Command.make(
  "usage",
  {
    by: Flag.String("by").pipe(
      Flag.withMetavar("PARTS"),
      Flag.withDescription(`By what to sum up, separated by commas: ${USAGE_PARTS.join(", ")}; by person without it`),
      Flag.withDefault("person")
    ),
    since: sinceFlag("calls"),
    person: pattern("person", "Only calls of these people, by name or id; * matches any characters, ? a single one"),
    client: pattern("client", "Only calls of clients whose name matches"),
    server: serverFlag("Only this server; * matches any characters, ? a single one"),
    tool: pattern("tool", "Only these tools: read_*, files/*"),
    limit: limitFlag(AUDIT_SHOWN, "", "the first N rows: those with the most calls, or by day the earliest days")
  },
  Effect.fnUntraced(function* (given) {
    const { agent, json } = yield* root
    const by = partsOf(given.by)
    if (by === undefined) {
      return yield* new UsageError({
        message: `--by: give one or more of ${USAGE_PARTS.join(", ")}, as in person,tool`
      })
    }
    const since = yield* sinceOf(given.since)
    const only = {
      agent: Option.getOrUndefined(agent),
      person: Option.getOrUndefined(given.person),
      client: Option.getOrUndefined(given.client),
      server: Option.getOrUndefined(given.server),
      tool: Option.getOrUndefined(given.tool)
    }
    yield* Effect.gen(function* () {
      const trail = yield* AuditTrail
      const used = yield* trail.usage({ by, since, only })
      if (json) return yield* printJson({ by, rows: used.rows.map(withTokens), total: withTokens(used.total) })
      if (used.rows.length === 0) return yield* complain(`no matching calls in ${trail.directory}`)
      yield* print(renderUsage(used, by, columns(), given.limit))
    }).pipe(Effect.provide(yield* trailLayer), untilStopped, withLogLevel("Warn"))
  })
).pipe(
  Command.withDescription(
    "Sum up calls by person, agent, client, server, tool or day, from the audit log: how many, how many failed, their time, and the characters of their results, with the tokens that these are about (a token for every 4 characters). Starts no server"
  ),
  Command.withShortDescription("Sum up calls by person, tool, server or day"),
  Command.withExamples([
    { command: "mcp-live usage --since 7d", description: "By person" },
    { command: "mcp-live usage --by person,tool --since 7d", description: "What each of them called" },
    { command: "mcp-live usage --by day,server --person ada@example.com --json", description: "As JSON" }
  ])
)
