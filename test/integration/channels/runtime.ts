/** Everything that `McpRuntime` gives of the servers, and what is written down meanwhile. */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as AuditLogLayer from "../../../src/layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../../src/layers/McpLive.ts"
import type { JsonObject } from "../../../src/schemas/data/Json.ts"
import { AuditLog } from "../../../src/services/call/AuditLog.ts"
import { HostFeatures } from "../../../src/services/content/HostFeatures.ts"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { questionsOf, samplingOf } from "../../fixtures/channels/places.ts"
import { STRICT } from "../../support/policies.ts"
import { serverConfig } from "../../support/serverConfig.ts"
import {
  BESIDE,
  BROKEN,
  ERRORS,
  handlesIn,
  makeGathering,
  NAMES,
  RESULTS,
  servers,
  TEXTS,
  type Gathered,
  type Gathering,
  type Setup
} from "./gathered.ts"

// ---- what is written down ------------------------------------------------------------------------------------------

const logger = ({ take }: Gathering) =>
  Logger.make(({ cause, fiber, message }) => {
    take("logs", [message, fiber.getRef(References.CurrentLogAnnotations), Cause.pretty(cause)])
  })

/** Ends are taken when all is over: a span is made long before. */
const tracing = ({ take }: Gathering) => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const end = () => {
    for (const { attributes, name, status } of spans) {
      const failure = status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
      take("spans", [name, attributes, failure])
    }
  }
  return { tracer, end }
}

/** The real one, and what it is given. */
const audit = ({ take }: Gathering) =>
  Layer.effect(
    AuditLog,
    Effect.map(AuditLog, (real) => ({
      record: (record) => {
        take("audit", [record, record.shape()])
        return real.record(record)
      },
      report: (...reported) => {
        take("audit", reported)
        return real.report(...reported)
      },
      definition: (record) => {
        take("audit", record)
        return real.definition(record)
      },
      approval: (record) => {
        take("audit", record)
        return real.approval(record)
      }
    }))
  ).pipe(Layer.provide(AuditLogLayer.layer))

// ---- what is asked -------------------------------------------------------------------------------------------------

const definitions = Effect.fnUntraced(function* ({ take }: Gathering) {
  const runtime = yield* McpRuntime
  take("tools", [yield* runtime.tools, yield* runtime.allTools])
  take("resources", yield* runtime.resources)
  take("templates", yield* runtime.resourceTemplates)
  take("prompts", yield* runtime.prompts)
})

const calls = Effect.fnUntraced(function* ({ take, takeContent }: Gathering, { without = [] }: Setup) {
  const runtime = yield* McpRuntime
  const say = (channel: string, text: string) =>
    runtime.call(
      "mcp_main_say",
      { channel, text },
      { onProgress: (progress) => void (channel === "progress" && take("progress", progress)) }
    )
  for (const text of NAMES.filter((name) => !without.includes(name))) {
    for (const channel of RESULTS) takeContent(`result: ${channel}`, yield* say(channel, text))
    for (const channel of ERRORS) takeContent(`error: ${channel}`, yield* say(channel, text))
    for (const channel of BESIDE) yield* say(channel, text)
    // Words of the model itself, by now.
    take("error: unknown name", yield* runtime.call(`${"x".repeat(100)}${TEXTS[text]}`, { [TEXTS[text]!]: 1 }))
    take("error: unknown name", yield* runtime.call(`mcp_main_${TEXTS[text]}`, {}))
    yield* say("progress", text)
    // A long value is kept as JSON, in which control characters are escapes that anybody may read.
    const kept = handlesIn([
      yield* say("long", text),
      yield* say("many", text),
      ...(without.length === 0 ? [yield* say("longValue", text)] : [])
    ])
    for (const handle of kept) {
      for (const args of [{}, { offset: 59_000, length: 2_000 }, { grep: "quoth" }]) {
        takeContent("read more", yield* runtime.call("mcp_read_more", { handle, ...args }))
      }
    }
  }
  const hostile = (yield* runtime.tools).filter(({ server, tool }) => server === "main" && /quoth/.test(tool))
  for (const { name } of hostile) takeContent("result: of a hostile name", yield* runtime.call(name, {}))
})

const reads = Effect.fnUntraced(function* ({ take, takeContent }: Gathering) {
  const runtime = yield* McpRuntime
  const listed = (yield* runtime.resources).filter(({ server }) => server === "main")
  for (const { uri } of listed) {
    takeContent("resource", yield* runtime.readResource(uri, "main"))
    takeContent("resource tool", yield* runtime.call("mcp_main_read_resource", { uri }))
  }
  for (const uri of ["z://a", ...NAMES.map((name) => `y://${TEXTS[name]}/1`)]) {
    take("resource: error", yield* Effect.exit(runtime.readResource(uri, "main")))
    takeContent("resource tool", yield* runtime.call("mcp_main_read_resource", { uri: "z://a" }))
  }
  takeContent("resource list", yield* runtime.call("mcp_main_list_resources", {}))
  const context = yield* runtime.resourceContext
  takeContent("resource context", { content: [{ type: "text", text: context }] as never })
})

