/**
 * Plays a scenario: the hostile server and an honest one in one runtime, all that the catalogue says to do, everything that
 * there is to be had of it, and its end.
 */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../../src/layers/McpLive.ts"
import { McpRuntime, type McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"
import type { Listed } from "../../fixtures/hostile-server/catalogue.ts"
import type { Transport } from "../../fixtures/hostile-server/scenario.ts"
import { httpServer, type HttpFixture } from "../../fixtures/httpServer.ts"
import { hostile } from "../../fixtures/servers.ts"
import { pauses } from "../../support/pause.ts"
import { over, tagOf, textOf, type Expectation, type Play } from "./expectation.ts"
import { marked, MARK } from "./processes.ts"
import { assertClean } from "./search.ts"

/** What was closed has been sent the last signal by then; how soon the system is done with it depends on how busy it is. */
const GONE_WITHIN_MS = 20_000
/** Calls of somebody else while one server pours. */
const MEANWHILE = 30
/** More than anything takes that comes at all. */
const PATIENCE = { timeout: 40_000, toolTimeout: 40_000 }
/** What never comes is not waited for; how long a process takes to start is the machine's business. */
const hurry = ({ drive }: Listed) => (drive.do === "connect" ? { timeout: 2_500 } : { toolTimeout: 700 })
/** No play is about them but those that ask for a circuit: what a server does is seen to the end, each time. */
const UNLIMITED = { limits: { perMinute: 0, failures: 0, inFlight: 1_000 } }

export const SECRET = "s3cr3t-Kj4mQ9zX+/vB7tR2wY8pL5nD"
export const SECRET_VARIABLE = "HOSTILE_TEST_SECRET"
const REFERENCE = `secret://env/${SECRET_VARIABLE}`

const unhandled: Array<unknown> = []
for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, (error) => unhandled.push(error))

const live = (config: object, dataDirectory: string, logs: Array<string>) =>
  McpLive({ dataDirectory, replace: { config: ConfigSourceLayer.layerObject(config) } }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Logger.layer([
          Logger.make(({ cause, fiber, message }) => {
            const annotations = JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))
            logs.push(`${String(message)} ${annotations} ${Cause.pretty(cause)}`)
          })
        ]),
        Layer.succeed(References.MinimumLogLevel, "Trace")
      )
    )
  )

// ---- the hostile server --------------------------------------------------------------------------------------------

interface Staged {
  readonly entry: Readonly<Record<string, unknown>>
  readonly fixture: HttpFixture | undefined
}

const stage = Effect.fnUntraced(function* (row: Listed, transport: Transport, mark: string) {
  const secret = row.drive.secret === true
  if (transport === "stdio") {
    const env = { [MARK]: mark, ...(secret ? { HOSTILE_SECRET: REFERENCE } : {}) }
    const staged: Staged = { entry: { ...hostile(row.name), env }, fixture: undefined }
    return staged
  }
  const fixture = yield* httpServer(row.name)
  const headers = secret ? { "x-hostile-secret": REFERENCE } : {}
  const staged: Staged = { entry: { url: fixture.url, headers }, fixture }
  return staged
})

// ---- what is done with it ------------------------------------------------------------------------------------------

const callArguments = ({ drive }: Listed) =>
  drive.padding === undefined ? { ...drive.arguments } : { text: "x".repeat(drive.padding) }

/** All that may be asked for without a tool. */
const gather = Effect.fnUntraced(function* (runtime: McpRuntimeShape, take: Play["take"]) {
  take([yield* runtime.tools, yield* runtime.allTools])
  take([yield* runtime.resources, yield* runtime.resourceTemplates, yield* runtime.prompts])
  take(yield* runtime.resourceContext)
  take(yield* runtime.status)
})

const assertHonest = (runtime: McpRuntimeShape, text: string) =>
  Effect.map(runtime.call("mcp_good_echo", { text }), (result) => {
    assert.isFalse(result.isError, clip(textOf(result)))
    assert.include(textOf(result), text)
  })

const act = Effect.fnUntraced(function* (play: Play, results: Array<Play["results"][number]>) {
  const { row, runtime, take } = play
  const { drive } = row
  switch (drive.do) {
    case "call":
    case "close":
    case "flood": {
      if (drive.tool === undefined) return
      for (let i = 0; i < (drive.times ?? 1); i++) {
        const onProgress = (progress: unknown) => void take(progress)
        results.push(take(yield* runtime.call(play.named(drive.tool), callArguments(row), { onProgress })))
      }
      if (drive.do !== "flood") return
      for (let i = 0; i < MEANWHILE; i++) yield* assertHonest(runtime, `meanwhile ${i}`)
      return
    }
    case "read": {
      const uri = drive.uri ?? ""
      take(yield* Effect.exit(runtime.readResource(uri, "bad")))
      results.push(take(yield* runtime.call("mcp_bad_read_resource", { uri })))
      return
    }
    case "prompt": {
      const exit = take(yield* Effect.exit(runtime.getPrompt(`bad/${drive.prompt}`)))
      if (drive.outcome !== "answered") return
      if (Exit.isFailure(exit)) assert.fail(clip(Cause.pretty(exit.cause)))
      assert.isNotEmpty(exit.value.messages)
      return
    }
  }
})

// ---- what is required ----------------------------------------------------------------------------------------------

