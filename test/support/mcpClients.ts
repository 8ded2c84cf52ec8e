/** The clients of both SDKs behind one face, so that one test speaks for both eras. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport as LegacySse } from "@modelcontextprotocol/sdk/client/sse.js"
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import { setTimeout as delay } from "node:timers/promises"

export interface Reached {
  readonly url: string
  readonly token: string
  /** Over HTTP with SSE, as in 2024-11-05. */
  readonly sse?: boolean
}

export interface Launched {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** All of its environment but for what the SDKs let through. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What the program says on stderr. */
  readonly onStderr?: (text: string) => void
}

/** What a client answers when it is asked; without one, it says that it cannot be. */
export interface Answers {
  readonly elicit?: () => Promise<Record<string, unknown>>
  /** A question in URL mode: the page may be looked at meanwhile. */
  readonly browse?: (question: { readonly url: string; readonly message: string }) => Promise<Record<string, unknown>>
  readonly sample?: () => Promise<Record<string, unknown>>
  readonly roots?: () => ReadonlyArray<{ readonly uri: string; readonly name?: string }>
}

export interface CallOptions {
  readonly timeout?: number
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: unknown) => void
  /** Up to 2025-11-25, over HTTP: what to come back with. */
  readonly onresumptiontoken?: (token: string) => void
}

export interface TestClient {
  readonly capabilities: () => unknown
  readonly request: (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>
  /** The first text of the result. */
  readonly call: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<string>
  /** A message for the log comes as JSON. */
  readonly on: (what: "log" | "resource" | "resources" | "tools", heard: (said: string | undefined) => void) => void
  readonly rootsChanged: () => Promise<void>
  readonly close: () => Promise<void>
}

type Door = Launched | Reached

const isLaunched = (door: Door): door is Launched => "command" in door

const firstText = (result: unknown): string =>
  (result as { readonly content: ReadonlyArray<{ readonly text: string }> }).content[0]?.text ?? ""

const headersOf = ({ token }: Reached) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

const capabilitiesOf = ({ browse, elicit, roots, sample }: Answers) => ({
  ...(elicit === undefined && browse === undefined
    ? {}
    : { elicitation: { ...(elicit && { form: {} }), ...(browse && { url: {} }) } }),
  ...(sample === undefined ? {} : { sampling: {} }),
  ...(roots === undefined ? {} : { roots: { listChanged: true } })
})

const answerTo = ({ browse, elicit }: Answers, params: unknown): Promise<Record<string, unknown>> =>
  (params as { readonly mode?: string }).mode === "url" && browse !== undefined
    ? browse(params as Parameters<typeof browse>[0])
    : elicit!()

const INFO = { name: "test", version: "0" }

const listen = (stderr: unknown, onStderr: Launched["onStderr"]) => {
  ;(stderr as NodeJS.ReadableStream).on("data", (chunk: Buffer) => onStderr?.(chunk.toString()))
}

const launchOf = ({ args, command, cwd, env }: Launched) => ({
  command,
  args: [...args],
  ...(cwd === undefined ? {} : { cwd }),
  ...(env === undefined ? {} : { env: { ...env } })
})

const anything = { parse: (value: unknown) => value, safeParse: (data: unknown) => ({ success: true, data }) }

const connectLegacy = async (door: Door, answers: Answers): Promise<TestClient> => {
  const { browse, elicit, roots, sample } = answers
  const client = new LegacyClient(INFO, { capabilities: capabilitiesOf(answers) })
  if (elicit !== undefined || browse !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerTo(answers, params) as never)
  }
  if (sample !== undefined) client.setRequestHandler(CreateMessageRequestSchema, () => sample() as never)
  if (roots !== undefined) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [...roots()] }) as never)
  const Http = (door as Reached).sse === true ? LegacySse : LegacyHttp
  const http = isLaunched(door) ? undefined : new Http(new URL(door.url), headersOf(door))
  const stdio = isLaunched(door) ? new LegacyStdio({ ...launchOf(door), stderr: "pipe" }) : undefined
  if (stdio !== undefined) listen(stdio.stderr, (door as Launched).onStderr)
  // Its types were written without exact optional properties.
  await client.connect((http ?? stdio) as Parameters<LegacyClient["connect"]>[0])
  return {
    capabilities: () => client.getServerCapabilities(),
    request: (method, params = {}) => client.request({ method, params }, anything as never) as never,
    call: async (name, args = {}, options = {}) =>
      firstText(await client.callTool({ name, arguments: args }, undefined, options as never)),
    on: (what, heard) => {
      if (what === "tools") client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard(undefined))
      if (what === "log") {
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => heard(JSON.stringify(params)))
      }
      if (what === "resources") {
        client.setNotificationHandler(ResourceListChangedNotificationSchema, () => heard(undefined))
      }
      if (what === "resource") {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard(params.uri))
      }
    },
    rootsChanged: () => client.sendRootsListChanged(),
    close: async () => {
      if (http instanceof LegacyHttp) await http.terminateSession().catch(() => {})
      await client.close()
    }
  }
}

