import { assert, describe, it } from "@effect/vitest"
import { makeSupplied } from "../../../../src/layers/login/Authorizer/suppliedAddresses.ts"
import type { NetworkGuard } from "../../../../src/services/connection/NetworkGuard.ts"

const PUBLIC = "https://server.example/mcp"
const HERE = "http://localhost:3000/mcp"
const IDP = "https://idp.corp.internal/token"
const OFFICE = "http://10.1.2.3:8080/mcp"

interface Case {
  readonly server: string
  readonly allowPrivate?: boolean
  readonly written?: ReadonlyArray<string>
}

const suppliedTo = ({ allowPrivate = false, server, written = [] }: Case) =>
  makeSupplied({
    server: "a",
    url: new URL(server),
    allowPrivate,
    written,
    connectTimeoutMs: 1,
    // A check asks nobody.
    guard: {} as NetworkGuard["Service"]
  })

const checks = (from: Case, address: string): boolean => typeof suppliedTo(from).check(address) !== "string"

describe("where a server may send us for authorization", () => {
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

describe("where a server may say that its own metadata is", () => {
  const from: Case = { server: PUBLIC, written: ["https://10.0.0.5/"] }
  for (const [what, address, may] of [
    ["at a public address", "https://server.example/metadata", true],
    ["not at the private address of the issuer that the operator wrote", "https://10.0.0.5/admin?delete=all", false]
  ] as const) {
    it(what, () => assert.strictEqual(typeof suppliedTo(from).checkOwn(address) !== "string", may))
  }
})
