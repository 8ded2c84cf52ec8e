import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import JSON5 from "json5"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { SECTION_NAMES } from "../../../src/schemas/config/AllSections.ts"
import { CONFIG_SCHEMA } from "../../../src/schemas/config/ConfigSchema.ts"
import { SERVER_KEY_NAMES } from "../../../src/schemas/config/ServerKeys.ts"
import { isObject } from "../../../src/schemas/data/Json.ts"
import { errorsOf } from "./decoding.ts"

const ROOT = join(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(ROOT, path), "utf8")
const made: unknown = JSON.parse(JSON.stringify(CONFIG_SCHEMA))

const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(made as object)
const problems = (value: unknown): string => {
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join("\n")
}

const ROOTS = ["mcp", "mcpServers", "servers", "agents", "gateway"]
/** In messages of ACP, `mcpServers` is a list. */
const isConfig = (value: unknown): boolean => isObject(value) && ROOTS.some((key) => isObject(value[key]))

/** Examples on the pages: blocks that hold a whole configuration, and lines of ours that are one. */
const examplesIn = (page: string): ReadonlyArray<readonly [text: string, value: unknown]> => {
  const text = read(page)
  const fenced = [...text.matchAll(/^```\w*\n([^]*?)^```/gm)].map(([, block]) => block!)
  const indented = [...text.matchAll(/(?:^ {4}.*\n(?:\s*\n(?= {4}))*)+/gm)].map(([block]) => block)
  return [...fenced, ...indented].flatMap((block) => {
    const body = block.replace(/(?<!")…(?!")/g, "").trim()
    for (const whole of [body, `{ ${body} }`]) {
      try {
        const value: unknown = JSON5.parse(whole)
        if (isConfig(value)) return [[whole, value] as const]
      } catch {
        // A command, a program, or only a part.
      }
    }
    return []
  })
}

const PAGES = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md")
)

const inServer = (entry: string) => `{ mcp: { servers: { x: { command: "a", ${entry} } } } }`
const inMcp = (section: string) => `{ mcp: { ${section}, servers: {} } }`

/** Each is refused by `validate`, too. */
const SLIPS: ReadonlyArray<string> = [
  ...SERVER_KEY_NAMES.map((name) => `{ mcp: { servers: { x: { ${name}: [[]] } } } }`),
  inServer(`tiemout: 1`),
  inServer(`timeout: "5s"`),
  inServer(`timeout: 0`),
  inServer(`maxRestarts: 1.5`),
  inServer(`pin: "blocked"`),
  inServer(`protocol: "2020-01-01"`),
  inServer(`share: "everybody"`),
  inServer(`sampling: "ask"`),
  inServer(`args: "a"`),
  inServer(`env: { A: {} }`),
  inServer(`sandbox: { network: "yes" }`),
  inServer(`sandbox: { filesystem: { reed: [] } }`),
  inServer(`tools: { include: [] }`),
  inServer(`budget: { tools: { a: { bites: 1 } } }`),
  inServer(`limits: { burst: 0 }`),
  inServer(`limits: { perMinute: 60001 }`),
  inServer(`onFinding: { virus: "report" }`),
  inServer(`onFinding: "block"`),
  `{ mcpServers: { x: { url: "https://a.example", auth: { type: "basic" } } } }`,
  `{ mcpServers: { x: { url: "https://a.example", auth: { type: "bearer" } } } }`,
  `{ mcpServers: { x: { url: "https://a.example", auth: { type: "oauth", clientID: "x" } } } }`,
  `{ servers: { x: true } }`,
  `{ servers: [] }`,
  inMcp(`server: {}`),
  inMcp(`toolIndex: { threshold: "many" }`),
  inMcp(`audit: { maxFile: 2 }`),
  inMcp(`audit: { maxBytes: 1000 }`),
  inMcp(`acp: { backend: "acpx" }`),
  inMcp(`acp: { denyHosts: "x" }`),
  inMcp(`order: { running: 0 }`),
  inMcp(`serve: { clients: [{ name: "a" }] }`),
  inMcp(`serve: { isolate: true }`),
  inMcp(`secrets: { exec: { a: {} } }`),
  inMcp(`secrets: { vault: { adress: "x" } }`),
  `{ audit: { maxFile: 2 }, servers: { x: { command: "a" } } }`,
  `{ acp: { stdio: "no" }, mcpServers: { x: { command: "a" } } }`,
  `{ agents: { list: [{ id: "a b" }] } }`,
  `{ agents: { list: [{}] } }`,
  `{ agents: { defaults: { mcp: { audit: {} } } } }`,
  `{ agents: { defaults: { servers: {} } } }`,
  `{ agents: { defaults: { model: 7 } } }`,
  `{ gateway: { tools: { allow: "files/*" } } }`
]

