/** The configuration that every way to deploy uses. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { runAt } from "../../support/cli.ts"
import { composeFile, deployed, manifestsIn } from "./files.ts"

const FILE = fileURLToPath(new URL("../../../deploy/openclaw.json", import.meta.url))

const validate = (env: Readonly<Record<string, string>>) => runAt({ env }, "validate", "--config", FILE)

const textIn = (unit: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    unit
      .split("\n")
      .filter((line) => /^[A-Z_]+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  )

interface Container {
  readonly env: ReadonlyArray<{ readonly name: string; readonly value?: string }>
}

/** The environment of each node: what the way to deploy gives it. */
const environments = (): ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> => {
  const { services } = composeFile() as {
    readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>
  }
  const nodes = Object.entries(services).filter(([name]) => name.startsWith("gateway-"))
  const [nodeSet] = manifestsIn("nodes.yaml") as ReadonlyArray<unknown> as ReadonlyArray<{
    readonly spec: { readonly template: { readonly spec: { readonly containers: ReadonlyArray<Container> } } }
  }>
  const given = nodeSet!.spec.template.spec.containers[0]!.env
  const pod = { FLEET_NAME: "mcp-live-0", POD_IP: "10.0.0.5", SERVE_NAME: "mcp.example.com" }
  const inPod = given.map(({ name, value }) => [
    name,
    (value ?? pod[name as keyof typeof pod]).replace("$(POD_IP)", pod.POD_IP)
  ])
  return [
    ...nodes.map(([name, { environment = {} }]) => [name, { ...environment, SERVE_NAME: "localhost" }] as const),
    ["a pod", Object.fromEntries(inPod)],
    ["systemd", textIn(deployed("systemd/node.env"))]
  ]
}

describe("the configuration of deploy/", () => {
  it.live("is valid in the environment that each way to deploy gives a node, with the same file for all", () =>
    Effect.gen(function* () {
      const all = environments()
      assert.deepStrictEqual(
        all.map(([name]) => name),
        ["gateway-1", "gateway-2", "gateway-3", "a pod", "systemd"]
      )
      for (const [name, environment] of all) {
        const { code, stderr } = yield* validate(environment)
        assert.strictEqual(code, 0, `${name}: ${stderr}`)
      }
      const names = all.map(([, environment]) => environment["FLEET_NAME"])
      assert.strictEqual(new Set(names.slice(0, 4)).size, 4)
    })
  )

  it.live("says which variable of a node is missing", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* validate({ FLEET_ADVERTISE: "10.0.0.5:7731" })
      assert.strictEqual(code, 2)
      assert.match(stderr, /fleet\.name.*FLEET_NAME/)
    })
  )

  it("is the one in the ConfigMap, word by word", () => {
    const [map] = manifestsIn("configuration.yaml") as ReadonlyArray<unknown> as ReadonlyArray<{
      readonly data: Readonly<Record<string, string>>
    }>
    assert.strictEqual(map!.data["openclaw.json"], deployed("openclaw.json"))
  })

  it("has placeholders instead of secrets, with which no node starts", () => {
    for (const file of ["kubernetes/secret.example.yaml", "systemd/node.env", "compose.env.example"]) {
      const values = [...deployed(file).matchAll(/(?:FLEET_SECRET|CLIENT_TOKEN|DATABASE_PASSWORD)[:=][ \t]*([^\s#]*)/g)]
      assert.isAtLeast(values.length, 2, file)
      for (const [line, value] of values) assert.match(value ?? "", /^(?:"")?$/, `${file}: ${line}`)
    }
  })
})
