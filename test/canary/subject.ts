/**
 * A whole run of the runtime in a process of its own: every verb against servers that give away what they know, and
 * everything that a gateway gets out of it written to stdout, section by section. The log goes to stderr, at its lowest
 * level; spans and metrics are written at the end.
 *
 *   node test/canary/subject.ts CONFIG [--blind]     --blind: with a Redactor that knows nothing
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import * as AgentGatewayLayer from "../../src/layers/agent/AgentGateway.ts"
import * as SessionToolsLayer from "../../src/layers/agent/SessionTools.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import { loggerLayer } from "../../src/programs/cli/output.ts"
import { AgentGateway } from "../../src/services/agent/AgentGateway.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { Redactor } from "../../src/services/content/Redactor.ts"
import { inOneTurn } from "../support/redactor.ts"

const [config = "", flag] = process.argv.slice(2)

/** What the run would be without a Redactor: the same run must then be full of secrets, or it shows nothing. */
const blind = Layer.succeed(Redactor, {
  register: () => true,
  release: () => {},
  holdsForeign: () => false,
  isEmpty: () => true,
  version: () => 0,
  redact: (text: string) => text,
  ...inOneTurn
})

type CollectedSpan = Tracer.Span & { readonly events?: unknown }

const spans: Array<CollectedSpan> = []
const tracer = Tracer.make({
  ...Tracer.nativeTracer,
  span: (options) => {
    const span = Tracer.nativeTracer.span(options)
    spans.push(span)
    return span
  }
})

/** What an exporter takes of a span: also how it failed. */
const exported = ({ attributes, events, name, status }: CollectedSpan) => ({
  name,
  attributes: Object.fromEntries(attributes),
  events,
  failure: status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : undefined
})

/** As a program would write it down, and as a person would look at it. */
const show = (section: string, value: unknown) =>
  Effect.sync(() => {
    process.stdout.write(`\n## ${section}\n`)
    process.stdout.write(`${JSON.stringify(value)}\n`)
    process.stdout.write(`${inspect(value, { depth: 12, maxStringLength: null, maxArrayLength: null })}\n`)
  })

/** Whatever comes of it, errors with everything that hangs on them. */
const showExit = <A, E>(section: string, effect: Effect.Effect<A, E>) =>
  Effect.flatMap(Effect.exit(effect), (exit) =>
    show(section, Exit.isSuccess(exit) ? exit.value : { exit, words: String(exit) })
  )

/** Where the driver lets us write. */
const HOME = process.env["MCP_LIVE_HOME"] ?? ""
const CALL_MS = 20_000

const run = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  yield* runtime.ready
  yield* show("tools", yield* runtime.tools)
  const tools = yield* runtime.allTools
  yield* show("all tools", tools)
  yield* show("status", yield* runtime.status)

  for (const tool of tools) {
    const verb = tool.tool.split("_")[0] ?? ""
    if (verb === "die" || tool.tool.startsWith("mcp_")) continue
    const onProgress = (progress: unknown) => void process.stdout.write(`\n## progress\n${inspect(progress)}\n`)
    const result = yield* runtime.call(tool.name, {}, { onProgress, timeoutMs: CALL_MS })
    yield* show(`result of ${verb}`, result)
    const handle = "handle" in result.details ? result.details.handle : undefined
    if (handle === undefined) continue
    for (const offset of [0, 5_000, 81_920, 102_400]) {
      yield* show("read on", yield* runtime.call("mcp_read_more", { handle, offset }))
    }
    yield* show("search in what was kept", yield* runtime.call("mcp_read_more", { handle, grep: "key=" }))
  }

  yield* show("resources", yield* runtime.resources)
  yield* show("resource templates", yield* runtime.resourceTemplates)
  for (const { server, uri } of yield* runtime.resources) {
    yield* showExit("read resource", runtime.readResource(uri, server))
  }
  yield* showExit("read missing resource", runtime.readResource("leak://nowhere"))
  yield* showExit("resource context", runtime.resourceContext)

  const prompts = yield* runtime.prompts
  yield* show("prompts", prompts)
  for (const prompt of prompts) {
    yield* showExit("prompt", runtime.getPrompt(prompt.name, {}))
    const argument = { name: prompt.arguments[0]?.name ?? "x", value: "" }
    yield* showExit("completion", runtime.complete({ type: "prompt", name: prompt.name }, argument))
  }

  const gateway = yield* AgentGateway
  yield* showExit("answer of the model", Stream.runCollect(gateway.send("canary", "hello")))

  yield* runtime.refresh
  for (const tool of tools.filter(({ tool: name }) => name === "die")) {
    yield* show("result of die", yield* runtime.call(tool.name, {}))
  }
  yield* show("status after", yield* runtime.status)
  // They go when the runtime closes.
  for (const file of readdirSync(HOME, { recursive: true, withFileTypes: true })) {
    // Tokens are kept there on purpose; the driver looks at who may read them.
    if (file.parentPath.startsWith(join(HOME, "credentials"))) continue
    if (file.isFile()) yield* show("files that are kept", readFileSync(join(file.parentPath, file.name), "utf8"))
  }
})

const host = {
  roots: [{ uri: "file:///canary", name: "canary" }],
  elicit: (request: unknown) => Effect.as(show("elicitation", request), { action: "decline" } as const),
  sample: (request: unknown) =>
    Effect.as(show("sampling", request), {
      model: "canary",
      role: "assistant" as const,
      content: { type: "text" as const, text: "no" }
    })
}

const live = AgentGatewayLayer.layerEmbedded.pipe(
  Layer.provide(SessionToolsLayer.layer),
  Layer.provideMerge(McpLive({ config, host: host as never, replace: flag === "--blind" ? { redactor: blind } : {} }))
)

await Effect.runPromise(
  run.pipe(
    Effect.provide(Layer.provideMerge(live, loggerLayer)),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.withTracer(tracer),
    Effect.ensuring(
      Effect.gen(function* () {
        yield* show("spans", spans.map(exported))
        yield* show("metrics", yield* Metric.snapshot)
      })
    )
  )
)
