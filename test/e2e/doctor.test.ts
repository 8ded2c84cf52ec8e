/** `mcp-live doctor --openclaw` as a user runs it, and everything that docs/openclaw-plugin.md tells them to write. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import JSON5 from "json5"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readSettings } from "../../src/programs/openclawPlugin/settings.ts"
import { noLines } from "../../src/schemas/config/KeyLines.ts"
import { decodeConfig } from "../../src/schemas/config/DecodeConfig.ts"
import { at } from "../../src/schemas/agent/openclaw/doctor/read.ts"
import { inFolder } from "../support/folder.ts"
import { runHere as runHereWith } from "./here.ts"
import { run as runWith } from "./program.ts"

const page = readFileSync(fileURLToPath(new URL("../../docs/openclaw-plugin.md", import.meta.url)), "utf8")
const SECRET = "sk-live-0123456789abcdefghij"

const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}) => runWith(args, { env })
const runHere = (args: ReadonlyArray<string>, env: Record<string, string> = {}) => runHereWith(args, { env })

const open = { tools: { toolSearch: false }, mcp: { servers: { docs: { command: "node", env: { API_KEY: SECRET } } } } }
/** Where its manifest is. */
const source = fileURLToPath(new URL("../../src/programs/openclawPlugin", import.meta.url))
const closed = {
  plugins: { load: { paths: [source] }, entries: { "mcp-live": { enabled: true } } },
  mcp: {
    servers: { docs: { url: "https://x.example/mcp", transport: "streamable-http", toolFilter: { include: ["a"] } } }
  }
}

const withServers = {
  plugins: { entries: { "mcp-live": { config: { mcp: { servers: { a: { command: "node", enabled: false } } } } } } }
}

const put = (file: string, value: unknown) => {
  writeFileSync(file, JSON.stringify(value))
  return file
}

