import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { isDeepStrictEqual } from "node:util"
import type { ToolDefinition } from "../../../src/schemas/connection/Catalogue.ts"
import {
  definitionHash,
  definitionHasher,
  instructionsHash,
  launchIdentity,
  namelessHash,
  partsOf,
  sha256,
  takeOverParts
} from "../../../src/schemas/call/DefinitionHash.ts"
import { canonical } from "../../../src/schemas/data/Json.ts"
import { INSTRUCTIONS_MAX_CHARS } from "../../../src/schemas/defaults/Definitions.ts"
import type { Launch } from "../../../src/schemas/connection/ServerConfig.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const TOOL: ToolDefinition = {
  name: "read",
  title: "Read",
  description: "Reads a file",
  inputSchema: { type: "object", properties: { path: { type: "string" }, all: { type: "boolean" } } },
  outputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { readOnlyHint: true, idempotentHint: true },
  taskSupport: "forbidden"
}

const LAUNCH = launchIdentity(serverConfig("files"))
const hash = (definition: Partial<ToolDefinition>, instructions: string | undefined = "Be brief", launch = LAUNCH) =>
  definitionHash({ launch, instructions, definition: { ...TOOL, ...definition } })

/** The same value, with the keys of every object the other way round. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]))
}

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { a: value } : [value]
  return value
}

describe("canonical JSON", () => {
  it.prop("is JSON of the same value, independent of the order of keys", [Schema.Json], ([value]) => {
    const plain: unknown = JSON.parse(JSON.stringify(value))
    assert.deepStrictEqual(JSON.parse(canonical(plain)), plain)
    assert.strictEqual(canonical(plain), canonical(reversed(plain)))
  })

  it.prop("differs for different values", [Schema.Json, Schema.Json], ([a, b]) => {
    const equal = isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
    assert.strictEqual(canonical(a) === canonical(b), equal)
  })

  it("keeps the order of lists and the types of values", () => {
    assert.notStrictEqual(canonical({ a: [1, 2] }), canonical({ a: [2, 1] }))
    assert.notStrictEqual(canonical({ a: "1" }), canonical({ a: 1 }))
    assert.notStrictEqual(canonical("\ud800"), canonical("\ufffd"))
  })

  it("accepts any depth and any key", () => {
    assert.strictEqual(canonical(nested(50_000)).length > 50_000, true)
    const hostile: unknown = JSON.parse('{"__proto__":{"b":1,"a":2},"constructor":null,"":[]}')
    assert.strictEqual(canonical(hostile), '{"":[],"__proto__":{"a":2,"b":1},"constructor":null}')
  })

  it("leaves out undefined", () => {
    assert.strictEqual(canonical({ a: undefined, b: [undefined] }), '{"b":[null]}')
  })
})

describe("the hash of a definition", () => {
  it("is 64 hex digits, and the same each time", () => {
    assert.match(hash({}), /^[0-9a-f]{64}$/)
    assert.strictEqual(hash({}), hash({ ...TOOL }))
  })

  it("changes with each part that a model can see", () => {
    const others = [
      { name: "read2" },
      { title: "read" },
      { title: undefined },
      { description: "Reads a file " },
      { description: "Reads a\u200b file" },
      { inputSchema: { type: "object" } },
      { inputSchema: { ...TOOL.inputSchema, required: ["path"] } },
      { outputSchema: undefined },
      { outputSchema: { type: "object" } },
      { annotations: undefined },
      { annotations: { ...TOOL.annotations, readOnlyHint: false } }
    ].map((part) => hash(part))
    assert.strictEqual(new Set([hash({}), ...others]).size, others.length + 1)
  })

  it("changes with the server's instructions", () => {
    assert.notStrictEqual(hash({}, "Be brief."), hash({}))
    assert.notStrictEqual(hash({}, ""), hash({}))
  })

  it("does not change with the order of keys, at any depth", () => {
    const { annotations, inputSchema, outputSchema } = reversed(TOOL) as ToolDefinition
    assert.strictEqual(hash({ annotations, inputSchema, outputSchema }), hash({}))
  })

  it("is the same from definitionHasher", () => {
    const config = serverConfig("files")
    const of = definitionHasher(config, { instructions: "Be brief" })
    assert.strictEqual(of(TOOL), hash({}))
    assert.strictEqual(of(TOOL), hash({}))
    assert.strictEqual(
      definitionHasher(config, {})(TOOL),
      definitionHash({ launch: LAUNCH, instructions: undefined, definition: TOOL })
    )
    assert.strictEqual(definitionHasher(config, { instructions: "Be brief" })(TOOL), hash({}))
  })

  it("takes as much of the instructions as is shown", () => {
    const shown = "x".repeat(INSTRUCTIONS_MAX_CHARS)
    const of = (instructions: string) => definitionHasher(serverConfig("files"), { instructions })(TOOL)
    assert.strictEqual(of(`${shown} and more`), hash({}, shown))
  })

  it("is SHA-256 of the canonical JSON", () => {
    const { taskSupport: _, ...definition } = TOOL
    const text = canonical({ launch: LAUNCH, instructions: instructionsHash("Be brief"), definition })
    assert.strictEqual(hash({}), sha256(text))
    const { outputSchema: __, title: ___, ...less } = definition
    const shorter = canonical({ launch: LAUNCH, instructions: instructionsHash("Be brief"), definition: less })
    assert.strictEqual(hash({ outputSchema: undefined, title: undefined }), sha256(shorter))
  })

  it("reads a definition once, for all hashes", () => {
    let reads = 0
    const inputSchema = {
      get type() {
        reads++
        return "object"
      }
    }
    const definition = { ...TOOL, inputSchema }
    const config = serverConfig("files")
    definitionHasher(config, {})(definition)
    definitionHasher(config, {})(definition)
    namelessHash(definition)
    partsOf(definition)
    const copy = { ...definition }
    takeOverParts(copy, definition)
    assert.deepStrictEqual(partsOf(copy), partsOf(definition))
    assert.strictEqual(reads, 1)
  })

  it("without the name is the same for a renamed tool", () => {
    assert.strictEqual(namelessHash({ ...TOOL, name: "fetch" }), namelessHash(TOOL))
    assert.notStrictEqual(namelessHash({ ...TOOL, description: "" }), namelessHash(TOOL))
  })
})

describe("the identity of a launch", () => {
  const stdio = { kind: "stdio", command: "npx", args: ["-y", "files@1"], env: {}, cwd: "/srv/app" } satisfies Launch
  const identity = (launch: Launch, sandbox: boolean | { readonly network: boolean } = false) =>
    launchIdentity({ launch, sandbox })

  it("changes with environment and headers of a client's server, but not with their credentials", () => {
    const ofSession = (launch: Launch) => launchIdentity({ launch, sandbox: false, session: "s" })
    const withEnv = (env: Readonly<Record<string, string>>) => ofSession({ ...stdio, env })
    const env = { PATH: "/good:/usr/bin", API_TOKEN: "tok-0123456789" }
    const same = withEnv(env)
    assert.strictEqual(withEnv({ ...env, API_TOKEN: "tok-9876543210" }), same)
    for (const other of [
      { ...env, PATH: "/bad:/usr/bin" },
      { ...env, API_TOKEN: "/bad/program" },
      { ...env, MODE: "x" },
      {}
    ]) {
      assert.notStrictEqual(withEnv(other), same, JSON.stringify(other))
    }
    const withHeaders = (headers: Readonly<Record<string, string>>) =>
      ofSession({ kind: "http", url: "https://a.example/mcp", headers })
    const headers = { Authorization: "Bearer tok-0123456789", "X-Tenant": "a" }
    assert.strictEqual(withHeaders({ ...headers, Authorization: "Bearer tok-9876543210" }), withHeaders(headers))
    assert.notStrictEqual(withHeaders({ ...headers, "X-Tenant": "b" }), withHeaders(headers))
    // What the operator wrote is the operator's.
    assert.strictEqual(identity({ ...stdio, env }), identity({ ...stdio, env: {} }))
  })

  it("changes with command, arguments, directory, sandbox and URL", () => {
    const all = [
      identity(stdio),
      identity({ ...stdio, command: "bunx" }),
      identity({ ...stdio, args: ["-y", "files@2"] }),
      identity({ ...stdio, cwd: "/elsewhere" }),
      identity(stdio, true),
      identity(stdio, { network: true }),
      identity({ kind: "http", url: "https://a.example/mcp", headers: {} }),
      identity({ kind: "http", url: "https://b.example/mcp", headers: {} }),
      identity({ kind: "sse", url: "https://a.example/mcp", headers: {} })
    ]
    assert.strictEqual(new Set(all).size, all.length)
  })

  it("does not change with credentials, nor with the spelling of the sandbox", () => {
    assert.strictEqual(identity({ ...stdio, env: { TOKEN: "a" } }), identity(stdio))
    assert.strictEqual(
      identity({ kind: "http", url: "https://a.example/mcp", headers: { Authorization: "Bearer a" } }),
      identity({ kind: "http", url: "https://a.example/mcp", headers: {} })
    )
    assert.strictEqual(identity(stdio, { network: false }), identity(stdio, true))
  })
})
