/** What a configuration says that once did nothing, or that nobody was told of. */
import { assert, describe, it } from "@effect/vitest"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

const server = (entry: string) => `{ mcpServers: { fs: ${entry} } }`

describe("toolPolicy", () => {
  it("means the same as tools in all places", () => {
    const { agents } = decode(`{
      toolPolicy: { deny: ["fs/a"] },
      gateway: { toolPolicy: { deny: ["fs/b"] } },
      agents: {
        defaults: { mcp: { servers: { fs: { command: "x" } } }, toolPolicy: { deny: ["fs/c"] } },
        list: [{ id: "one", toolPolicy: { allow: ["fs/*"], deny: ["fs/d"] } }]
      }
    }`)
    assert.deepStrictEqual(
      agents[0]!.rules.map(({ allow, deny }) => [allow, deny]),
      [
        [undefined, ["fs/b"]],
        [undefined, ["fs/a"]],
        [["fs/*"], ["fs/c", "fs/d"]]
      ]
    )
  })

  it("is refused beside tools, and warnings use its own name", () => {
    const servers = `mcpServers: { fs: { command: "x" } }`
    assert.include(errorsOf(`{ ${servers}, tools: {}, toolPolicy: {} }`)[0], 'toolPolicy: means the same as "tools"')
    assert.include(
      warningsOf(`{ ${servers}, toolPolicy: { deny: ["sf/x"] } }`)[0],
      "toolPolicy.deny[0]: matches no tool"
    )
  })
})

describe("times in milliseconds", () => {
  it("are rounded up", () => {
    const [fs] = decode(server(`{ command: "x", timeout: 0.5, toolTimeout: 1500.25, idleTtlMs: 0 }`)).agents[0]!.servers
    assert.deepInclude(fs, { timeout: 1, toolTimeout: 1_501, idleTtlMs: 0 })
    assert.lengthOf(errorsOf(server(`{ command: "x", timeout: -0.5 }`)), 1)
  })
})

describe("plaintext credentials in args", () => {
  for (const args of [
    `["--api-key", "sk-12345"]`,
    `["--api-key=sk-12345"]`,
    `["-e", "GITHUB_TOKEN=ghp_12345"]`,
    `["postgres://app:hunter22@db/app"]`,
    `["https://mcp.example/sse?token=abc12345"]`
  ]) {
    it(`have a warning without their value: ${args}`, () => {
      const [warning, ...more] = warningsOf(server(`{ command: "x", args: ${args} }`))
      assert.match(warning!, /plaintext credentials in config \(args\[\d\]\), and every process list shows them/)
      assert.notMatch(warning!, /12345|hunter22/)
      assert.lengthOf(more, 0)
    })
  }

  it("are not found in references, variables, paths and switches", () => {
    const args = `["--token", "\${TOKEN}", "--key-file", "/etc/key", "--auth", "none", "--no-auth", "positional",
      "--max-tokens", "50", "postgres://app:\${PASSWORD}@db/app", "https://mcp.example/sse?page=2", "--verbose"]`
    assert.deepStrictEqual(
      decode(server(`{ command: "x", args: ${args} }`), { TOKEN: "t", PASSWORD: "p" }).warnings,
      []
    )
  })
})
