import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { McpLive } from "../../../src/layers/McpLive.ts"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import type { ApprovalAnswer } from "../../../src/schemas/call/Approval.ts"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { hostile } from "../../fixtures/servers.ts"
import { PEERS_SECRET } from "../../support/fleetDatabase.ts"
import { freePort } from "../../support/freePort.ts"
import { inFolder } from "../../support/folder.ts"
import { quiet } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

const contextAt = (url: string, name: string, server: object, answer?: ApprovalAnswer) =>
  Effect.gen(function* () {
    const dataDirectory = yield* inFolder
    const asked: Array<string> = []
    const port = yield* freePort
    const context = yield* Layer.build(
      McpLive({
        dataDirectory,
        fleet: true,
        ...(answer === undefined
          ? {}
          : {
              approve: async ({ tool }: { readonly tool: string }) => {
                asked.push(tool)
                return answer
              }
            }),
        replace: {
          config: ConfigSourceLayer.layerObject({
            mcp: {
              fleet: { database: url, name, listen: `127.0.0.1:${port}`, peers: { secret: PEERS_SECRET } },
              servers: { polite: { ...hostile("polite"), ...server } }
            },
            tools: { ask: ["polite/*"] }
          })
        }
      }).pipe(Layer.provide(quiet), Layer.fresh)
    )
    return { asked, runtime: Context.get(context, McpRuntime) }
  })

const runtimeAt = (url: string, name: string, server: object, answer?: ApprovalAnswer) =>
  Effect.gen(function* () {
    const { asked, runtime } = yield* contextAt(url, name, server, answer)
    yield* runtime.ready
    const tool = (yield* runtime.tools).find((each) => each.server === "polite")
    const call = runtime.call(tool!.name, {})
    return { asked, call }
  })

const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)

describePostgres("a runtime in a fleet", () => {
  it.live("finds the tool of a call that comes before its server is up", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const { runtime } = yield* contextAt(url, "one", {}, "once")
      assert.isUndefined(tagOf(yield* runtime.call("mcp_polite_echo", { text: "early" })))
    })
  )
})

describePostgres("two runtimes in one fleet", () => {
  it.live("ask a person once for both", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const one = yield* runtimeAt(url, "one", {}, "always")
      const other = yield* runtimeAt(url, "other", {})
      assert.strictEqual(tagOf(yield* other.call), "ApprovalDenied")
      assert.isUndefined(tagOf(yield* one.call))
      assert.lengthOf(one.asked, 1)
      assert.isUndefined(tagOf(yield* other.call))
    })
  )

  it.live("have one rate of calls to a server", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const limits = { limits: { perMinute: 1, burst: 4 } }
      const nodes = [
        yield* runtimeAt(url, "one", limits, "always"),
        yield* runtimeAt(url, "other", limits, "always")
      ] as const
      const tags = yield* Effect.forEach(Array.from({ length: 8 }), (_, i) => Effect.map(nodes[i % 2]!.call, tagOf), {
        concurrency: "unbounded"
      })
      assert.deepEqual(
        tags.filter((tag) => tag !== undefined),
        Array.from({ length: 4 }, () => "RateLimited")
      )
    })
  )
})
