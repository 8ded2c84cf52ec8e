/** Asks each address once, without credentials: whether it answers, and what its clock says. Certificates are checked as ever. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DOCTOR_ANSWER_MS, DOCTOR_PROBES_AT_ONCE } from "../../../../schemas/defaults/Doctor.ts"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import type { AddressFacts } from "../../../../schemas/doctor/Facts.ts"
import { NetworkGuard } from "../../../../services/connection/NetworkGuard.ts"

/** The address of an HTTP server, if it is written out: one with a reference in it is known only when it is resolved. */
export const addressOf = ({ launch }: ServerConfig): URL | undefined => {
  if (launch.kind === "stdio" || /secret:\/\//i.test(launch.url) || !URL.canParse(launch.url)) return undefined
  const url = new URL(launch.url)
  return url.username === "" && url.password === "" ? url : undefined
}

const codeIn = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return "unknown"
  if (error.name === "TimeoutError") return "TIMEOUT"
  const cause = error.cause
  if (cause instanceof Error && "_tag" in cause) return undefined // The guard refuses the address: starting the server says so.
  if ("_tag" in error) return undefined
  if (!(cause instanceof Error)) return error.name
  return "code" in cause ? String(cause.code) : cause.message
}

/** `fetch` makes an error without words of a response with status 407. */
const isProxys = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === "" && !("code" in error.cause)

/** `Date` has whole seconds: on average it is half a second behind. */
const HALF_SECOND = 500

const ask = Effect.fnUntraced(function* ({ allowPrivate, denyLoopback, name }: ServerConfig, url: URL) {
  const guard = yield* NetworkGuard
  const before = yield* Clock.currentTimeMillis
  const opened = guard.open({
    server: name,
    own: [{ url, allowPrivate, denyLoopback }],
    connectTimeoutMs: DOCTOR_ANSWER_MS
  })
  const nothing = { origin: url.origin, code: undefined, status: undefined, clockOffMs: undefined }
  const answer = Effect.promise(async (): Promise<AddressFacts & { readonly date?: number }> => {
    try {
      const response = await opened.fetch(url, {
        headers: { accept: "application/json, text/event-stream" },
        signal: AbortSignal.timeout(DOCTOR_ANSWER_MS)
      })
      void response.body?.cancel().catch(() => {})
      return { ...nothing, status: response.status, date: Date.parse(response.headers.get("date") ?? "") }
    } catch (error) {
      return isProxys(error) ? { ...nothing, status: 407 } : { ...nothing, code: codeIn(error) }
    }
  })
  const { date = Number.NaN, ...facts } = yield* Effect.ensuring(
    answer,
    Effect.promise(() => opened.close())
  )
  const after = yield* Clock.currentTimeMillis
  return Number.isNaN(date) ? facts : { ...facts, clockOffMs: date + HALF_SECOND - (before + after) / 2 }
})

/** By the name of the server. */
export const addressFacts = Effect.fnUntraced(function* (servers: ReadonlyArray<ServerConfig>) {
  const { layer } = yield* Effect.promise(() => import("../../../../layers/connection/NetworkGuard.ts"))
  const found = yield* Effect.forEach(
    servers.flatMap((config) => {
      const url = addressOf(config)
      return url === undefined ? [] : [{ config, url }]
    }),
    ({ config, url }) => Effect.map(ask(config, url), (facts) => [config.name, facts] as const),
    { concurrency: DOCTOR_PROBES_AT_ONCE }
  ).pipe(Effect.provide(layer()))
  return new Map<string, AddressFacts>(found)
})
