/** What becomes of a conversation at the gateway when it is deleted here, and the gateway is away. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layerOpenClaw } from "../../../src/layers/agent/AgentGateway.ts"
import * as ContentSanitizer from "../../../src/layers/content/ContentSanitizer.ts"
import * as SessionToolsLayer from "../../../src/layers/agent/SessionTools.ts"
import { GATEWAY_DELETED_MAX } from "../../../src/schemas/defaults/Gateway.ts"
import { AgentGateway } from "../../../src/services/agent/AgentGateway.ts"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { SessionToolInjector } from "../../../src/services/agent/SessionToolInjector.ts"
import { fakeGateway, Refusal, type FakeGateway } from "../../fixtures/openclawGateway.ts"
import { linkLayer, until } from "../../support/openclawLink.ts"
import { toolRuntime } from "../../support/toolRuntime.ts"
import { inFolder as folder } from "../../support/folder.ts"

const [FIRST, SECOND] = ["3f2c8a52-0d9c-4a52-9d2f-1f8c1b9d7a11", "4a3d9b63-1e0d-4b63-8e30-2a9d2c0e8b22"]

/** A process of its own, as far as the data directory and the gateway can tell. */
const process = (gateway: Pick<FakeGateway, "url" | "token">, directory: string, agent?: string) =>
  layerOpenClaw({ directory, ownServers: false, agent }).pipe(
    Layer.provide(SessionToolsLayer.layer),
    Layer.provide([
      Layer.succeed(McpRuntime, toolRuntime({})),
      Layer.succeed(SessionToolInjector, { inject: () => Effect.void }),
      ContentSanitizer.layer
    ]),
    Layer.provide(linkLayer({ url: gateway.url, token: gateway.token, directory })),
    Layer.fresh
  )

const say = (key: string, text = "hello") => AgentGateway.use((agent) => Stream.runDrain(agent.send(key, text)))

const paramOf = (gateway: FakeGateway, asked: string, param: string) =>
  gateway.asked.flatMap(({ method, params }) => (method === asked ? [String(params[param])] : []))

const keysOf = (gateway: FakeGateway) => [...new Set(paramOf(gateway, "chat.send", "sessionKey"))]
const deletedAt = (gateway: FakeGateway) => paramOf(gateway, "sessions.delete", "key")

const remembered = (directory: string) => readdirSync(join(directory, "gateway", "deleted"))

/** Two conversations are had, and the first of them is deleted while the gateway is away. */
const deleteWhileAway = (gateway: FakeGateway) =>
  Effect.gen(function* () {
    const agent = yield* AgentGateway
    yield* Effect.andThen(say(FIRST), say(SECOND))
    gateway.setAway(true)
    yield* until(() => gateway.open() === 0)
    assert.isTrue(yield* agent.forget(FIRST))
    assert.isUndefined(yield* agent.load(FIRST))
    assert.deepStrictEqual(
      (yield* agent.list).map(({ sessionKey }) => sessionKey),
      [SECOND]
    )
    assert.lengthOf(deletedAt(gateway), 0)
  })

