/**
 * `mcp-live pins`: shows which tool definitions were approved and what has changed, and stores the operator's decisions.
 * Starts no server: a running gateway records what it sees, and takes the decisions if it is the only one of its configuration.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { PIN_HASH_MIN_CHARS } from "../../../schemas/defaults/Pins.ts"
import { isOpen, olderLaunches, statusOf, type ServerPins, type Verdict } from "../../../schemas/call/Pins.ts"
import type { PinsFailed } from "../../../schemas/call/PinsFailed.ts"
import { spelledJson, spelledName } from "../../../schemas/content/SpelledText.ts"
import { DefinitionLedger } from "../../../services/call/DefinitionLedger.ts"
import { EXIT_FAILED, ExitWith, root, serverFlag, UsageError, withLogLevel } from "../command.ts"
import { complain, print, usesColour } from "../output.ts"
import { chosen, hashOf, isWholeServer, pathOf, pinsOf, seenHash, type Chosen } from "./choice.ts"
import { diffOf, launchesOf, renderDiff, settling } from "./diff.ts"
import { isoOf, renderList, serverNames, shortHash } from "./text.ts"
import { sharingFlags } from "../running/choice.ts"
import { withOperator } from "../running/withGateway.ts"
import { untilStopped } from "../signals.ts"

/** What the commands use of it: that of the running gateway, or one of their own. */
type Ledger = Pick<DefinitionLedger["Service"], "list" | "decide">

const whole = Command.make("pins").pipe(Command.withSharedFlags(sharingFlags))

const withLedger = <A, E, R>(use: (ledger: Ledger) => Effect.Effect<A, E | PinsFailed, R>) =>
  Effect.gen(function* () {
    const own = Effect.gen(function* () {
      const { config } = yield* root
      const { PinsLive } = yield* Effect.promise(() => import("../../../layers/McpLive.ts"))
      return yield* DefinitionLedger.use(use).pipe(
        Effect.provide(PinsLive({ config: Option.getOrUndefined(config) })),
        untilStopped,
        withLogLevel("Warn")
      )
    })
    return yield* withOperator(yield* whole, ({ ledger }) => use(ledger), own)
  })

/** The pins that can be read. Unreadable files are reported, and nothing in them counts as approved. */
const readable = Effect.fnUntraced(function* (ledger: Ledger) {
  const kept = yield* ledger.list
  for (const one of kept) {
    if (one._tag === "Unreadable") yield* complain(`${one.file}: ${one.detail}; nothing in it counts as approved`)
  }
  return {
    all: kept.flatMap((one) => (one._tag === "Pins" ? [one.pins] : [])),
    unreadable: kept.flatMap((one) => (one._tag === "Unreadable" ? [one.file] : []))
  }
})

/** The unreadable file may be the one that was asked for, so the output is incomplete. */
const failUnlessWhole = (unreadable: ReadonlyArray<string>) =>
  unreadable.length === 0 ? Effect.void : Effect.fail(new ExitWith({ code: EXIT_FAILED }))

// ---- list and diff -------------------------------------------------------------------------------------------------

const summaryOf = ({ pin, pins }: Chosen, older: ReadonlySet<ServerPins>) => ({
  server: pins.server,
  launch: pins.launch,
  olderLaunch: older.has(pins),
  tool: pin.name,
  status: statusOf(pin),
  approvedAt: isoOf(pin.approved?.at),
  approved: pin.approved?.hash ?? null,
  approvedLaunch: pin.approved === undefined ? null : (pin.approved.launch ?? pins.launch),
  pending: pin.pending?.hash ?? null,
  renamedFrom: pin.renamedFrom ?? null,
  shadows: pin.shadows ?? null
})

const list = Command.make(
  "list",
  { server: serverFlag("Only this server") },
  Effect.fnUntraced(function* ({ server }) {
    const { json } = yield* root
    yield* withLedger(
      Effect.fnUntraced(function* (ledger) {
        const { all: known, unreadable } = yield* readable(ledger)
        // The unreadable file may be that of this server.
        const all = yield* Option.match(server, {
          onNone: () => Effect.succeed<ReadonlyArray<ServerPins>>(known),
          onSome: (name) => {
            const found = pinsOf(known, name)
            return unreadable.length > 0 ? Effect.orElseSucceed(found, () => []) : found
          }
        })
        const older = olderLaunches(known)
        const rows = all.flatMap((pins) => [...pins.tools.values()].map((pin) => ({ pins, pin })))
        if (json) yield* print(spelledJson({ pins: rows.map((row) => summaryOf(row, older)), unreadable }))
        else if (rows.length > 0) yield* print(renderList(all, older, process.stdout.columns))
        else if (unreadable.length === 0) yield* print("No definitions are known.")
        yield* failUnlessWhole(unreadable)
      })
    )
  })
).pipe(Command.withDescription("List the tools whose definitions are known, with their status"))

