/** mcp-live as a gateway has it: `McpLive` with one server, its tools as an agent gets them, its whole pipeline. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { McpLive } from "../../../src/layers/McpLive.ts"
import { DEFAULT_CALL_LIMITS } from "../../../src/schemas/call/CallLimits.ts"
import type { GatewayConfig } from "../../../src/schemas/config/GatewayConfig.ts"
import { serverConfig, type Launch } from "../../../src/schemas/connection/ServerConfig.ts"
import type { ServerStatus } from "../../../src/schemas/connection/ServerState.ts"
import type { Content, ToolResult } from "../../../src/schemas/call/Tool.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"
import { McpRuntime, type McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"
import type { Answer, MakeSubject, Target } from "./subject.ts"

const SERVER = "hostile"

const launchOf = (target: Target): Launch =>
  target.kind === "stdio" ? { ...target, cwd: undefined } : { kind: "http", url: target.url, headers: target.headers }

const configOf = (target: Target, timeoutMs: number): GatewayConfig => ({
  file: "bench",
  agents: [
    {
      id: "main",
      model: undefined,
      servers: [
        serverConfig(SERVER, launchOf(target), {
          timeout: timeoutMs,
          toolTimeout: timeoutMs,
          limits: { ...DEFAULT_CALL_LIMITS, perMinute: 0, failures: 0 }
        })
      ],
      rules: [],
      toolIndexThreshold: 0
    }
  ],
  defaultAgent: "main",
  warnings: []
})

/** An error of ours under the name of its tag, as the SDKs' errors have theirs. */
const failure = (name: string, message: string): Error => Object.assign(new Error(message), { name })

const WRAPPED = /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{16})">>>\n(?:[^\n]*\n){2,7}?---\n/
const endOf = (id: string) => `\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>`

/** What stands between the outer boundaries, which are ours; what a server forged inside them stays to be seen. */
const unwrapped = (text: string): string => {
  const [head = "", id = ""] = WRAPPED.exec(text) ?? []
  const start = text.indexOf(head)
  const end = text.lastIndexOf(endOf(id))
  return head === "" || end < start
    ? text
    : text.slice(0, start) + text.slice(start + head.length, end) + text.slice(end + endOf(id).length)
}

const shownOf = (content: ReadonlyArray<Content>): ReadonlyArray<unknown> =>
  content.map((block) => (block.type === "text" ? unwrapped(block.text) : block))

const answerOf = ({ content, details, isError, structuredContent }: ToolResult): Answer => {
  if ("error" in details) throw failure(details.error.tag, shownOf(content).join("\n"))
  return { shown: [shownOf(content), structuredContent], isError }
}

/** A name as it is after cleaning, near enough to know it again. */
const plain = (name: string) => name.replace(/[^a-z0-9]+/gi, "")

const isSettled = ({ state }: ServerStatus) => state !== "Connecting" && state !== "Idle"

/** Until the first attempt has come to something; later ones are not waited for. */
const settled = Effect.gen(function* () {
  const { changes, status } = yield* McpRuntime
  const present = Effect.map(status, (all) => all[SERVER])
  const first = yield* Stream.runHead(
    Stream.filter(
      Stream.mapEffect(changes, () => present),
      (each) => each !== undefined && isSettled(each)
    )
  )
  return first._tag === "Some" ? first.value : undefined
})

export const live: MakeSubject = (target, { timeoutMs }) => {
  const config = Layer.succeed(ConfigSource, { load: Effect.succeed(configOf(target, timeoutMs)) })
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const runtime = ManagedRuntime.make(McpLive({ replace: { config } }).pipe(Layer.provideMerge(quiet)))
  const exposed = new Map<string, string>()
  const exposedOf = (tool: string): string =>
    exposed.get(tool) ?? [...exposed].find(([own]) => plain(own) === plain(tool))?.[1] ?? tool
  const orReject = async <A, E>(use: (mcp: McpRuntimeShape) => Effect.Effect<A, E>): Promise<A> => {
    const exit = await runtime.runPromiseExit(McpRuntime.use(use))
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    throw error instanceof Error && "_tag" in error ? failure(String(error._tag), error.message) : error
  }
  return {
    connect: async () => {
      const status = await runtime.runPromise(settled)
      if (status?.state !== "Ready") throw failure(status?.state ?? "Closed", status?.lastError ?? "no reason given")
    },
    list: async () => {
      const tools = await runtime.runPromise(McpRuntime.use(({ allTools }) => allTools))
      const own = tools.filter(({ server }) => server === SERVER)
      for (const { name, tool } of own) exposed.set(tool, name)
      return own.map(({ annotations, description, label, name, parameters, tool }) => ({
        name: tool,
        shown: { name, label, description, parameters, annotations }
      }))
    },
    call: async (tool, args) =>
      answerOf(await runtime.runPromise(McpRuntime.use(({ call }) => call(exposedOf(tool), args)))),
    read: async (uri) => {
      const { content } = await orReject(({ readResource }) => readResource(uri, SERVER))
      return { shown: shownOf(content), isError: false }
    },
    prompt: async (name) => {
      const { messages } = await orReject(({ getPrompt }) => getPrompt(`${SERVER}/${name}`))
      return { shown: messages.map(({ content }) => shownOf(content)), isError: false }
    },
    close: () => runtime.dispose()
  }
}