describe("mcp-live doctor --openclaw", () => {
  it.live("names what is open, for people, and never a value", () =>
    Effect.gen(function* () {
      const file = put(join(yield* inFolder, "oc.json"), open)
      const { code, stderr, stdout } = yield* run(["doctor", "--openclaw", file])
      assert.strictEqual(code, 1)
      assert.include(stdout, "HIGH unframed-results [docs]")
      assert.include(stdout, "at mcp.servers.docs.env.API_KEY")
      assert.include(stdout, "dist/openclaw-plugin")
      assert.notInclude(stdout + stderr, SECRET)
    })
  )

  it.live("is one document with --json", () =>
    Effect.gen(function* () {
      const file = put(join(yield* inFolder, "oc.json"), open)
      const { code, stdout } = yield* runHere(["doctor", "--openclaw", file, "--json"])
      const document = JSON.parse(stdout) as Record<string, unknown>
      assert.strictEqual(code, 1)
      assert.hasAllKeys(document, ["ok", "file", "files", "servers", "plugin", "findings", "advice"])
      assert.deepStrictEqual([document["ok"], document["file"], document["files"]], [false, file, [file]])
      assert.notInclude(stdout, SECRET)
    })
  )

  it.live("finds the configuration that OpenClaw would take, and nothing open in a good one", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      mkdirSync(join(home, ".openclaw"))
      const file = put(join(home, ".openclaw/openclaw.json"), closed)
      const usual = yield* runHere(["doctor", "--openclaw"], { HOME: home })
      assert.strictEqual(usual.code, 0, usual.stdout + usual.stderr)
      assert.include(usual.stdout, file)
      assert.include(usual.stdout, "No weaknesses found.")
      const other = put(join(home, "other.json"), open)
      assert.strictEqual(
        (yield* runHere(["doctor", "--openclaw"], { HOME: home, OPENCLAW_CONFIG_PATH: other })).code,
        1
      )
    })
  )

  it.live("needs no large heap for three megabytes of brackets, nor does mcp-live validate", () =>
    Effect.gen(function* () {
      const file = join(yield* inFolder, "oc.json")
      writeFileSync(file, "[".repeat(3_000_000))
      const env = { NODE_OPTIONS: "--max-old-space-size=512" }
      for (const args of [
        ["doctor", "--openclaw", file],
        ["validate", "--config", file]
      ]) {
        const { code, stderr } = yield* run(args, env)
        assert.strictEqual(code, 2)
        assert.include(stderr, "is nested more than 128 levels deep")
      }
    })
  )

  it.live("carries the servers of agents over: with its lines, OpenClaw takes the file and the plugin has them", () =>
    Effect.gen(function* () {
      const docs = { command: "node", args: ["docs.js"], toolPrefix: "d" }
      const tickets = { url: "https://x.example/mcp", headers: { "X-Api-Key": SECRET } }
      const before = {
        agents: {
          defaults: { mcp: { servers: { docs } } },
          list: [
            { id: "main", default: true },
            { id: "work", mcp: { servers: { tickets } } }
          ]
        }
      }
      const file = put(join(yield* inFolder, "oc.json"), before)
      const printed = yield* runHere(["doctor", "--openclaw", file])
      assert.include(printed.stdout, "HIGH agents-mcp-rejected [docs, tickets]")
      const lines = printed.stdout.split(`Lines for ${file}:\n`)[1]!
      assert.notInclude(printed.stdout, SECRET)

      // What a person does with them: the values that are left out are as they were.
      const given = JSON5.parse<Record<string, unknown>>(`{${lines}}`)
      const { defaults, list } = at(given, [
        "plugins",
        "entries",
        "mcp-live",
        "config",
        "agents"
      ]) as typeof before.agents
      Object.assign(defaults.mcp.servers.docs, docs)
      Object.assign(list[1]!.mcp!.servers.tickets, { url: tickets.url })
      put(file, { ...given, agents: { list: [{ id: "main", default: true }, { id: "work" }] } })
      const after = yield* runHere(["doctor", "--openclaw", file, "--json"])
      const { advice, findings } = JSON.parse(after.stdout) as {
        readonly advice: null
        readonly findings: ReadonlyArray<{ readonly id: string }>
      }
      // The one thing that is left is for the operator to decide.
      assert.deepStrictEqual([advice, findings.map(({ id }) => id)], [null, ["resources-not-in-prompt"]])

      const { inline } = readSettings(at(given, ["plugins", "entries", "mcp-live", "config"]))
      const place = { file: "", shownFile: "", lines: noLines, directory: "/", home: "/", env: {}, isThere: () => true }
      const decoded = decodeConfig(inline, place)
      assert.strictEqual(decoded._tag, "Success", JSON.stringify(decoded))
      if (decoded._tag === "Failure") return
      assert.deepStrictEqual(
        decoded.success.agents.map(({ id, servers }) => [id, servers.map(({ name }) => name).toSorted()]),
        [
          ["main", ["docs"]],
          ["work", ["docs", "tickets"]]
        ]
      )
      assert.include(JSON.stringify(inline), '"X-Api-Key":"secret://env/TICKETS_X_API_KEY"')
    }).pipe(Effect.scoped)
  )

  it.live("ends with 2 when there is nothing to look at", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const missing = yield* runHere(["doctor", "--openclaw"], { HOME: home })
      assert.strictEqual(missing.code, 2)
      assert.include(missing.stderr, "there is no such file")
      writeFileSync(join(home, "broken.json"), "{ a: ")
      assert.strictEqual((yield* runHere(["doctor", "--openclaw", join(home, "broken.json")])).code, 2)
      assert.strictEqual((yield* runHere(["doctor", "--nonsense"])).code, 2)
    })
  )
})

/** Registers the plugin of a folder in a host of nothing, and shows it one result. */
const LOAD = `
  const plugin = (await import(process.argv[1] + "/index.js")).default
  let guard, stop
  const nothing = () => {}
  plugin.register({
    registrationMode: "full",
    logger: console,
    registerTool: nothing,
    registerMcpServerConnectionResolver: nothing,
    registerService: (service) => (stop = service.stop),
    registerAgentToolResultMiddleware: (given) => (guard = given),
    on: nothing
  })
  const result = { content: [{ type: "text", text: "words" }], details: { mcpServer: "docs" } }
  const shown = await guard({ toolName: "docs__x", toolCallId: "1", args: {}, result }, {})
  await stop()
  console.log(JSON.stringify([plugin.id, shown.result.content[0].text]))
`

