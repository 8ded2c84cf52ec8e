/**
 * The metrics for Prometheus, at `/metrics` on a port of their own. Without a token it answers requests of this machine alone, under a
 * name of this machine: a page in a browser that points a name of its own here gets nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Redacted from "effect/Redacted"
import * as RedactedValue from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { IncomingMessage } from "node:http"
import { timingSafeEqual } from "node:crypto"
import { LISTENER_HEAD_MS, LISTENER_RECEIVE_MS } from "../../../schemas/defaults/Listener.ts"
import { PROMETHEUS_CONNECTIONS_MAX } from "../../../schemas/defaults/Telemetry.ts"
import { isLoopback } from "../../../schemas/listener/HttpAccess.ts"
import { Places } from "../../../system/connectionPlaces.ts"
import { digestOf, framingFault, listenAt, refuse, SAFE_HEADERS } from "../../../system/httpServer.ts"
import { makePrometheusText } from "./prometheusText.ts"

export interface PrometheusOptions {
  readonly host: string
  readonly port: number
  readonly token: Redacted.Redacted | undefined
}

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const isOfThisMachine = (host: string | undefined): boolean => {
  const name = (host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")
  return name.toLowerCase() === "localhost" || isLoopback(name)
}

const makeAdmits = (token: PrometheusOptions["token"]) => {
  if (token === undefined) return ({ headers }: IncomingMessage) => isOfThisMachine(headers.host)
  const expected = digestOf(`Bearer ${RedactedValue.value(token)}`)
  return ({ headers }: IncomingMessage) => timingSafeEqual(expected, digestOf(headers.authorization ?? ""))
}

/** Listens until the Scope closes. A port that is taken is told in the log, and ends nothing. */
export const servePrometheus = Effect.fnUntraced(function* ({
  host,
  port,
  token
}: PrometheusOptions): Effect.fn.Return<number | undefined, never, Scope.Scope> {
  const { sendTo } = makePrometheusText(yield* Effect.context(), yield* Clock.Clock)
  const run = yield* FiberSet.makeRuntime()
  const places = new Places(PROMETHEUS_CONNECTIONS_MAX)
  const listening = yield* Effect.result(
    listenAt({ address: host, port, places, headMs: LISTENER_HEAD_MS, receiveMs: LISTENER_RECEIVE_MS })
  )
  if (listening._tag === "Failure") {
    yield* Effect.logWarning(
      `telemetry: nothing is served for Prometheus, because ${host}:${port} cannot be opened (${listening.failure.code})`
    )
    return undefined
  }
  const admits = makeAdmits(token)
  listening.success.server.on("request", (incoming, response) => {
    const fault = framingFault(incoming)
    if (fault !== undefined) return refuse(response, fault)
    if (!admits(incoming)) return refuse(response, token === undefined ? 403 : 401)
    if (incoming.url?.split("?", 1)[0] !== "/metrics") return refuse(response, 404)
    if (incoming.method !== "GET") return refuse(response, 405, { allow: "GET" })
    if (!places.admit(incoming, response, "prometheus")) return refuse(response, 503)
    run(sendTo(response, { ...SAFE_HEADERS, "content-type": CONTENT_TYPE }))
  })
  return listening.success.port
})