const connectModern = async (door: Door, answers: Answers): Promise<TestClient> => {
  const { browse, elicit, roots, sample } = answers
  const client = new ModernClient(INFO, {
    capabilities: capabilitiesOf(answers),
    versionNegotiation: { mode: { pin: "2026-07-28" } }
  })
  if (elicit !== undefined || browse !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => answerTo(answers, params) as never)
  }
  if (sample !== undefined) client.setRequestHandler("sampling/createMessage", () => sample() as never)
  if (roots !== undefined) client.setRequestHandler("roots/list", () => ({ roots: [...roots()] }) as never)
  const http = isLaunched(door) ? undefined : new ModernHttp(new URL(door.url), headersOf(door))
  const stdio = isLaunched(door) ? new ModernStdio({ ...launchOf(door), stderr: "pipe" }) : undefined
  if (stdio !== undefined) listen(stdio.stderr, (door as Launched).onStderr)
  await client.connect((http ?? stdio)!)
  return {
    capabilities: () => client.getServerCapabilities(),
    request: (method, params = {}) => client.request({ method, params } as never) as never,
    call: async (name, args = {}, options = {}) =>
      firstText(await client.callTool({ name, arguments: args }, options as never)),
    on: (what, heard) => {
      if (what === "tools") client.setNotificationHandler("notifications/tools/list_changed", () => heard(undefined))
      if (what === "log") {
        client.setNotificationHandler("notifications/message", ({ params }) => heard(JSON.stringify(params)))
      }
      if (what === "resources") {
        client.setNotificationHandler("notifications/resources/list_changed", () => heard(undefined))
      }
      if (what === "resource") {
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => heard(params.uri))
      }
    },
    rootsChanged: async () => {},
    close: () => client.close()
  }
}

export type Era = "2025-11-25" | "2026-07-28"

export const ERAS: ReadonlyArray<Era> = ["2025-11-25", "2026-07-28"]

export const connect = (era: Era, door: Door, answers: Answers = {}): Promise<TestClient> =>
  era === "2025-11-25" ? connectLegacy(door, answers) : connectModern(door, answers)

/** Closed with the Scope. */
export const connected = (era: Era, door: Door, answers?: Answers) =>
  Effect.acquireRelease(
    Effect.promise(() => connect(era, door, answers)),
    (client) => Effect.promise(() => client.close())
  )

const AGAIN_MS = 100

/**
 * The answer to a request for a list, asked for again until all of these are in it by name or URI: servers start in their own time,
 * and a list waits for them only briefly.
 */
export const listed = (client: TestClient, method: string, ...wanted: ReadonlyArray<string>) =>
  Effect.promise(async (signal): Promise<Record<string, unknown>> => {
    for (;;) {
      const answer = await client.request(method)
      const entries = Object.values(answer).find(Array.isArray) as ReadonlyArray<Record<string, unknown>> | undefined
      const there = new Set(entries?.flatMap(({ name, uri }) => [name, uri]))
      if (signal.aborted || wanted.every((one) => there.has(one))) return answer
      await delay(AGAIN_MS)
    }
  })