describe("the folder of the plugin", () => {
  const built = fileURLToPath(new URL("../../dist/openclaw-plugin", import.meta.url))

  it.live("stands alone: what is copied elsewhere, away from every node_modules, works", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      cpSync(built, join(home, "plugin"), { recursive: true })
      const args = ["--input-type=module", "-e", LOAD, join(home, "plugin")]
      const env = { PATH: process.env["PATH"] ?? "", HOME: home }
      const [id, text] = JSON.parse(execFileSync(process.execPath, args, { cwd: home, env, encoding: "utf8" })) as [
        string,
        string
      ]
      assert.strictEqual(id, "mcp-live")
      assert.match(text, /^<<<EXTERNAL_UNTRUSTED_CONTENT[^]*words/)
    })
  )

  it("has a small file that is read at the start, and says whose code is in it", () => {
    assert.isBelow(statSync(join(built, "index.js")).size, 50_000)
    const licences = readFileSync(join(built, "LICENSES.txt"), "utf8")
    for (const name of ["effect", "undici", "@modelcontextprotocol/client"]) assert.include(licences, `${name} `)
    const [manifest, itsPackage, ours] = [
      "dist/openclaw-plugin/openclaw.plugin.json",
      "dist/openclaw-plugin/package.json",
      "package.json"
    ].map(
      (path) =>
        JSON.parse(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")) as {
          version: string
        }
    )
    assert.strictEqual(manifest?.version, ours?.version)
    assert.strictEqual(itsPackage?.version, ours?.version)
  })
})

describe("docs/openclaw-plugin.md", () => {
  const blocks = page.split(/\n{2,}/).map((block) => block.split("\n"))
  const indented = blocks.filter((lines) => lines.every((line) => line.startsWith("    ")))
  const commands = indented.flat().filter((line) => line.trim().startsWith("mcp-live "))
  const configurations = indented.filter(([first]) => first?.trim() === "{").map((lines) => lines.join("\n"))

  it("has commands and configurations", () => {
    assert.lengthOf(commands, 5)
    assert.lengthOf(configurations, 3)
  })

  for (const command of commands) {
    it.live(`gives a command that runs: ${command.trim().replace(/\s+#.*/, "")}`, () =>
      Effect.gen(function* () {
        const home = yield* inFolder
        mkdirSync(join(home, ".openclaw"))
        const file = put(join(home, ".openclaw/openclaw.json"), command.includes("plugin") ? withServers : closed)
        const args = command.replace(/#.*/, "").trim().split(/\s+/).slice(1)
        const { code, stderr } = yield* runHere(
          args.map((arg) => (arg === "openclaw.json" ? file : arg.replace("/home/me", home))),
          { HOME: home, MCP_LIVE_HOME: join(home, "data") }
        )
        assert.strictEqual(code, 0, stderr)
      })
    )
  }

  for (const [i, text] of configurations.entries()) {
    it(`gives settings that the plugin takes (${i + 1})`, () => {
      const config = at(JSON5.parse(text), ["plugins", "entries", "mcp-live", "config"])
      const { connections, inline } = readSettings(config)
      assert.lengthOf(
        Object.keys(connections),
        Object.keys((at(config, ["native", "connections"]) ?? {}) as object).length
      )
      const place = { file: "", shownFile: "", lines: noLines, directory: "/", home: "/", env: {}, isThere: () => true }
      const decoded = decodeConfig(inline ?? { mcp: {} }, place)
      assert.strictEqual(decoded._tag, "Success", JSON.stringify(decoded))
    })
  }

  it("speaks of everything that doctor finds, and of nothing else", () => {
    const folder = fileURLToPath(new URL("../../src/schemas/agent/openclaw/doctor", import.meta.url))
    const source = ["all", "plugin", "secrets", "servers"]
      .map((name) => readFileSync(join(folder, `${name}.ts`), "utf8"))
      .join("")
    const found = [...source.matchAll(/(?:id: |find\(\s*)"([a-z-]+)"/g)].map(([, id]) => id!)
    const told = [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-z]+-[a-z-]+)`/g)].map(([, id]) => id!)
    )
    assert.deepStrictEqual([...new Set(told)].toSorted(), [...new Set(found)].toSorted())
  })
})
