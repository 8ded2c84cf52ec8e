/** `mcp-live top`: what the servers of the running gateway do, as it changes. On a terminal one table that is rewritten. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { TOP_EVERY_MS } from "../../../schemas/defaults/Control.ts"
import { root } from "../command.ts"
import { columns, complain, print, printJsonLine, visible } from "../output.ts"
import { nameWith } from "../../../schemas/connection/Isolation.ts"
import { lookIn, nodesOf, nothingOf, ownOf, silentIn } from "../fleet/nodes.ts"
import { personFlag } from "../recordFlags.ts"
import { gatewayFlag } from "../running/choice.ts"
import type { CommandRuntime, Operator } from "../running/client.ts"
import { withRunningGateway } from "../running/withGateway.ts"
import { hasKeys, quitTyped } from "./keys.ts"
import { cpuBetween, renderTop, type Look } from "./rendering.ts"

const OTHER_SCREEN = "\u001b[?1049h\u001b[?25l"
const BACK = "\u001b[?25h\u001b[?1049l"
const FROM_THE_TOP = "\u001b[H\u001b[J"

const write = (text: string) => Effect.sync(() => void process.stdout.write(text))

const screen = {
  enter: () => void process.stdout.write(OTHER_SCREEN),
  leave: () => void process.stdout.write(BACK)
}

/** The terminal is as before when the Scope closes. */
const onOtherScreen = Effect.acquireRelease(Effect.sync(screen.enter), () => Effect.sync(screen.leave))

const show = Effect.fnUntraced(function* (before: Look | undefined, look: Look, live: boolean, person?: string) {
  const { json } = yield* root
  if (json) {
    const cpu = cpuBetween(before, look)
    const servers = Object.entries(look.figures).map(([name, one]) => [name, { ...one, cpuPercent: cpu[name] ?? null }])
    const own = look.own.map((one) => ({ ...one, cpuPercent: cpu[nameWith(one.server, one.whose)] ?? null }))
    return yield* printJsonLine({ time: new Date(look.at).toISOString(), servers: Object.fromEntries(servers), own })
  }
  const isEmpty = person !== undefined && look.own.length === 0
  const text = visible(isEmpty ? nothingOf(person) : renderTop(before, look, columns()))
  const now = new Date(look.at).toTimeString().slice(0, 8)
  yield* live
    ? write(`${FROM_THE_TOP}${now}  ${hasKeys() ? "q" : "Ctrl-C"} ends this\n\n${text}\n`)
    : print(`${now}\n${text}`)
})

const looking = Effect.fnUntraced(function* (
  { nodes = Effect.succeed(null), own = Effect.succeed([]) }: CommandRuntime,
  { figures }: Operator,
  everyMs: number,
  count: number,
  person: string | undefined
) {
  const { json } = yield* root
  const live = !json && process.stdout.isTTY && count > 1
  if (live) yield* onOtherScreen
  let before: Look | undefined
  const updates = Effect.gen(function* () {
    for (let left = count; left > 0; left--) {
      const all = yield* nodes
      const shared = all === null && person === undefined ? yield* figures : {}
      const what = all === null ? { figures: shared, own: ownOf(yield* own, person) } : lookIn(nodesOf(all, person))
      const silent = all === null ? [] : silentIn(all)
      const look: Look = { ...what, at: yield* Clock.currentTimeMillis }
      yield* show(before, look, live, person)
      // On the other screen they stand below the table.
      for (const line of silent) yield* live ? write(`${visible(line)}\n`) : complain(line)
      before = look
      if (left > 1) yield* Effect.sleep(everyMs)
    }
  })
  yield* live ? Effect.raceFirst(updates, quitTyped(screen)) : updates
}, Effect.scoped)

const positive = (description: string) => (flag: Flag.Flag<number>) =>
  flag.pipe(
    Flag.filter(
      (value) => value > 0,
      () => "must be more than 0"
    ),
    Flag.withDescription(description)
  )

export const top = Command.make(
  "top",
  {
    gateway: gatewayFlag,
    interval: Flag.Finite("interval").pipe(
      positive(`Seconds between two updates (default: ${TOP_EVERY_MS / 1_000})`),
      Flag.withMetavar("SECONDS"),
      Flag.withDefault(TOP_EVERY_MS / 1_000)
    ),
    count: Flag.Int("count").pipe(
      positive("End after this many updates; without it, q or Ctrl-C ends it"),
      Flag.withAlias("n"),
      Flag.withMetavar("N"),
      Flag.optional
    ),
    person: personFlag
  },
  Effect.fnUntraced(function* ({ count, gateway, interval, person }) {
    const looks = Option.getOrElse(count, () => Number.POSITIVE_INFINITY)
    yield* withRunningGateway(gateway, (runtime, operator) =>
      looking(runtime, operator, interval * 1_000, looks, Option.getOrUndefined(person))
    ).pipe(
      // Ctrl-C is the normal end.
      Effect.catchTag("Stopped", (stopped) =>
        stopped.reason === "SIGINT" && Option.isNone(count) ? Effect.void : Effect.fail(stopped)
      )
    )
  })
).pipe(
  Command.withDescription(
    "Show what the servers of the running gateway do, as it changes: calls under way and per minute, durations, errors, restarts, CPU and memory of their processes, findings, and tokens of results. With --json, one document per update"
  ),
  Command.withShortDescription("Show what the servers of the running gateway do, as it changes")
)