/** The keys of the tables on the reference page, each where it stands in the schema. */
const DOCUMENTED = new Map(
  [...read("docs/configuration.md").matchAll(/<!-- (\w+) keys: made[^]*?<!-- end of/g)].map(([table, section]) => [
    section!,
    [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names]) => names!.split(", ").map((name) => name.slice(1, -1)))
  ])
)

interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly anyOf?: ReadonlyArray<Node>
  readonly description?: string
}

const keysIn = (node: Node, place: string): ReadonlyArray<string> => [
  ...Object.entries(node.properties ?? {}).flatMap(([name, inner]) => {
    if (inner.description?.startsWith("belongs to another program") === true) return []
    const path = place === "" ? name : `${place}.${name}`
    return [path, ...keysIn(inner, path)]
  }),
  ...(node.anyOf ?? []).flatMap((inner) => keysIn(inner, place)),
  ...(node.items === undefined ? [] : keysIn(node.items, `${place}[]`)),
  ...(typeof node.additionalProperties === "object" ? keysIn(node.additionalProperties, `${place}.NAME`) : [])
]

describe("the JSON Schema of a configuration", () => {
  it("is the one in the package", () => {
    assert.deepStrictEqual(JSON.parse(read("schema/openclaw.schema.json")), made)
  })

  it("accepts the example configuration", () => {
    assert.strictEqual(problems(JSON5.parse(read("examples/openclaw.json"))), "")
  })

  it("accepts every configuration in the documentation", () => {
    const examples = PAGES.flatMap((page) => examplesIn(page).map(([text, value]) => [page, text, value] as const))
    assert.isAbove(examples.length, 10)
    for (const [page, text, value] of examples) assert.strictEqual(problems(value), "", `${page}: ${text}`)
  })

  it("accepts variables, references and $schema", () => {
    const value = {
      $schema: "./node_modules/mcp-live/schema/openclaw.schema.json",
      mcp: {
        servers: {
          a: {
            command: "${CMD}",
            args: ["secret://env/A", 7],
            env: { A: "secret://env/A", B: true },
            pin: "${PIN:-warn}"
          },
          b: {
            url: "${URL}",
            headers: { Authorization: "Bearer secret://env/B" },
            transport: "${T}",
            sampling: "${S}"
          },
          c: { url: "https://a.example", auth: "oauth", disabled: true, share: "session", onFinding: { ansi: "${W}" } }
        },
        serve: { clients: [{ name: "a", token: "secret://env/T" }] }
      }
    }
    assert.strictEqual(problems(value), "")
    const text = JSON.stringify(value)
    assert.deepStrictEqual(
      errorsOf(text, { CMD: "a", URL: "https://a.example", T: "http", S: "deny", W: "report", A: "a", B: "b" }),
      []
    )
  })

  it("accepts keys of other programs", () => {
    for (const text of [
      `{ channels: { telegram: {} }, acp: { enabled: true, backend: "acpx" }, secrets: { providers: {} }, mcp: { apps: {}, servers: {} } }`,
      `{ mcpServers: { x: { command: "a", autoApprove: ["b"] } }, secrets: [] }`,
      `{ agents: { defaults: { workspace: "~/w", tools: { profile: "full", allow: ["*"] }, model: { primary: "a/b", fallbacks: [] } } } }`
    ]) {
      assert.strictEqual(problems(JSON5.parse(text)), "", text)
      assert.deepStrictEqual(errorsOf(text), [], text)
    }
  })

  for (const slip of SLIPS) {
    it(`refuses what validate refuses: ${slip}`, () => {
      assert.notStrictEqual(problems(JSON5.parse(slip)), "")
      assert.isNotEmpty(errorsOf(slip))
    })
  }

  it("has exactly the keys of the reference page", () => {
    const { definitions } = made as { readonly definitions: Readonly<Record<string, Node>> }
    for (const [section, documented] of DOCUMENTED) {
      const schema = definitions[section]
      assert.isDefined(schema, section)
      // Aliases have no table rows of their own for what is inside of them.
      const inSchema = keysIn(schema, "").filter((key) => !key.startsWith("toolFilter."))
      assert.deepStrictEqual([...new Set(inSchema)].toSorted(), [...new Set(documented)].toSorted(), section)
    }
    // The sections, and the entry of a server.
    assert.lengthOf([...DOCUMENTED], SECTION_NAMES.length + 1)
  })
})
