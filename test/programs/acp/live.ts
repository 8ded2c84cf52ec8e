/** The sessions of a client over servers in memory, with an agent that does as it is told and a client that keeps what it is told. */
import type { CreateElicitationRequest, RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { tmpdir } from "node:os"
import { layerScripted, type Script } from "../../../src/layers/agent/AgentGateway.ts"
import * as AuditLogLayer from "../../../src/layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../../src/layers/McpLive.ts"
import * as SessionToolsLayer from "../../../src/layers/agent/SessionTools.ts"
import { replay, type Client } from "../../../src/programs/acp/updates.ts"
import type { Turn } from "../../../src/schemas/agent/Conversation.ts"
import type { AcpClient, SessionHosts } from "../../../src/programs/acp/services.ts"
import type { ServerConnector } from "../../../src/services/connection/ServerConnector.ts"
import { layerServers, type TestServer } from "../../../src/testing.ts"
import { inStep } from "../../../src/testing/inStep.ts"

/** One that is there. */
export const cwd = tmpdir()
export const brought = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, command: "in-memory" }))
/** Never aborted: all files of a worker share it, however long they take. */
export const { signal } = new AbortController()
export const text = (words: string) => [{ type: "text" as const, text: words }]

interface Setup {
  readonly kept?: { readonly directory: string }
  readonly hosts?: SessionHosts
  /** Instead of servers in memory. */
  readonly connector?: Layer.Layer<ServerConnector>
}

/** The gateway has none of these servers; they are there for sessions to bring along. */
export const live = (
  script: Script,
  servers: Record<string, TestServer> = {},
  more: object = {},
  { connector, hosts = new Map(), kept }: Setup = {}
) => {
  const inMemory = layerServers(servers)
  const config = ConfigSourceLayer.layerObject({ mcp: { servers: {} }, ...more })
  return layerScripted(script, kept).pipe(
    Layer.provideMerge(SessionToolsLayer.layer),
    Layer.provideMerge(
      McpLive({
        host: { forSession: (session) => hosts.get(session) },
        replace: { config, connector: connector ?? inMemory, audit: AuditLogLayer.layer }
      })
    ),
    Layer.provideMerge(inMemory),
    Layer.provideMerge(Logger.layer([])),
    Layer.provideMerge(inStep)
  )
}

/** A client that keeps what it is told. */
export const client = (
  answer: (request: RequestPermissionRequest) => Effect.Effect<unknown> = () => Effect.never,
  elicits: AcpClient["elicits"] = [],
  elicit: (request: CreateElicitationRequest) => Effect.Effect<unknown, unknown> = () => Effect.never
) => {
  const updates: Array<SessionUpdate> = []
  const waiting = new Set<() => void>()
  const keep = (_: string, update: SessionUpdate) => {
    updates.push(update)
    for (const look of waiting) look()
  }
  return {
    updates,
    notices: () => updates.flatMap((update) => (update.sessionUpdate === "notice" ? [update.title] : [])),
    /** Of a notice, one whose title holds the words. */
    until: (kind: SessionUpdate["sessionUpdate"], words = "") =>
      Effect.callback<void>((resume) => {
        const fits = (update: SessionUpdate) =>
          update.sessionUpdate === kind && (update.sessionUpdate !== "notice" || update.title.includes(words))
        const look = () => {
          if (updates.some(fits)) resume(Effect.void)
        }
        waiting.add(look)
        look()
      }),
    door: {
      notices: true,
      update: (id: string, update: SessionUpdate) => Effect.sync(() => keep(id, update)),
      post: keep,
      askPermission: answer,
      elicits,
      askElicitation: elicit
    }
  }
}

/** What a client is sent of a turn that was. */
export const replayOf = (turn: Turn, number: string, shows: Client) => {
  const updates: Array<SessionUpdate> = []
  return Effect.as(
    replay(turn, number, shows, (update) => Effect.sync(() => void updates.push(update))),
    updates
  )
}
