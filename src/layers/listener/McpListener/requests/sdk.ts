/** The SDK: no other file imports it. It is loaded when somebody listens, so that a program that does not is spared it. */
import type {
  InboundClassificationOutcome,
  RequestId,
  Server,
  ServerContext,
  StandardSchemaV1,
  Transport
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { VERSION } from "../../../../schemas/data/Version.ts"
import { LISTENER_ROOTS_MS } from "../../../../schemas/defaults/Listener.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { McpOffer, OfferChange } from "../../../../services/listener/McpListener.ts"
import type { Era } from "./capabilities.ts"

export type {
  InboundModernRoute,
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  Result,
  Server,
  ServerContext,
  Transport
} from "@modelcontextprotocol/server"

export type Sdk = typeof import("@modelcontextprotocol/server")

export const loadSdk: Effect.Effect<Sdk> = Effect.promise(() => import("@modelcontextprotocol/server"))

export const loadStdio = Effect.promise(() => import("@modelcontextprotocol/server/stdio"))

/** The revision without sessions. */
export const MODERN = "2026-07-28"

const LEGACY: InboundClassificationOutcome = { kind: "legacy", reason: "no-claim" }

const KINDS = [
  "isJSONRPCRequest",
  "isJSONRPCNotification",
  "isJSONRPCResultResponse",
  "isJSONRPCErrorResponse"
] as const

const NAMES = new Set(["jsonrpc", "id", "method", "params"])

/** Whether it is a request that needs no closer look: most are. `_meta` has rules of its own. */
const isPlain = (value: unknown): boolean => {
  if (!isObject(value) || value["jsonrpc"] !== "2.0" || typeof value["method"] !== "string") return false
  const { id, params } = value
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false
  for (const name in value) if (!NAMES.has(name)) return false
  return params === undefined || (isObject(params) && !Object.hasOwn(params, "_meta"))
}

/** Whether it is one of the protocol's messages: the SDK would drop anything else without a word. */
export const isMessage = (sdk: Sdk, value: unknown): boolean => isPlain(value) || KINDS.some((is) => sdk[is](value))

/** Whether a request over HTTP is of a client with sessions or without, or why it is neither. */
export const routeOf = (
  sdk: Sdk,
  exchange: { readonly method: string; readonly header: (name: string) => string | undefined },
  body: unknown
): InboundClassificationOutcome => {
  const [revision, named, name] = ["mcp-protocol-version", "mcp-method", "mcp-name"].map((one) => exchange.header(one))
  // Without an envelope in its `_meta`, and with a revision of before, it can be nothing else.
  if ((revision === undefined || revision < MODERN) && isPlain(body)) return LEGACY
  return sdk.classifyInboundRequest({
    httpMethod: exchange.method,
    ...(revision === undefined ? {} : { protocolVersionHeader: revision }),
    ...(named === undefined ? {} : { mcpMethodHeader: named }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
    body
  })
}

/** Makes a server that is connected with this speak the revision without sessions: the SDK sees that by the transport. */
export const bindModern = (sdk: Sdk, own: Transport): Transport => {
  const transport: Transport = new sdk.PerRequestHTTPServerTransport({
    classification: { era: "modern", revision: MODERN }
  })
  transport.start = () => own.start()
  transport.send = (message, options) => own.send(message, options)
  transport.close = () => own.close()
  own.onmessage = (message, extra) => transport.onmessage?.(message, extra)
  own.onclose = () => transport.onclose?.()
  return transport
}

/** What a request came with, as far as its answer is concerned. */
export interface Sender {
  /** Closes when nobody waits for the answer. */
  readonly scope: Scope.Scope
  /** Done when the client can take more. */
  readonly read: () => Promise<void>
  /** A header that it came with. */
  readonly header?: (name: string) => string | undefined
  /** The id that the client gave it, where the SDK knows it by another one. */
  readonly asked?: RequestId | undefined
}

/** What a client answers is for the asker to judge. */
export const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "mcp-live", validate: (value) => ({ value }) }
}

export const anyParams: StandardSchemaV1<Record<string, unknown>, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "mcp-live",
    validate: (value) => ({ value: value as Record<string, unknown> })
  }
}

/** That a task is in another state (up to 2025-11-25); a client that does not hear it asks. */
export const tellOfTask = (server: Server, legacy: JsonObject): void =>
  void server.notification({ method: "notifications/tasks/status", params: { ...legacy } }).catch(() => {})

/** Tells a client of a change, unless it did not ask for that; done when the message is handed over. */
export const tell = (server: Server, change: OfferChange): Effect.Effect<void> =>
  Effect.ignore(
    Effect.tryPromise(() => {
      switch (change.kind) {
        case "tools":
          return server.sendToolListChanged()
        case "resources":
          return server.sendResourceListChanged()
        case "prompts":
          return server.sendPromptListChanged()
        case "resource":
          return server.sendResourceUpdated({ uri: change.uri })
      }
    })
  )

/** The roots that a client names when it is asked. */
export const askForRoots = (server: Server): Effect.Effect<unknown, unknown> =>
  Effect.tryPromise((signal) =>
    server.request({ method: "roots/list" }, anything, { signal, timeout: LISTENER_ROOTS_MS })
  )

/** The SDK passes what a transport says of a request on as it is. */
export const senderOf = ({ http }: ServerContext): Sender | undefined => http?.req as unknown as Sender | undefined

export const newServer = (sdk: Sdk, { instructions, name, title }: Partial<McpOffer>, capabilities: object, era: Era) =>
  new sdk.Server(
    { name: name ?? "mcp-live", ...(title === undefined ? {} : { title }), version: VERSION },
    {
      capabilities,
      ...(era === "modern" ? { supportedProtocolVersions: [...sdk.SUPPORTED_PROTOCOL_VERSIONS, MODERN] } : {}),
      ...(instructions === undefined ? {} : { instructions })
    }
  )

/** A server whose client gets the same answer to everything: it is offered nothing. */
export const makeRefusing = (sdk: Sdk, why: RequestRefused): Server => {
  const server = newServer(sdk, {}, {}, "legacy")
  const refuse = () => Promise.reject(why)
  server.setRequestHandler("initialize", refuse)
  server.setRequestHandler("server/discover", refuse)
  server.fallbackRequestHandler = refuse
  return server
}
