/** `mcp-live approvals`: lists and deletes approvals for good. Starts no server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { RememberedApproval } from "../../../schemas/call/Approval.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { table } from "../../../schemas/content/Rendering.ts"
import { inLine } from "../../../schemas/content/ServerText.ts"
import { Approvals } from "../../../services/call/Approvals.ts"
import { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { EXIT_FAILED, ExitWith, root, withLogLevel } from "../command.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { sharingFlags } from "../running/choice.ts"
import { withOperator } from "../running/withGateway.ts"
import { untilStopped } from "../signals.ts"

const SHORT_HASH = 12

/** What the commands use of it: that of the running gateway, or one of their own. */
type Kept = Pick<Approvals["Service"], "list" | "forget">

const whole = Command.make("approvals").pipe(Command.withSharedFlags(sharingFlags))

const withApprovals = <A, E>(use: (kept: Kept) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const own = Effect.gen(function* () {
      const { config } = yield* root
      const { ApprovalsLive } = yield* Effect.promise(() => import("../../../layers/McpLive.ts"))
      return yield* Approvals.use(use).pipe(
        Effect.provide(ApprovalsLive({ config: Option.getOrUndefined(config) })),
        untilStopped,
        withLogLevel("Warn")
      )
    })
    return yield* withOperator(yield* whole, ({ approvals }) => use(approvals), own)
  })

/** The names come from servers, or from anybody who can write to the directory. */
const rowsOf = Effect.fnUntraced(function* (kept: ReadonlyArray<RememberedApproval>) {
  const [sanitizer, redactor] = yield* Effect.promise(() =>
    Promise.all([import("../../../layers/content/ContentSanitizer.ts"), import("../../../layers/content/Redactor.ts")])
  )
  const { label } = yield* Effect.provide(ContentSanitizer, sanitizer.layer.pipe(Layer.provide(redactor.layer)))
  const shown = (text: string) => inLine(text, label, LABEL_MAX_CHARS)
  return kept.map(({ agent, approvedAt, definition, personId, personName, server, tool }) => ({
    agent: shown(agent),
    server: shown(server),
    tool: shown(tool),
    definition: shown(definition),
    approvedAt: dateOf(approvedAt),
    ...(personName === undefined ? {} : { person: shown(personName) }),
    ...(personId === undefined ? {} : { personId: shown(personId) })
  }))
})

const dateOf = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString()
}

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const { json } = yield* root
    const rows = yield* rowsOf(yield* withApprovals((kept) => kept.list))
    if (json) return yield* printJson({ approvals: rows })
    if (rows.length === 0) return yield* print("Nothing is approved for good.")
    const ofPeople = rows.some(({ person }) => person !== undefined)
    yield* print(
      table([
        ["TOOL", "APPROVED", "DEFINITION", ...(ofPeople ? ["PERSON"] : [])],
        ...rows.map(({ agent, approvedAt, definition, person, server, tool }) => [
          `${agent}/${server}/${tool}`,
          approvedAt,
          definition.slice(0, SHORT_HASH),
          ...(ofPeople ? [person ?? "-"] : [])
        ])
      ])
    )
  })
).pipe(Command.withDescription("List the tools that may be called without asking you again"))

const forget = Command.make(
  "forget",
  {
    name: Argument.String("agent/server/tool").pipe(
      Argument.withDescription("As 'list' shows it, or the beginning of it, or with * and ?; without it, all"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ name }) {
    const { json } = yield* root
    const pattern = Option.getOrUndefined(name)
    const forgotten = yield* withApprovals((kept) => kept.forget(pattern))
    if (forgotten === 0 && pattern !== undefined) {
      yield* json
        ? printJson({ forgotten })
        : complain(`no approval matches '${visible(pattern)}'; 'mcp-live approvals list' shows them`)
      return yield* new ExitWith({ code: EXIT_FAILED })
    }
    yield* json
      ? printJson({ forgotten })
      : print(`${forgotten} ${forgotten === 1 ? "approval is" : "approvals are"} forgotten.`)
  })
).pipe(
  Command.withDescription("Make mcp-live ask about tools again"),
  Command.withExamples([
    { command: "mcp-live approvals forget main/files/delete_file", description: "One tool" },
    { command: "mcp-live approvals forget 'main/files'", description: "All tools of a server" },
    { command: "mcp-live approvals forget", description: "All" }
  ])
)

export const approvals = whole.pipe(
  Command.withDescription("List what you have approved for good, or delete it"),
  Command.withSubcommands([list, forget])
)
