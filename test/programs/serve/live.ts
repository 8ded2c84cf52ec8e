/** A service over servers in memory, and clients that are asked by functions of the test. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as AuditLogLayer from "../../../src/layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../../src/layers/McpLive.ts"
import type { McpLiveOptions } from "../../../src/layers/McpLive/options.ts"
import { makeService, type ServiceOptions } from "../../../src/programs/serve/serve.ts"
import type { Root } from "../../../src/schemas/content/HostRequest.ts"
import type { JsonObject } from "../../../src/schemas/data/Json.ts"
import { AskRefused } from "../../../src/schemas/listener/ListenerError.ts"
import type { LogMessage } from "../../../src/schemas/connection/LogMessage.ts"
import type { Identity } from "../../../src/schemas/login/Identity.ts"
import type { Progress } from "../../../src/schemas/call/Tool.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"
import type {
  AskedMethod,
  ClientAbilities,
  RequestContext,
  McpOffer,
  OfferedMethod
} from "../../../src/services/listener/McpListener.ts"
import { layerServers, TestServers, type TestServer } from "../../../src/testing.ts"

/** A value where objects of any form are looked into. */
export type Loose = ReturnType<typeof JSON.parse>

export interface Setup extends Partial<Omit<ServiceOptions, "config" | "build">> {
  /** Beside `mcp.servers`: agents, rules, `serve`. */
  readonly config?: Record<string, unknown>
  readonly live?: Omit<McpLiveOptions, "config" | "replace">
  readonly logs?: Array<string>
}

/** What is logged, one line each. */
export const loggerInto = (lines: Array<string> | undefined) =>
  Logger.layer(lines === undefined ? [] : [Logger.make(({ message }) => void lines.push(String(message)))])

/** The service, and the strings of its servers. */
export const service = (servers: Record<string, TestServer>, setup: Setup = {}) =>
  Effect.gen(function* () {
    const { agents = ["default"], config: more = {}, live, logs, oneClient = true, ...rest } = setup
    const inMemory = layerServers(servers)
    const configured = Object.fromEntries(
      Object.entries(servers).map(([name, { config }]) => [name, { command: "in-memory", ...config }])
    )
    const { mcp, ...others } = { mcp: {}, ...more } as Record<string, Record<string, unknown>>
    const source = ConfigSourceLayer.layerObject({ ...others, mcp: { servers: configured, ...mcp } })
    const strings = yield* Layer.build(inMemory)
    const connected = Layer.succeedContext(strings)
    const logger = loggerInto(logs)
    const config = yield* ConfigSource.use(({ load }) => load).pipe(Effect.provide(source))
    const made = yield* makeService({
      config,
      agents: agents[0] === "default" ? [config.defaultAgent] : agents,
      oneClient,
      ...rest,
      build: (host, agent, apart) =>
        McpLive({
          ...live,
          agent,
          apart,
          replace: { config: source, connector: connected, audit: AuditLogLayer.layer, host }
        }).pipe(Layer.provideMerge(logger))
    }).pipe(Effect.provide(logger))
    return { ...made, servers: Context.get(strings, TestServers) }
  })

// ---- clients -------------------------------------------------------------------------------------------------------

export interface TestClient {
  readonly agent?: string
  readonly principal?: string
  readonly identity?: Identity
  readonly only?: string
  readonly roots?: Stream.Stream<ReadonlyArray<Root>>
}

/** The offer for one client. */
export const offered = (
  { serve }: { readonly serve: Effect.Success<ReturnType<typeof service>>["serve"] },
  { agent, identity, only, principal = "test", roots = Stream.empty }: TestClient = {}
) => serve({ principal, agent, identity, only, name: "test", roots })

export type Answer = (method: AskedMethod, params: JsonObject) => Effect.Effect<JsonObject, AskRefused>

const CAN_ALL: ClientAbilities = { elicitation: { form: true, url: true }, sampling: true, roots: true }
export const CAN_NOTHING: ClientAbilities = { elicitation: { form: false, url: false }, sampling: false, roots: false }

const unable: Answer = () => Effect.fail(new AskRefused({ reason: "unable", detail: "it cannot be asked" }))

export const says =
  (answer: Loose): Answer =>
  () =>
    Effect.succeed(answer)
export const refusing =
  (reason: "unable" | "refused" | "gone"): Answer =>
  () =>
    Effect.fail(new AskRefused({ reason, detail: "x" }))

/** One request's exchange; what it was asked and told is kept. */
export const exchanging = (
  answer: Answer = unable,
  can: ClientAbilities = answer === unable ? CAN_NOTHING : CAN_ALL
) => {
  const asked: Array<{ readonly method: AskedMethod; readonly params: Loose }> = []
  const reports: Array<Progress> = []
  const logged: Array<LogMessage> = []
  const exchange: RequestContext = {
    can,
    ask: (method, params) => {
      asked.push({ method, params })
      return answer(method, params)
    },
    progress: (report) => void reports.push(report),
    log: (message) => void logged.push(message)
  }
  return { exchange, asked, logged, reports }
}

/** The result of a request. */
export const request = (
  offer: McpOffer,
  method: OfferedMethod,
  params: JsonObject = {},
  exchange: RequestContext = exchanging().exchange
): Effect.Effect<Loose, { readonly code: number; readonly message: string }> =>
  offer.handlers[method]!(params, exchange)

export const call = (offer: McpOffer, name: string, args: JsonObject = {}, exchange?: RequestContext) =>
  request(offer, "tools/call", { name, arguments: args }, exchange)

/** All text of a result. */
export const textOf = ({ content }: Loose): string =>
  content.flatMap((block: Loose) => (block.type === "text" ? [block.text] : [])).join("\n")
