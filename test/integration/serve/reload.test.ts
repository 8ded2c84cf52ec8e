import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { readFileSync, writeFileSync } from "node:fs"
import { shell } from "../../fixtures/servers.ts"
import { ERAS } from "../../support/mcpClients.ts"
import { ask } from "../../support/rawHttp.ts"
import { listening, overHttp, placeFor, type Loose } from "./program.ts"
import { pauses } from "../../support/pause.ts"
import { rowsInFull } from "../../support/full.ts"

const namesOf = ({ tools }: Loose): ReadonlyArray<string> => tools.map(({ name }: Loose) => name)

/** Its text comes without boundaries. */
const trusted = (more: object = {}) => ({ ...shell(), contentMode: "trusted", ...more })

const tokenIn = (stderr: string): string => readFileSync(/the token in (\S+)/.exec(stderr)![1]!, "utf8")

const MODERN = "2026-07-28"

/** Ends a stream that has no other end. */
const stopping = Effect.sync(() => {
  const control = new AbortController()
  return { signal: control.signal, stop: Effect.sync(() => control.abort()) }
})

describe("serve: an edit of the configuration", () => {
  for (const era of rowsInFull(ERAS, ["2026-07-28"])) {
    it.live(`reaches a client of ${era} over HTTP, and its calls go on`, () =>
      Effect.gen(function* () {
        const place = yield* placeFor({ mcp: { servers: { one: trusted() } } })
        const { stderr, url } = yield* listening(place)
        const client = yield* overHttp(era, url, tokenIn(stderr()))
        const names = Effect.map(
          Effect.promise(() => client.request("tools/list")),
          namesOf
        )
        yield* Effect.repeat(names, { schedule: pauses, until: (all) => all.includes("mcp_one_sh") })
        const pid = yield* Effect.promise(() => client.call("mcp_one_pid"))
        // A client of the newer revision would have to subscribe, which its library leaves to programs: it asks.
        const told = yield* Queue.unbounded<void>()
        client.on("tools", () => void Queue.offerUnsafe(told, undefined))
        const next = era === "2025-11-25" ? Queue.take(told) : Effect.void
        const servers = { one: trusted({ tools: { exclude: ["sh"] } }), two: trusted() }
        writeFileSync(place.file, JSON.stringify({ mcp: { servers } }))
        // The server may be told of first as one that has started.
        yield* Effect.repeat(Effect.andThen(next, names), { until: (all) => !all.includes("mcp_one_sh") })
        yield* Effect.repeat(names, { until: (all) => all.includes("mcp_two_sh") })
        assert.strictEqual(yield* Effect.promise(() => client.call("mcp_one_pid")), pid)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is announced to a client of 2026-07-28 that listens for it", () =>
    Effect.gen(function* () {
      const place = yield* placeFor({ mcp: { servers: { one: trusted() } } })
      const { stderr, url } = yield* listening(place)
      const token = tokenIn(stderr())
      const names = Effect.map(
        Effect.promise(() => ask(MODERN, url, token, "tools/list")),
        ({ messages }) => namesOf(messages[0]?.result)
      )
      yield* Effect.repeat(names, { schedule: pauses, until: (all) => all.includes("mcp_one_sh") })
      const { signal, stop } = yield* stopping
      const [listens, told] = [yield* Deferred.make<void>(), yield* Queue.unbounded<void>()]
      const onMessage = ({ method }: { readonly method?: string }) => {
        if (method === "notifications/subscriptions/acknowledged") Deferred.doneUnsafe(listens, Effect.void)
        if (method === "notifications/tools/list_changed") Queue.offerUnsafe(told, undefined)
      }
      const notifications = { toolsListChanged: true }
      void ask(MODERN, url, token, "subscriptions/listen", { notifications }, { onMessage, signal }).catch(() => {})
      yield* Deferred.await(listens)
      const servers = { one: trusted({ tools: { exclude: ["sh"] } }) }
      writeFileSync(place.file, JSON.stringify({ mcp: { servers } }))
      yield* Effect.repeat(Effect.andThen(Queue.take(told), names), { until: (all) => !all.includes("mcp_one_sh") })
      yield* stop
    }).pipe(Effect.scoped)
  )
})
