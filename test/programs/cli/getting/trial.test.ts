import { assert, describe, it } from "@effect/vitest"
import { patient } from "../../../../src/programs/cli/getting/trial.ts"
import { decode } from "../../../schemas/config/decoding.ts"

describe("the one start of a server that is added", () => {
  const timeouts = (servers: string, name: string) =>
    patient(decode(`{ mcp: { servers: ${servers} } }`), name).agents.flatMap((agent) =>
      agent.servers.map(({ timeout }) => timeout)
    )

  it("may take long where something is downloaded, and only there", () => {
    for (const command of ['command: "npx", args: ["-y", "x"]', 'command: "docker", args: ["run", "x"]'])
      assert.deepStrictEqual(timeouts(`{ a: { ${command} }, b: { ${command} } }`, "a"), [180_000, 30_000], command)
    assert.deepStrictEqual(
      timeouts('{ a: { command: "node" }, b: { url: "https://b.example" } }', "a"),
      [30_000, 30_000]
    )
    assert.deepStrictEqual(timeouts('{ b: { url: "https://b.example" } }', "b"), [30_000])
  })

  it("is never shorter than the configuration says", () => {
    assert.deepStrictEqual(timeouts('{ a: { command: "npx", args: ["x"], timeout: 300000 } }', "a"), [300_000])
  })
})