const target = Argument.String("SERVER/TOOL").pipe(
  Argument.withDescription("A tool by its server's own name for it, or a server for all of its tools")
)

const diff = Command.make(
  "diff",
  { target: Argument.optional(target) },
  Effect.fnUntraced(function* ({ target }) {
    const { json } = yield* root
    yield* withLedger(
      Effect.fnUntraced(function* (ledger) {
        const { all, unreadable } = yield* readable(ledger)
        const older = olderLaunches(all)
        const everything = all.flatMap((pins) => [...pins.tools.values()].map((pin): Chosen => ({ pins, pin })))
        const rows = Option.isNone(target) ? everything : yield* chosen(all, target.value)
        const open = rows.filter(({ pin }) => isOpen(pin))
        const nameOf = serverNames(all)
        if (json) {
          yield* print(
            spelledJson({
              diff: open.map((row) => ({ ...summaryOf(row, older), ...diffOf(row) })),
              launches: launchesOf(open).map(({ differences, pins, rows }) => ({
                server: pins.server,
                launch: pins.launch,
                tools: rows.map(({ pin }) => pin.name),
                differences: differences ?? null
              })),
              settle: settling(open) ?? null,
              unreadable
            })
          )
        } else if (open.length > 0) {
          const view = { width: process.stdout.columns || Infinity, colour: usesColour(process.stdout) }
          yield* print(renderDiff(open, nameOf, view))
        } else if (unreadable.length === 0) yield* print("Everything is as it was approved.")
        yield* failUnlessWhole(unreadable)
      })
    )
  })
).pipe(Command.withDescription("Show what differs from the approved definitions, word by word"))

// ---- approve and reject --------------------------------------------------------------------------------------------

const hashFlag = Flag.String("hash").pipe(
  Flag.withMetavar("HEX"),
  Flag.withDescription(
    "Only the definition whose hash begins like this, as 'diff' shows it; with --all, only exactly the set that it shows"
  ),
  Flag.optional
)

const allFlag = Flag.Boolean("all").pipe(
  Flag.withDescription("Every tool of the server that differs from its approved definition"),
  Flag.withDefault(false)
)

interface Asked {
  readonly target: string
  readonly all: boolean
  readonly hash: Option.Option<string>
}

const meant = Effect.fnUntraced(function* (all: ReadonlyArray<ServerPins>, asked: Asked, verdict: Verdict) {
  const rows = yield* chosen(all, asked.target)
  const wanted = Option.getOrUndefined(asked.hash)?.toLowerCase()
  if (wanted !== undefined && (wanted.length < PIN_HASH_MIN_CHARS || !/^[0-9a-f]+$/.test(wanted))) {
    return yield* new UsageError({ message: `--hash needs at least ${PIN_HASH_MIN_CHARS} hex digits` })
  }
  if (isWholeServer(all, asked.target) && !asked.all) {
    const example = verdict === "approve" ? "add --all for all of its tools, or name one" : "name one of its tools"
    return yield* new UsageError({ message: `'${spelledName(asked.target)}' is a server: ${example}` })
  }
  const open = verdict === "approve" ? rows.filter(({ pin }) => isOpen(pin)) : rows
  if (open.length === 0) return open
  if (asked.all && wanted !== undefined && seenHash(open).startsWith(wanted)) return open
  const hit = wanted === undefined ? open : open.filter(({ pin }) => hashOf(pin)?.startsWith(wanted) === true)
  if (hit.length === 0) {
    return yield* new UsageError({
      message: asked.all
        ? "the waiting definitions are not those that were shown. Look again: mcp-live pins diff"
        : `another definition is waiting: ${open.map(({ pin }) => shortHash(hashOf(pin))).join(", ")}. Look again: mcp-live pins diff`
    })
  }
  if (!asked.all && hit.length > 1) {
    return yield* new UsageError({
      message: `several definitions match, from servers that are started differently. Choose one: --hash ${hit.map(({ pin }) => shortHash(hashOf(pin))).join(" or --hash ")}; ${FORGET}`
    })
  }
  return hit
})