describe.concurrent("a conversation that is deleted while the gateway is away", () => {
  it.live("is removed here at once, and at the gateway when it is back; no other is", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      yield* Effect.gen(function* () {
        yield* deleteWhileAway(gateway)
        const [name] = remembered(directory)
        assert.strictEqual(statSync(join(directory, "gateway", "deleted", name!)).mode & 0o777, 0o600)
        gateway.setAway(false)
        yield* until(() => remembered(directory).length === 0)
        assert.deepStrictEqual(deletedAt(gateway), [keysOf(gateway)[0]!])
      }).pipe(Effect.provide(process(gateway, directory)))
    })
  )

  it.live("is deleted at the gateway once, by a later process on its own", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      yield* deleteWhileAway(gateway).pipe(Effect.provide(process(gateway, directory)))
      gateway.setAway(false)
      for (const _ of [1, 2]) {
        yield* Effect.gen(function* () {
          yield* AgentGateway
          yield* until(() => remembered(directory).length === 0)
        }).pipe(Effect.provide(process(gateway, directory)))
      }
      assert.deepStrictEqual(deletedAt(gateway), [keysOf(gateway)[0]!])
    })
  )

  it.live("is deleted for the agent that had it, whichever the later process has", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      yield* deleteWhileAway(gateway).pipe(Effect.provide(process(gateway, directory, "coder")))
      gateway.setAway(false)
      yield* until(() => deletedAt(gateway).length > 0).pipe(Effect.provide(process(gateway, directory)))
      assert.deepStrictEqual(deletedAt(gateway), [keysOf(gateway)[0]!])
      assert.match(deletedAt(gateway)[0]!, /^agent:coder:/)
    })
  )

  it.live("is known to a process that spells the gateway's address in another way", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      const { token } = gateway
      yield* deleteWhileAway(gateway).pipe(Effect.provide(process(gateway, directory)))
      gateway.setAway(false)
      const url = gateway.url.replace("127.0.0.1", "localhost")
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* AgentGateway.use((agent) => agent.load(FIRST)))
        yield* until(() => deletedAt(gateway).length > 0)
      }).pipe(Effect.provide(process({ url, token }, directory)))
      assert.deepStrictEqual(deletedAt(gateway), [keysOf(gateway)[0]!])
    })
  )

  it.live("is deleted here and remembered, or neither, also where the client leaves meanwhile", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        yield* say(FIRST)
        gateway.setAway(true)
        yield* until(() => gateway.open() === 0)
        yield* Fiber.interrupt(yield* Effect.forkChild(agent.forget(FIRST), { startImmediately: true }))
        assert.isUndefined(yield* agent.load(FIRST))
        assert.lengthOf(remembered(directory), 1)
      }).pipe(Effect.provide(process(gateway, directory)))
    })
  )

  it.live("keeps no message of another one waiting", () =>
    Effect.gen(function* () {
      const never = Promise.withResolvers<unknown>()
      const [gateway, directory] = [
        yield* fakeGateway({ answers: { "sessions.delete": () => never.promise } }),
        yield* folder
      ]
      yield* Effect.gen(function* () {
        yield* deleteWhileAway(gateway)
        gateway.setAway(false)
        yield* until(() => deletedAt(gateway).length > 0)
        yield* say(SECOND, "meanwhile")
        assert.include(paramOf(gateway, "chat.send", "message"), "meanwhile")
        assert.lengthOf(remembered(directory), 1)
        never.resolve({ ok: true })
        yield* until(() => remembered(directory).length === 0)
      }).pipe(Effect.provide(process(gateway, directory)))
    })
  )

  it.live("is not deleted at another gateway", () =>
    Effect.gen(function* () {
      const [gateway, another, directory] = [yield* fakeGateway(), yield* fakeGateway(), yield* folder]
      yield* deleteWhileAway(gateway).pipe(Effect.provide(process(gateway, directory)))
      yield* say(SECOND).pipe(Effect.provide(process(another, directory)))
      assert.lengthOf(deletedAt(another), 0)
      assert.lengthOf(remembered(directory), 1)
    })
  )

  it.live("is not read from the gateway again by its id", () =>
    Effect.gen(function* () {
      let isBusy = true
      const busy = new Refusal("UNAVAILABLE", "busy")
      const gateway = yield* fakeGateway({
        answers: {
          "sessions.delete": () => {
            if (isBusy) throw busy
            return { ok: true }
          }
        }
      })
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        yield* say(FIRST)
        assert.isTrue(yield* agent.forget(FIRST))
        assert.isUndefined(yield* agent.load(FIRST))
        assert.lengthOf(
          paramOf(gateway, "chat.history", "limit").filter((limit) => limit !== "1"),
          0
        )
        const error = yield* Effect.flip(say(FIRST, "not yet"))
        assert.match(error.detail, /^This conversation was deleted, .* \(busy\): begin a new one\.$/)
        assert.lengthOf(paramOf(gateway, "chat.send", "message"), 1)
        isBusy = false
        // It is begun anew where it was open: first what was before is gone.
        yield* say(FIRST, "again")
        const methods = gateway.asked.map(({ method }) => method)
        assert.isBelow(methods.lastIndexOf("sessions.delete"), methods.lastIndexOf("chat.send"))
        assert.lengthOf(remembered(directory), 0)
      }).pipe(Effect.provide(process(gateway, directory)))
    })
  )

  it.live("that the gateway will not delete keeps no other one, and is tried again in the next process", () =>
    Effect.gen(function* () {
      let refused: string | undefined
      const gateway = yield* fakeGateway({
        answers: {
          "sessions.delete": ({ key }) => {
            if (key === refused) throw new Refusal("INVALID_REQUEST", "not that one")
            return { ok: true }
          }
        }
      })
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        yield* deleteWhileAway(gateway)
        refused = keysOf(gateway)[0]
        yield* agent.forget(SECOND)
        gateway.setAway(false)
        yield* until(() => remembered(directory).length === 1 && deletedAt(gateway).length >= 2)
        assert.deepStrictEqual(deletedAt(gateway).toSorted(), keysOf(gateway).toSorted())
      }).pipe(Effect.provide(process(gateway, directory)))
      refused = undefined
      yield* until(() => remembered(directory).length === 0).pipe(Effect.provide(process(gateway, directory)))
    })
  )

  it.live("is one of so many: the oldest give way", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      const place = join(directory, "gateway", "deleted")
      mkdirSync(place, { recursive: true, mode: 0o700 })
      for (let index = 0; index < GATEWAY_DELETED_MAX + 5; index++) {
        writeFileSync(join(place, `ffffffffffffffff-away-${String(index).padStart(5, "0")}.json`), "{}", {
          mode: 0o600
        })
      }
      yield* deleteWhileAway(gateway).pipe(Effect.provide(process(gateway, directory)))
      assert.lengthOf(remembered(directory), GATEWAY_DELETED_MAX)
      assert.isTrue(remembered(directory).some((name) => name.includes(FIRST)))
    })
  )

  it.live("is remembered by nothing that others could have put there", () =>
    Effect.gen(function* () {
      const [gateway, directory] = [yield* fakeGateway(), yield* folder]
      yield* deleteWhileAway(gateway).pipe(Effect.provide(process(gateway, directory)))
      const [name] = remembered(directory)
      const place = join(directory, "gateway", "deleted")
      const forged = name!.replace(FIRST, SECOND)
      writeFileSync(join(place, forged), "{}")
      // Anybody may write it now.
      chmodSync(join(place, forged), 0o666)
      writeFileSync(join(place, name!.replace(FIRST, "..%2Fother")), "{}", { mode: 0o600 })
      gateway.setAway(false)
      yield* until(() => !remembered(directory).includes(name!)).pipe(Effect.provide(process(gateway, directory)))
      assert.deepStrictEqual(deletedAt(gateway), [keysOf(gateway)[0]!])
    })
  )
})
