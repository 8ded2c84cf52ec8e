import type { Isolation } from "../../../src/schemas/config/ServerKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { SERVE_OWN_IDLE_MS } from "../../../src/schemas/defaults/Serve.ts"
import { launchIdentity } from "../../../src/schemas/call/DefinitionHash.ts"
import {
  heldByAgent,
  heldByClient,
  isolationOf,
  isOfPerson,
  isOwn,
  isPersons,
  poolKeyOf,
  processOf,
  whoseOf
} from "../../../src/schemas/connection/Isolation.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { ownerOf, serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"

const server = serverConfig("fs", { kind: "stdio", command: "a", args: [], env: {}, cwd: undefined })

const own = (isolation: Isolation, principal: string, session: string) =>
  heldByClient(server, isolation, { principal, session })

describe("a server's own process", () => {
  it("is decided by the entry, or by the default for all", () => {
    assert.isUndefined(isolationOf(server, false))
    assert.strictEqual(isolationOf(server, "client"), "client")
    assert.strictEqual(isolationOf({ ...server, isolate: "session" }, false), "session")
    assert.isUndefined(isolationOf({ ...server, isolate: false }, "session"))
  })

  it("has its own key for each agent, client and session, and the same launch identity", () => {
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

  it("is said to be whose it is", () => {
    assert.isUndefined(whoseOf(heldByAgent("a", { ...server, share: false })))
    assert.strictEqual(whoseOf(own("client", "client of ada", "1")), "client of ada")
    assert.strictEqual(whoseOf(own("session", "client of ada", "1234567890")), "client of ada, session 12345678")
    assert.strictEqual(whoseOf({ ...server, session: "1234567890" }), "session 12345678")
  })

  it("is found by its person, whose own it is or that of one of their clients", () => {
    const person = { issuer: "https://login.example.com", subject: "1", name: "ada@example.com" }
    const id = personIdOf(person)
    const principal = "ada@example.com by VS Code 0123456789abcdef"
    const ofPerson = whoseOf(
      heldByClient({ ...server, isolate: "person" }, "person", { person, principal, session: "1" })
    )
    const ofClients = [whoseOf(own("client", principal, "1")), whoseOf(own("session", principal, "1234567890"))]
    for (const pattern of ["ada@example.com", "ADA@*", "*"]) {
      for (const whose of [ofPerson, ...ofClients]) assert.isTrue(isPersons(whose, pattern), `${whose} ${pattern}`)
    }
    assert.isTrue(isPersons(ofPerson, id))
    for (const pattern of ["ada", "eve@*", id.replace(/^./, "x"), id.slice(0, 6)]) {
      for (const whose of [ofPerson, ...ofClients]) assert.isFalse(isPersons(whose, pattern), `${whose} ${pattern}`)
    }
    for (const whose of [undefined, "client ada by x 01", "session 12345678"]) assert.isFalse(isPersons(whose, "*"))
  })

  it("is forgotten with its person, and not with somebody of another name whose id begins alike", () => {
    const [id, client] = ["0".repeat(32), "ada@example.com by cli 0123456789abcdef"]
    const ada = { ids: [id], names: ["ada@example.com", "ada@old.example.com"], clients: [client] }
    for (const whose of [
      "ada@example.com #000000",
      "ada@old.example.com #000000",
      client,
      `${client}, session 12345678`
    ])
      assert.isTrue(isOfPerson(whose, ada), whose)
    for (const whose of [
      undefined,
      "eve@example.com #000000",
      "ada@example.com #000001",
      "ada #000000",
      "eve by cli 01"
    ])
      assert.isFalse(isOfPerson(whose, ada), whose)
    // No record names them.
    for (const names of [[], [""]])
      assert.isTrue(isOfPerson("ada@example.com #000000", { ids: [id], names, clients: [] }))
  })

  it("is the same in all sessions of a client, or belongs to one session", () => {
    assert.strictEqual(poolKeyOf(own("client", "one", "1")), poolKeyOf(own("client", "one", "2")))
    assert.isTrue(own("client", "one", "1").share)
    assert.isFalse(own("session", "one", "1").share)
  })

  it("is lazy, and stops after the idle time of the entry or a default", () => {
    assert.deepInclude(own("session", "one", "1"), { lazy: true, idleTtlMs: SERVE_OWN_IDLE_MS })
    const soon = heldByClient({ ...server, idleTtlMs: 5 }, "client", { principal: "one", session: "1" })
    assert.strictEqual(soon.idleTtlMs, 5)
  })

  it("is one of a client or session, not of an agent", () => {
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