const assertOutcome = (play: Play, expected: Expectation) => {
  const { results, row, status } = play
  const said = results.map(textOf).join("\n")
  if (row.drive.outcome === "refused") {
    assert.include(["Backoff", "Failed"], status.state, `${status.lastError}`)
    assert.match(status.lastError ?? "", expected.error as RegExp)
    return
  }
  assert.strictEqual(status.state, "Ready", `${status.lastError}`)
  const tags = results.map((result) => tagOf(result) ?? "answered")
  if (row.drive.outcome === "failed") {
    assert.isString(expected.error, "a failure has a tag")
    assert.strictEqual(tags.at(-1), expected.error as string, clip(said))
  } else if (row.drive.outcome !== "gone") {
    const { error = "answered" } = expected
    const isExpected = (tag: string) => (typeof error === "string" ? tag === error : error.test(tag))
    assert.isTrue(tags.every(isExpected), `${tags.join()}: ${clip(said)}`)
  }
  if (expected.says !== undefined) assert.match(said, expected.says)
  if (expected.lacks !== undefined) assert.notMatch(said, expected.lacks)
}

const assertDropped = ({ logs, row, tools }: Play, why: RegExp) => {
  const names = tools().map(({ tool }) => tool)
  assert.notInclude(names, row.drive.tool!)
  assert.include(names, "echo", "the others are there")
  assert.match(logs.join("\n"), why)
}

const nothingLeft = (mark: string) =>
  Effect.suspend(() => {
    const closedAt = performance.now()
    return Effect.sync(() => marked(mark)).pipe(
      Effect.repeat({
        schedule: Schedule.spaced("25 millis"),
        until: (left) => left.length === 0 || performance.now() - closedAt > GONE_WITHIN_MS
      })
    )
  }).pipe(Effect.map((left) => assert.deepStrictEqual(left, [], "nothing of the server is left")))

const noConnections = ({ connections }: HttpFixture) =>
  connections.pipe(
    Effect.repeat({ schedule: Schedule.spaced("25 millis"), until: (count) => count === 0 }),
    Effect.timeout(GONE_WITHIN_MS)
  )

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** How much of the memory of this process is in use; what is garbage counts until it is collected. */
const inUse = () => {
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const watchMemory = Effect.acquireRelease(
  Effect.sync(() => {
    collectGarbage()
    const before = inUse()
    const watch = { peak: 0, timer: undefined as NodeJS.Timeout | undefined }
    watch.timer = setInterval(() => (watch.peak = Math.max(watch.peak, inUse() - before)), 10)
    return watch
  }),
  ({ timer }) => Effect.sync(() => clearInterval(timer))
)

const clip = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text)

/** Names are shown cleaned. */
const lettersOf = (name: string) => name.replace(/[^A-Za-z0-9]/g, "")

// ---- all of it -----------------------------------------------------------------------------------------------------

export interface Stage {
  /** Where the honest server listens. */
  readonly honest: string
  /** Has a folder for each play. */
  readonly dataDirectory: string
}

export const play = Effect.fnUntraced(function* (
  { dataDirectory, honest }: Stage,
  row: Listed,
  transport: Transport,
  whole: Expectation
): Effect.fn.Return<void, unknown, Scope.Scope> {
  const expected = over(whole, transport)
  const mark = randomUUID()
  const { entry, fixture } = yield* stage(row, transport, mark)
  const keys = { ...PATIENCE, ...(row.drive.hangs === true ? hurry(row) : {}), ...UNLIMITED, ...expected.keys }
  const config = { mcp: { servers: { bad: { ...entry, ...keys }, good: { url: honest, ...UNLIMITED } } } }
  const [logs, values]: [Array<string>, Array<unknown>] = [[], []]
  const results: Array<Play["results"][number]> = []
  const memory = expected.roomMb === undefined ? undefined : yield* watchMemory
  const before = unhandled.length

  const acted = Effect.gen(function* () {
    const runtime = yield* McpRuntime
    yield* runtime.ready
    const take: Play["take"] = (value) => {
      values.push(value)
      return value
    }
    const all = yield* runtime.allTools
    // One that was refused early may be tried again while the other server starts: it is waited for.
    const standing = yield* Effect.map(runtime.status, ({ bad }) => bad!).pipe(
      Effect.repeat({ schedule: pauses, until: ({ state }) => state !== "Connecting" })
    )
    const played: Play = {
      row,
      transport,
      runtime,
      take,
      results,
      values,
      logs,
      status: take(standing),
      tools: () => all.filter(({ server }) => server === "bad"),
      named: (tool) => {
        const found = all.find((each) => each.server === "bad" && lettersOf(each.tool) === lettersOf(tool))
        assert.isDefined(found, `the hostile server has ${tool}`)
        return found!.name
      },
      foreign: () => fixture?.foreign ?? [],
      requests: () => fixture?.requests ?? []
    }
    yield* assertHonest(runtime, "before")
    if (row.drive.outcome === "refused") {
      const result = take(yield* runtime.call("mcp_bad_echo", { text: "x" }))
      assert.strictEqual(tagOf(result), "ServerUnavailable", clip(textOf(result)))
      results.push(result)
    } else {
      if (expected.dropped === undefined) yield* act(played, results)
      else assertDropped(played, expected.dropped)
    }
    yield* assertHonest(runtime, "after")
    yield* gather(runtime, take)
    assertOutcome(played, expected)
    yield* Effect.suspend(() => expected.check?.(played) ?? Effect.void)
    yield* assertHonest(runtime, "at last")
  }).pipe(Effect.provide(live(config, join(dataDirectory, mark), logs)))

  const exit = yield* Effect.exit(acted)
  yield* nothingLeft(mark)
  if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
  if (fixture !== undefined) {
    yield* noConnections(fixture)
    assert.deepStrictEqual(
      fixture.foreign.map(({ path }) => path),
      [],
      "no request left its origin"
    )
  }
  assert.deepStrictEqual(unhandled.slice(before), [], "nothing was thrown past us")
  assertClean({ results, values, logs, secrets: row.drive.secret === true ? [SECRET] : [] })
  if (memory !== undefined) assert.isBelow(memory.peak / 2 ** 20, expected.roomMb!, "megabytes")
})