const FORGET = "or forget the older ones: mcp-live pins forget SERVER --older"

const SAID: Readonly<Record<Verdict, string>> = { approve: "approved", reject: "rejected", forget: "forgotten" }

const NOTHING_TO: Readonly<Record<Verdict, string>> = {
  approve: "Nothing is waiting for approval.",
  reject: "There is nothing to reject.",
  forget: "There is nothing to forget."
}

/** Stores a decision on tools and prints the tools that it was stored for. */
const keep = Effect.fnUntraced(function* (ledger: Ledger, rows: ReadonlyArray<Chosen>, verdict: Verdict) {
  const { json } = yield* root
  const done: Array<Chosen> = []
  for (const [pins, ofServer] of Map.groupBy(rows, (row) => row.pins)) {
    const { configuration, launch, server } = pins
    const tools = ofServer.map(({ pin }) => ({ name: pin.name, hash: hashOf(pin) }))
    const kept = yield* ledger.decide({ server, launch, configuration, verdict, tools })
    done.push(...ofServer.filter(({ pin }) => kept.includes(pin.name)))
  }
  const said = SAID[verdict]
  const described = done.map(({ pin, pins }) => ({ server: pins.server, tool: pin.name, hash: hashOf(pin) ?? null }))
  const lines = done.map((row) => `${said}: ${pathOf(row)} ${shortHash(hashOf(row.pin))}`)
  yield* print(json ? spelledJson({ [said]: described }) : lines.length === 0 ? NOTHING_TO[verdict] : lines.join("\n"))
  const missed = rows.filter((row) => !done.includes(row))
  if (missed.length === 0) return
  yield* complain(`changed in the meantime, look again: ${missed.map(pathOf).join(", ")}`)
  return yield* new ExitWith({ code: EXIT_FAILED })
})

const judge = (asked: Asked, verdict: Verdict) =>
  withLedger(
    Effect.fnUntraced(function* (ledger) {
      const { all } = yield* readable(ledger)
      yield* keep(ledger, yield* meant(all, asked, verdict), verdict)
    })
  )

const approve = Command.make("approve", { target, all: allFlag, hash: hashFlag }, (asked) =>
  judge(asked, "approve")
).pipe(
  Command.withDescription("Approve the waiting definition, and no later one"),
  Command.withExamples([
    {
      command: "mcp-live pins approve files/read_file --hash 1f0c9ab2d3e4",
      description: "The definition that was shown"
    },
    { command: "mcp-live pins approve files --all", description: "All tools of a server, for example after an update" }
  ])
)

const reject = Command.make("reject", { target, hash: hashFlag }, (asked) =>
  judge({ ...asked, all: false }, "reject")
).pipe(
  Command.withDescription(
    "Withhold a tool, whatever its definition, until you approve one; also where pin is only warn"
  )
)

const forget = Command.make(
  "forget",
  {
    server: Argument.String("SERVER").pipe(Argument.withDescription("A known server")),
    older: Flag.Boolean("older").pipe(
      Flag.withDescription("Only pins from before the server was started in another way"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ older, server }) {
    yield* withLedger(
      Effect.fnUntraced(function* (ledger) {
        const { all } = yield* readable(ledger)
        const old = olderLaunches(all)
        const meant = (yield* pinsOf(all, server)).filter((pins) => !older || old.has(pins))
        for (const { configuration, launch, server, tools } of meant) {
          if (tools.size === 0) yield* ledger.decide({ server, launch, configuration, verdict: "forget", tools: [] })
        }
        const rows = meant.flatMap((pins) => [...pins.tools.values()].map((pin): Chosen => ({ pins, pin })))
        yield* keep(ledger, rows, "forget")
      })
    )
  })
).pipe(
  Command.withDescription(
    "Forget what was approved of a server. When it is seen again, its tools are trusted as they are, unless another way to start it is known"
  )
)

export const pins = whole.pipe(
  Command.withDescription(
    "Show which definitions of tools were approved and what has changed since, and decide on the changes"
  ),
  Command.withShortDescription("Show and decide on tools that changed"),
  Command.withSubcommands([list, diff, approve, reject, forget])
)
