import { assert, describe, it } from "@effect/vitest"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

const withFleet = (fleet: string) => `{ mcp: { fleet: ${fleet}, servers: {} } }`

const WHOLE = `{
  database: "secret://env/DATABASE_URL", listen: "10.0.0.5:7731", peers: { secret: "secret://file/run/secrets/fleet" }
}`

const env = { DATABASE_URL: "postgres://there/db" }

describe("fleet", () => {
  it("is undefined without the section, so that a gateway is one process", () => {
    assert.isUndefined(decode("{ mcp: { servers: {} } }").fleet)
  })

  it("takes three keys, and has defaults for the others", () => {
    assert.deepStrictEqual(decode(withFleet(WHOLE), env).fleet, {
      database: "secret://env/DATABASE_URL",
      listen: "10.0.0.5:7731",
      advertise: "10.0.0.5:7731",
      peersSecret: "secret://file/run/secrets/fleet",
      name: undefined,
      idempotent: [],
      keepDays: 90,
      sessions: 20_000,
      connections: 8
    })
  })

  it("says which of them are missing", () => {
    assert.deepStrictEqual(errorsOf(withFleet("{ name: 'node-1' }")), [
      "openclaw.json:1: mcp.fleet.database: is missing: a fleet needs it",
      "openclaw.json:1: mcp.fleet.listen: is missing: a fleet needs it",
      "openclaw.json:1: mcp.fleet.peers: is missing: a fleet needs it"
    ])
  })

  it("needs an address for others where it listens at all", () => {
    const given = (more: string) =>
      withFleet(`{ database: "secret://env/D", listen: "0.0.0.0:7731", peers: { secret: "secret://env/S" }${more} }`)
    assert.deepStrictEqual(errorsOf(given(""), { D: "d", S: "s" }), [
      "openclaw.json:1: mcp.fleet.advertise: is missing: other nodes cannot reach this one at all addresses"
    ])
    assert.strictEqual(
      decode(given(', advertise: "node-1.internal:7731"'), { D: "d", S: "s" }).fleet?.advertise,
      "node-1.internal:7731"
    )
  })

  for (const [key, value] of [
    ["listen", "somewhere"],
    ["listen", "10.0.0.5:0"],
    ["listen", "node-1.internal:7731"],
    ["advertise", "[::]:7731"],
    ["name", "node_1"],
    ["name", "-node"]
  ] as const) {
    it(`refuses ${key} "${value}"`, () => {
      const errors = errorsOf(
        withFleet(
          WHOLE.replace("{", `{ ${key}: "${value}", `).replace(
            key === "listen" ? ', listen: "10.0.0.5:7731"' : "nothing",
            ""
          )
        ),
        env
      )
      assert.isTrue(
        errors.some((error) => error.includes(`mcp.fleet.${key}: must be`)),
        errors.join("\n")
      )
    })
  }

  it("keeps the configuration usable for other commands when a variable of it is missing, and remembers why it cannot be joined", () => {
    const config = decode(withFleet(WHOLE.replace("secret://env/DATABASE_URL", "${DATABASE_URL}")))
    assert.strictEqual(config.fleet?.fault?.path, "mcp.fleet.database")
    assert.include(config.fleet?.fault?.message ?? "", "DATABASE_URL")
  })

  it("takes what is of one node from its environment", () => {
    const given =
      withFleet(`{ database: "secret://env/DATABASE_URL", peers: { secret: "secret://file/run/secrets/fleet" },
      name: "\${NODE}", listen: "\${LISTEN:-0.0.0.0:7731}", advertise: "\${NODE}.internal:7731" }`)
    const of = decode(given, { ...env, NODE: "node-7" }).fleet
    assert.deepInclude(of, { name: "node-7", listen: "0.0.0.0:7731", advertise: "node-7.internal:7731" })
    assert.deepStrictEqual(errorsOf(given, { ...env, NODE: "node_7" }), [
      'openclaw.json:2: mcp.fleet.name: must be at most 63 letters, digits and dashes, with no dash at either end, is "node_7"'
    ])
    const elsewhere = decode(given, env)
    assert.isUndefined(elsewhere.fleet?.fault)
    assert.include(elsewhere.fleet?.nodeFault?.message ?? "", "environment variable NODE is not set")
    assert.lengthOf(elsewhere.faults ?? [], 2)
  })

  it("warns of a password and of a secret as plain text, and not of an address without one", () => {
    const warned = (database: string, secret: string) =>
      warningsOf(withFleet(`{ database: "${database}", listen: "10.0.0.5:7731", peers: { secret: "${secret}" } }`), env)
        .filter((warning) => warning.includes("plaintext"))
        .map((warning) => warning.split(": ")[1])
    assert.deepStrictEqual(warned("postgres://me:hush@there/db", "a plain secret"), [
      "mcp.fleet.database",
      "mcp.fleet.peers.secret"
    ])
    assert.deepStrictEqual(warned("postgres://me@there/db", "secret://env/DATABASE_URL"), [])
  })
})
