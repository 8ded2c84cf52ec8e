import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { makeLogin } from "../../../../src/layers/control/ControlHandlers/login.ts"
import { serverConfig } from "../../../../src/schemas/connection/ServerConfig.ts"
import { LoginFailed } from "../../../../src/schemas/login/Login.ts"
import type { InspectedServer } from "../../../../src/services/call/McpRuntime.ts"
import type { Authorizer } from "../../../../src/services/login/Authorizer.ts"
import { toolRuntime } from "../../../support/toolRuntime.ts"

const config = serverConfig("far", { kind: "http", url: "https://far.example/mcp", headers: {} })
const inspected: InspectedServer = {
  config,
  snapshot: { state: { _tag: "Idle" }, catalogue: undefined, restarts: 0, lastError: undefined }
}
const runtime = {
  ...toolRuntime({}),
  inspect: (name: string) => Effect.succeed(name === "far" ? inspected : undefined)
}
const granted = {
  issuer: "https://id.example",
  scopes: ["a"],
  expiresAt: 9,
  renewable: true,
  bound: false,
  encrypted: true
}
const page = {
  server: "far",
  url: "https://id.example/login",
  issuer: "https://id.example",
  scopes: ["a"],
  redirectUri: "x"
}

const logging = (after: Effect.Effect<typeof granted, LoginFailed>) => {
  const authorizer: Authorizer["Service"] = {
    authorization: () => undefined,
    login: (_, { show }) => Effect.andThen(show(page), after),
    logout: () => Effect.die("not asked"),
    isLoggedIn: () => Effect.succeed(false),
    loggedIn: () => Effect.never
  }
  return makeLogin(authorizer, (value) => value)
}

describe("a login from elsewhere", () => {
  it.effect("tells the address of the page, then the outcome, without a token", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(logging(Effect.succeed(granted))(runtime, "far"))
      assert.deepStrictEqual(events, [
        { _tag: "Page", url: page.url, issuer: page.issuer, scopes: ["a"] },
        { _tag: "Granted", issuer: page.issuer, scopes: ["a"], expiresAt: 9 }
      ])
    })
  )

  it.effect("fails as the login does, and for a server that there is not", () =>
    Effect.gen(function* () {
      const failed = new LoginFailed({ server: "far", passing: false, detail: "denied" })
      const one = yield* Effect.flip(Stream.runDrain(logging(Effect.fail(failed))(runtime, "far")))
      assert.strictEqual(one, failed)
      const other = yield* Effect.flip(Stream.runDrain(logging(Effect.succeed(granted))(runtime, "nobody")))
      assert.strictEqual(other._tag, "UnknownServer")
    })
  )

  it.effect("is given up with its stream", () =>
    Effect.gen(function* () {
      let isGivenUp = false
      const waiting = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isGivenUp = true)))
      const fiber = yield* Effect.forkChild(Stream.runDrain(logging(waiting)(runtime, "far")), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isGivenUp)
    })
  )
})
