import { assert, describe, it } from "@effect/vitest"
import { AnswerTooLarge, makeSupplied } from "../../../../src/layers/login/Authorizer/suppliedAddresses.ts"
import {
  AUTHORIZATION_ANSWER_BOUNDS,
  AUTHORIZATION_ANSWER_MAX_CHARS,
  METADATA_ADDRESS_MAX_CHARS
} from "../../../../src/schemas/defaults/Authorization.ts"
import type { NetworkGuard } from "../../../../src/services/connection/NetworkGuard.ts"

const PUBLIC = "https://server.example/mcp"
const HERE = "http://localhost:3000/mcp"
const IDP = "https://idp.corp.internal/token"
const OFFICE = "http://10.1.2.3:8080/mcp"

interface Case {
  readonly server: string
  readonly allowPrivate?: boolean
  readonly written?: ReadonlyArray<string>
  /** What everybody answers; a check asks nobody. */
  readonly answer?: string
}

const suppliedTo = ({ allowPrivate = false, answer, server, written = [] }: Case) =>
  makeSupplied({
    server: "a",
    url: new URL(server),
    allowPrivate,
    written,
    connectTimeoutMs: 1,
    guard: {
      openSupplied: () => ({ fetch: async () => new Response(answer), close: async () => {} })
    } as unknown as NetworkGuard["Service"]
  })

const checks = (from: Case, address: string): boolean => typeof suppliedTo(from).check(address) !== "string"

describe("an address from a server's metadata", () => {
  it("is refused when it is too long", () => {
    const address = (chars: number) => "https://issuer.example/".padEnd(chars, "x")
    assert.isTrue(checks({ server: PUBLIC }, address(METADATA_ADDRESS_MAX_CHARS)))
    assert.isFalse(checks({ server: PUBLIC }, address(METADATA_ADDRESS_MAX_CHARS + 1)))
  })
})

describe("where authorization of a server may lead", () => {
  const office: Case = { server: OFFICE, allowPrivate: true }
  for (const [what, from, address, may] of [
    ["a public server: to a public address", { server: PUBLIC }, "https://issuer.example/token", true],
    ["a public server: not without TLS", { server: PUBLIC }, "http://issuer.example/token", false],
    ["a public server: not to this machine", { server: PUBLIC }, "http://127.0.0.1:9/token", false],
    ["a public server: not to this machine by name", { server: PUBLIC }, "https://localhost/token", false],
    ["a public server: not into our network", { server: PUBLIC }, "https://10.1.2.3/token", false],
    ["one on this machine: to its neighbours", { server: HERE }, "http://127.0.0.1:9/token", true],
    ["one on this machine: to the world, with TLS", { server: HERE }, "https://issuer.example/token", true],
    ["one on this machine: not into our network", { server: HERE }, "http://10.1.2.3/token", false],
    [
      "one on this machine: not to where a cloud hands out credentials",
      { server: HERE },
      "http://169.254.169.254/",
      false
    ],
    ["one in our network: to its own host", office, "http://10.1.2.3:9000/token", true],
    ["one in our network: to no other", office, "http://10.1.2.4:9000/token", false],
    ["one in our network: not to this machine", office, "http://127.0.0.1:9/token", false],
    [
      "an issuer that the operator wrote",
      { server: PUBLIC, written: ["http://127.0.0.1:9/"] },
      "http://127.0.0.1:9/t",
      true
    ],
    [
      "one in our network, by its address",
      { server: PUBLIC, written: ["https://10.0.0.5/"] },
      "https://10.0.0.5/t",
      true
    ],
    ["one in our network, by its name", { server: PUBLIC, written: ["https://idp.corp.internal"] }, IDP, true],
    ["one that a private server shares its address with", { server: IDP, written: [IDP] }, IDP, true],
    ["no neighbour of it", { server: PUBLIC, written: ["https://10.0.0.5/"] }, "https://10.0.0.6/t", false],
    ["not where a cloud hands out credentials", { server: PUBLIC, written: [IDP] }, "http://169.254.169.254/", false],
    ["nothing else for it", { server: PUBLIC, written: ["http://127.0.0.1:9/"] }, "http://127.0.0.1:10/t", false]
  ] as const) {
    it(what, () => assert.strictEqual(checks(from, address), may))
  }
})

describe("where a server's own metadata may be", () => {
  const from: Case = { server: PUBLIC, written: ["https://10.0.0.5/"] }
  for (const [what, address, may] of [
    ["at a public address", "https://server.example/metadata", true],
    ["not at the private address of the issuer that the operator wrote", "https://10.0.0.5/admin?delete=all", false]
  ] as const) {
    it(what, () => assert.strictEqual(typeof suppliedTo(from).checkOwn(address) !== "string", may))
  }
})

describe("an answer of the authorization server", () => {
  const { depth, parts } = AUTHORIZATION_ANSWER_BOUNDS
  const list = (count: number) => `[${Array.from({ length: count }, () => '""').join(",")}]`
  const text = (chars: number) => `{"a":"${"x".repeat(chars - 8)}"}`
  const read = (answer: string) =>
    suppliedTo({ server: PUBLIC, answer })
      .fetch(PUBLIC)
      .then(
        (response) => response.text(),
        (error: unknown) => error
      )

  for (const [what, answer] of [
    ["as much as there may be in it", list(parts - 1)],
    ["as deep as it may be", "[".repeat(depth) + "]".repeat(depth)],
    ["as long as it may be", text(AUTHORIZATION_ANSWER_MAX_CHARS)],
    ["a page, of which a parser builds nothing", `<html>${text(2 * AUTHORIZATION_ANSWER_MAX_CHARS)}</html>`]
  ] as const) {
    it(`is read: ${what}`, async () => assert.strictEqual(await read(answer), answer))
  }

  for (const [what, answer] of [
    ["more than there may be in it", list(parts)],
    ["deeper than it may be", "[".repeat(depth + 1) + "]".repeat(depth + 1)],
    ["longer than it may be", text(AUTHORIZATION_ANSWER_MAX_CHARS + 1)],
    ["the same behind white space", ` \r\n\t${list(parts)}`]
  ] as const) {
    it(`is refused as too large: ${what}`, async () => assert.instanceOf(await read(answer), AnswerTooLarge))
  }
})
