import type { Isolation } from "../../../src/schemas/config/ServerKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { SERVE_OWN_IDLE_MS } from "../../../src/schemas/defaults/Serve.ts"
import { launchIdentity } from "../../../src/schemas/call/DefinitionHash.ts"
import {
  heldByAgent,
  heldByClient,
  isolationOf,
  isOwn,
  poolKeyOf,
  processOf
} from "../../../src/schemas/connection/Isolation.ts"
import { ownerOf, serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"

const server = serverConfig("fs", { kind: "stdio", command: "a", args: [], env: {}, cwd: undefined })

const own = (isolation: Isolation, principal: string, session: string) =>
  heldByClient(server, isolation, { principal, session })

describe("who has a server alone", () => {
  it("says the entry, or what holds for all", () => {
    assert.isUndefined(isolationOf(server, false))
    assert.strictEqual(isolationOf(server, "client"), "client")
    assert.strictEqual(isolationOf({ ...server, isolate: "session" }, false), "session")
    assert.isUndefined(isolationOf({ ...server, isolate: false }, "session"))
  })

  it("is a process of its own, with the secrets and the approved definitions of the entry", () => {
    const all = [
      server,
      heldByAgent("a", { ...server, share: false }),
      heldByAgent("b", { ...server, share: false }),
      own("session", "one", "1"),
      own("session", "one", "2"),
      own("client", "one", "1"),
      own("client", "1", "1")
    ]
    for (const key of [processOf, poolKeyOf]) assert.strictEqual(new Set(all.map(key)).size, all.length)
    assert.strictEqual(new Set(all.map(launchIdentity)).size, 1)
    assert.strictEqual(new Set(all.slice(3).map(ownerOf)).size, 1)
  })

  it("of a client is the same in all its sessions, of a session never", () => {
    assert.strictEqual(poolKeyOf(own("client", "one", "1")), poolKeyOf(own("client", "one", "2")))
    assert.isTrue(own("client", "one", "1").share)
    assert.isFalse(own("session", "one", "1").share)
  })

  it("starts by need, and sleeps after what its entry says", () => {
    assert.deepInclude(own("session", "one", "1"), { lazy: true, idleTtlMs: SERVE_OWN_IDLE_MS })
    const soon = heldByClient({ ...server, idleTtlMs: 5 }, "client", { principal: "one", session: "1" })
    assert.strictEqual(soon.idleTtlMs, 5)
  })

  it("is a client's, not an agent's that shares with none, nor what everybody has", () => {
    assert.deepStrictEqual(
      [
        server,
        heldByAgent("a", { ...server, share: false }),
        own("client", "one", "1"),
        own("session", "one", "1")
      ].map(isOwn),
      [false, false, true, true]
    )
    assert.strictEqual(heldByAgent("a", server), server)
  })
})