const prompts = Effect.fnUntraced(function* ({ take, takeContent }: Gathering) {
  const runtime = yield* McpRuntime
  for (const { name } of (yield* runtime.prompts).filter(({ server }) => server === "main")) {
    const filled = yield* runtime.getPrompt(name)
    take("prompt", filled)
    for (const message of filled.messages) takeContent("prompt", message)
    take("prompt: error", yield* Effect.flip(runtime.getPrompt(name, { fine: "fail" })))
    const ref = { type: "prompt", name } as const
    take("completion", yield* runtime.complete(ref, { name: "fine", value: "" }))
    take("completion: error", yield* Effect.flip(runtime.complete(ref, { name: "fine", value: "fail" })))
  }
  const ref = { type: "resource", uriTemplate: `y://${TEXTS["order"]}/{id}`, server: "main" } as const
  take("completion", yield* runtime.complete(ref, { name: "id", value: "" }))
})

/** Through the server, as far as its limit of questions goes, and each question by itself. */
const questions = Effect.fnUntraced(function* ({ keys, without = [] }: Setup) {
  const runtime = yield* McpRuntime
  const host = yield* HostFeatures
  for (const channel of ["elicit", "sample"]) {
    for (let i = 0; i < 8; i++) yield* runtime.call("mcp_main_say", { channel, text: "all" })
  }
  const policy = keys === undefined ? {} : { content: STRICT }
  const answer = (name: string, method: string, params: object) =>
    Effect.exit(host.answer(serverConfig(name, { sampling: true, ...policy }), method, params as JsonObject))
  for (const [name, text] of Object.entries(TEXTS)) {
    if (without.includes(name)) continue
    for (const params of questionsOf(text)) yield* answer(name, "elicitation/create", params)
    for (const params of samplingOf(text)) yield* answer(name, "sampling/createMessage", params)
  }
})

const updates = Effect.fnUntraced(function* ({ take }: Gathering) {
  const runtime = yield* McpRuntime
  const all = 2 * NAMES.length
  const heard = yield* runtime.resourceUpdates.pipe(
    Stream.take(all),
    Stream.runForEach((update) => Effect.sync(() => take("resource updates", update))),
    Effect.forkScoped
  )
  // A subscription takes a round trip of its own: said until it is heard.
  const say = (text: string) => runtime.call("mcp_main_say", { channel: "updated", text })
  yield* Effect.repeat(Effect.forEach(NAMES, say, { discard: true }), {
    while: () => heard.pollUnsafe() === undefined,
    times: 100
  })
  assert.isDefined(heard.pollUnsafe())
})

const broken = Effect.fnUntraced(function* ({ take, takeContent }: Gathering) {
  const runtime = yield* McpRuntime
  takeContent("unavailable", yield* runtime.call("mcp_main_die", { text: "all" }))
  for (const name of ["main", ...BROKEN]) {
    takeContent("unavailable", yield* runtime.call(`mcp_${name}_x`, {}))
    take("unavailable", yield* Effect.exit(runtime.readResource("x://a", name)))
    take("unavailable", yield* Effect.exit(runtime.getPrompt(`${name}/x`)))
  }
  take("status", yield* runtime.status)
})

// ---- all of it -----------------------------------------------------------------------------------------------------

const live = (gathering: Gathering, config: object, dataDirectory: string) =>
  McpLive({
    dataDirectory,
    host: {
      roots: [],
      elicit: (request) =>
        Effect.sync(() => {
          gathering.take("elicitation", request)
          return { action: "accept", content: { fine: "yes" } }
        }),
      sample: (request) =>
        Effect.sync(() => {
          gathering.take("sampling", request)
          return { text: "an answer", model: "a model" }
        })
    },
    replace: { config: ConfigSourceLayer.layerObject(config), audit: audit(gathering) }
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Logger.layer([logger(gathering)]), Layer.succeed(References.MinimumLogLevel, "Trace"))
    )
  )

export const gatherFromRuntime = async (setup: Setup): Promise<Gathered> => {
  const gathering = makeGathering()
  const { end, tracer } = tracing(gathering)
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
  const all = servers(setup)
  const run = <E>(config: object, program: Effect.Effect<void, E, McpRuntime | HostFeatures>) =>
    Effect.runPromise(Effect.withTracer(Effect.provide(program, live(gathering, config, folder)), tracer))
  try {
    await run(
      { mcp: { servers: all } },
      Effect.gen(function* () {
        yield* (yield* McpRuntime).ready
        yield* definitions(gathering)
        yield* calls(gathering, setup)
        yield* reads(gathering)
        yield* prompts(gathering)
        yield* questions(setup)
        if (setup.without === undefined) yield* updates(gathering)
        yield* broken(gathering)
      }).pipe(Effect.scoped)
    )
    await run(
      { mcp: { servers: { main: all.main } }, agents: { defaults: { mcp: { toolIndex: { threshold: 1 } } } } },
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        gathering.takeContent("search", yield* runtime.call("mcp_search_tools", {}))
        for (const { name, server } of yield* runtime.allTools) {
          if (server !== "main") continue
          gathering.takeContent("search", yield* runtime.call("mcp_describe_tool", { name }))
          gathering.takeContent("search", yield* runtime.call("mcp_search_tools", { query: name }))
        }
      })
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  end()
  return gathering.gathered
}
