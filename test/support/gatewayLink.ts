/** A gateway behind a link, as far as a configuration, rows of sessions and the tools of nodes go; what it is asked can be made to fail. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { GatewayError } from "../../src/schemas/agent/GatewayError.ts"
import type { GatewayHello } from "../../src/schemas/agent/GatewayFrames.ts"
import { GatewayLink, type GatewayEvent, type Link } from "../../src/services/agent/GatewayLink.ts"

type Members = Record<string, unknown>

export interface Asked {
  readonly method: string
  readonly params: Readonly<Members>
}

const hello: GatewayHello = {
  serverVersion: "test",
  protocol: 4,
  limits: { maxPayloadBytes: 25 * 1024 * 1024, maxAttachmentBytes: 1, maxImageBytes: 1 },
  tickMs: 30_000,
  scopes: ["operator.admin"]
}

export const CONFLICT = new GatewayError({
  code: "INVALID_REQUEST",
  detail: "config changed since last load; re-run config.get and retry"
})

export interface Options {
  readonly local?: boolean
  /** What a request fails with instead of being done. */
  readonly failing?: (asked: Asked) => GatewayError | undefined
  readonly nodeToolsMax?: number
}

export const makeFakeGateway = Effect.fnUntraced(function* ({
  failing,
  local = true,
  nodeToolsMax = 128
}: Options = {}) {
  const servers: Members = {}
  const rows = new Map<string, Members>()
  const asked: Array<Asked> = []
  const results: Array<Members> = []
  let revision = 1
  let nodeTools: ReadonlyArray<Members> = []
  const connections = yield* SubscriptionRef.make(1)
  let events = yield* Queue.unbounded<GatewayEvent, GatewayError>()

  const patch = ({ baseHash, raw }: Readonly<Members>) => {
    if (baseHash !== `r${revision}`) return Effect.fail(CONFLICT)
    revision++
    const { mcp } = JSON.parse(String(raw)) as { mcp: { servers: Members } }
    for (const [name, entry] of Object.entries(mcp.servers)) {
      if (entry === null) delete servers[name]
      else servers[name] = { ...(servers[name] as object), ...(entry as object) }
    }
    return Effect.succeed({ ok: true })
  }

  const answer = ({ method, params }: Asked): Effect.Effect<unknown, GatewayError> => {
    switch (method) {
      case "config.get":
        return Effect.succeed({ hash: `r${revision}`, config: { mcp: { servers: structuredClone(servers) } } })
      case "config.patch":
        return patch(params)
      case "sessions.describe":
        return Effect.succeed({ session: rows.get(String(params["key"])) ?? null })
      case "sessions.patch":
        rows.set(String(params["key"]), { ...params })
        return Effect.succeed({ ok: true })
      case "node.pluginTools.update":
        nodeTools = (params["tools"] as Array<Members>).slice(0, nodeToolsMax)
        return Effect.succeed({ nodeId: "n", tools: nodeTools })
      case "node.invoke.result":
        results.push({ ...params })
        return Effect.succeed({ ok: true })
      default:
        return Effect.fail(new GatewayError({ code: "INVALID_REQUEST", detail: `unknown method ${method}` }))
    }
  }

  const link: Link = {
    request: (method, params) =>
      Effect.suspend(() => {
        const one = { method, params }
        asked.push(one)
        const failure = failing?.(one)
        return failure === undefined ? answer(one) : Effect.fail(failure)
      }),
    events: Effect.sync(() => Stream.fromQueue(events)),
    hello: Effect.succeed(hello),
    trouble: Effect.undefined,
    connected: Stream.map(SubscriptionRef.changes(connections), () => hello)
  }

  const download = () => Effect.fail(new GatewayError({ detail: "there are no files here" }))

  return {
    servers,
    rows,
    asked,
    results,
    nodeTools: () => nodeTools,
    count: (method: string) => asked.filter((one) => one.method === method).length,
    send: (event: string, payload: unknown) => Queue.offer(events, { event, payload }),
    /** The connection is lost, and there is a new one. */
    reconnect: Effect.gen(function* () {
      const old = events
      nodeTools = []
      events = yield* Queue.unbounded<GatewayEvent, GatewayError>()
      yield* Queue.fail(old, new GatewayError({ code: "LINK_LOST", detail: "the connection was lost" }))
      yield* SubscriptionRef.update(connections, (count) => count + 1)
    }),
    layer: Layer.succeed(GatewayLink, {
      operator: link,
      node: () => Effect.succeed(link),
      local,
      address: "ws://gateway.test",
      id: "0123456789abcdef",
      download
    })
  }
})
