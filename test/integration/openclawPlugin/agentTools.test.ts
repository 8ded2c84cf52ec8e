/** Tools of MCP servers by their own names, and resources in the prompt, in a host that is as much of OpenClaw as the plugin sees. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { HostTool, HostToolResult } from "../../../src/programs/openclawPlugin/openclawApi.ts"
import { register } from "../../../src/programs/openclawPlugin/register.ts"
import { readSettings } from "../../../src/programs/openclawPlugin/settings.ts"
import * as Shared from "../../../src/programs/openclawPlugin/processState.ts"
import { nestedCallPrefix } from "../../../src/programs/openclawPlugin/nativeResult.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { fakeHost, type FakeHost } from "../../support/openclawHost.ts"
import { pause } from "../../support/pause.ts"

const shifting = (...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [inFixtures("shifting.ts"), ...args]
})
const parrot = { command: process.execPath, args: [inFixtures("parrot.ts")] }

const OWN = ["mcp_a_list_resources", "mcp_a_read_resource", "mcp_read_more"]
const DECLARED = [...OWN, "mcp_a_add", "mcp_a_remove", "mcp_a_write", "mcp_a_late", "mcp_b_pid"]
const MAIN = { agentId: "main", sessionKey: "agent:main:t" }

const folders: Array<string> = []

const agents = (servers: object) => ({ agents: { list: [{ id: "main", mcp: { servers } }] } })

interface Started {
  readonly config?: object
  readonly openclaw?: object
  readonly declared?: ReadonlyArray<string>
  readonly mode?: string
}

const started = ({
  config = agents({ a: shifting() }),
  declared = DECLARED,
  mode = "full",
  openclaw = {}
}: Started = {}): FakeHost => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "mcp-live-plugin-"))
  folders.push(dataDirectory)
  const host = fakeHost({ dataDirectory, ...config }, mode, openclaw)
  register(host.api, declared)
  host.start()
  return host
}

afterEach(async () => {
  await Shared.end()
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

const namesOf = (host: FakeHost, agentId = "main") => host.tools({ ...MAIN, agentId }).map(({ name }) => name)

/** Whatever takes time happens beside: OpenClaw asks before each turn, and does not wait. */
const until = async <A>(look: () => A, isSo: (found: A) => boolean): Promise<A> => {
  for (;;) {
    const found = look()
    if (isSo(found)) return found
    await pause()
  }
}

const warm = async (host: FakeHost, isSo: (names: ReadonlyArray<string>) => boolean) => {
  await host.emit("gateway_start", {})
  return until(() => namesOf(host), isSo)
}

const toolOf = (host: FakeHost, name: string): HostTool => {
  const found = host.tools(MAIN).find((tool) => tool.name === name)
  if (found === undefined) throw new Error(`there is no tool ${name}`)
  return found
}

const call = (host: FakeHost, name: string, args: object) => toolOf(host, name).execute(`t-${name}`, args)
const through = (host: FakeHost, name: string, args: object = {}) =>
  call(host, "mcp_live", { action: "call", name, arguments: args })

const textOf = ({ content }: HostToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("")

describe("tools by their own names", () => {
  it.live("have their schemas and descriptions, so that the single tool is not needed", () =>
    Effect.promise(async () => {
      const host = started()
      // Nothing is known before the gateway has started: the single tool stands for all.
      assert.deepStrictEqual(namesOf(host), ["mcp_live"])
      const names = await warm(host, (found) => !found.includes("mcp_live"))
      assert.includeMembers([...names], ["mcp_a_add", "mcp_a_remove", "mcp_a_write"])
      assert.isTrue(names.every((name) => DECLARED.includes(name)))
      const { description, parameters } = toolOf(host, "mcp_a_write")
      assert.include(description, "[MCP server: a] To write")
      assert.deepNestedInclude(parameters as Record<string, unknown>, {
        "properties.text": { type: "string", minLength: 1 },
        required: ["text"]
      })
      const written = await call(host, "mcp_a_write", { text: "x" })
      assert.include(textOf(written), "written")
      assert.match(textOf(written), /^<<<EXTERNAL_UNTRUSTED_CONTENT/)
    })
  )

  it.live("come when a server adds them and go when it takes them away", () =>
    Effect.promise(async () => {
      const host = started()
      await warm(host, (names) => !names.includes("mcp_live"))
      assert.notInclude(namesOf(host), "mcp_a_late")
      await call(host, "mcp_a_add", { name: "late" })
      await until(
        () => namesOf(host),
        (names) => names.includes("mcp_a_late")
      )
      const held = toolOf(host, "mcp_a_late")
      assert.include(textOf(await held.execute("t", {})), "this is late")
      await call(host, "mcp_a_remove", { name: "late" })
      await until(
        () => namesOf(host),
        (names) => !names.includes("mcp_a_late")
      )
      // A turn that still has it is told.
      assert.deepInclude((await held.execute("t", {})).details, { status: "error", error: "ToolNotFound" })
    })
  )

  it.live("that the manifest does not declare are called through the single tool, and the log says which", () =>
    Effect.promise(async () => {
      const host = started({ declared: DECLARED.filter((name) => name !== "mcp_a_write") })
      const names = await warm(host, (found) => found.includes("mcp_a_add"))
      assert.include(names, "mcp_live")
      assert.notInclude(names, "mcp_a_write")
      assert.include(textOf(await through(host, "mcp_a_write", { text: "x" })), "written")
      assert.isTrue(host.logged.some((line) => line.includes("mcp_a_write") && line.includes("mcp-live plugin")))
      // What has its own name is called by it: only there OpenClaw's policy sees it.
      const refused = await through(host, "mcp_a_add", { name: "late" })
      assert.include(textOf(refused), "call it directly")
      assert.deepInclude(refused.details, { status: "error" })
      const around = await through(host, "mcp_call_tool", { name: "mcp_a_add", arguments: { name: "late" } })
      assert.include(textOf(around), "The call was not made")
    })
  )

  it.live("are absent above the configured number, and if none are declared", () =>
    Effect.promise(async () => {
      const few = started({ config: { ...agents({ a: shifting() }), maxTools: 2 } })
      await few.emit("gateway_start", {})
      assert.include(textOf(await through(few, "mcp_a_write", { text: "x" })), "written")
      assert.deepStrictEqual(namesOf(few), ["mcp_live"])
      await Shared.end()
      const plain = started({ declared: [] })
      await plain.emit("gateway_start", {})
      assert.include(textOf(await through(plain, "mcp_a_write", { text: "x" })), "written")
      assert.deepStrictEqual(namesOf(plain), ["mcp_live"])
    })
  )

  it.live("have the single tool beside them while a server is starting", () =>
    Effect.promise(async () => {
      const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], timeout: 60_000 }
      const host = started({ config: agents({ a: shifting(), silent }) })
      const names = await warm(host, (found) => found.includes("mcp_a_add"))
      assert.include(names, "mcp_live")
    })
  )

  it.live("are looked up for every agent once the gateway is up, where they have names of their own", () =>
    Effect.promise(async () => {
      const servers = [
        { id: "main", mcp: { servers: { a: shifting() } } },
        { id: "other", mcp: { servers: { b: parrot } } }
      ]
      const isReady = (host: FakeHost) => (name: string) => host.logged.some((line) => line.includes(`[${name}] ready`))
      const host = started({ config: { agents: { list: servers } } })
      await host.emit("gateway_start", {})
      await until(
        () => ["a", "b"].every(isReady(host)),
        (both) => both
      )
    })
  )

  it.live("belong to the asking agent", () =>
    Effect.promise(async () => {
      const servers = [
        { id: "main", mcp: { servers: { a: shifting() } } },
        { id: "other", mcp: { servers: { b: parrot } } }
      ]
      const host = started({ config: { agents: { list: servers } } })
      await warm(host, (names) => names.includes("mcp_a_add"))
      const others = await until(
        () => namesOf(host, "other"),
        (names) => names.includes("mcp_b_pid")
      )
      assert.isFalse(others.some((name) => name.startsWith("mcp_a_")))
      assert.isFalse(namesOf(host).some((name) => name.startsWith("mcp_b_")))
      assert.deepStrictEqual(namesOf(host, "stranger"), [])
    })
  )

  it.live("that OpenClaw's policy denies are not called through the single tool either", () =>
    Effect.promise(async () => {
      const openclaw = {
        tools: { deny: ["MCP_A_rem*"], sandbox: { tools: { deny: ["group:plugins", "mcp_*"] } } },
        agents: { entries: { main: { tools: { deny: ["mcp_a_write"] } }, other: { tools: { deny: ["mcp_a_add"] } } } }
      }
      const host = started({ declared: [], openclaw })
      for (const name of ["mcp_a_remove", "mcp_a_write"]) {
        const refused = await through(host, name, { name: "x", text: "x" })
        assert.include(textOf(refused), "OpenClaw's policy denies")
        assert.deepInclude(refused.details, { status: "error" })
      }
      assert.include(textOf(await through(host, "mcp_a_add", { name: "x" })), "added")
    })
  )

  it.live("give their images through a tool search", () =>
    Effect.promise(async () => {
      const host = started({ config: agents({ b: parrot }), declared: ["mcp_b_give"] })
      await warm(host, (names) => names.includes("mcp_b_give"))
      const image = { type: "image", data: "A".repeat(400_000), mimeType: "image/png" }
      const nestedId = `${nestedCallPrefix("c7")}mcp_b_give:1`
      await toolOf(host, "mcp_b_give").execute(nestedId, { result: { content: [image] } })
      await host.emit("after_tool_call", { toolName: "mcp_b_give", toolCallId: nestedId, result: { content: [] } })
      const details = { tool: { name: "mcp_b_give", source: "openclaw", sourceName: "mcp-live" }, result: {} }
      const shown = await host.shown({
        toolName: "tool_call",
        toolCallId: "c7",
        args: { id: "mcp_b_give" },
        result: { content: [{ type: "text", text: "{ … }" }], details }
      })
      assert.deepInclude(shown.content as ReadonlyArray<unknown>, image)
    })
  )
})

const allowed = (hooks: object) => ({ plugins: { entries: { "mcp-live": { enabled: true, hooks } } } })

describe("resources in the prompt", () => {
  const config = agents({ a: shifting("the first note") })

  it.live("are between boundaries, stay the same until they change, and are renewed then", () =>
    Effect.promise(async () => {
      const host = started({ config, openclaw: allowed({ allowConversationAccess: true }) })
      const first = await host.prompt()
      assert.match(
        first!,
        /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>[^]*the first note[^]*<<<END_[A-Z_]+ id="\1">>>/
      )
      assert.strictEqual(await host.prompt(), first)
      await through(host, "mcp_a_write", { text: "the second note" })
      let now = await host.prompt()
      while (now === first) {
        await turn()
        now = await host.prompt()
      }
      assert.include(now!, "the second note")
      assert.notInclude(now!, "the first note")
    })
  )

  it.live("belong to the agent, fit the budget, and are absent without an agent", () =>
    Effect.promise(async () => {
      const long = agents({ a: shifting("word ".repeat(20_000)) })
      const host = started({ config: long, openclaw: allowed({ allowConversationAccess: true }) })
      const text = await host.prompt()
      assert.include(text!, "word word")
      assert.isAtMost(Buffer.byteLength(text!), 64 * 1024)
      assert.isUndefined(await host.prompt({ agentId: "stranger" }))
      assert.isUndefined(await host.prompt({}))
    })
  )

  it.live("are added where the operator allows it, and nowhere else", () =>
    Effect.promise(async () => {
      for (const hooks of [{}, { allowConversationAccess: true, allowPromptInjection: false }]) {
        assert.notInclude(started({ config, openclaw: allowed(hooks) }).hooks(), "before_prompt_build")
        await Shared.end()
      }
    })
  )

  it.live("are added by whichever evaluation OpenClaw asks, which starts nothing before", () =>
    Effect.promise(async () => {
      const openclaw = allowed({ allowConversationAccess: true })
      Shared.begin()
      const host = started({ config, openclaw, mode: "discovery" })
      assert.deepStrictEqual(namesOf(host), ["mcp_live"])
      assert.isUndefined(Shared.present(readSettings(host.api.pluginConfig)))
      assert.include((await host.prompt())!, "the first note")
    })
  )

  it.live("add nothing when the gateway stops", () =>
    Effect.promise(async () => {
      const host = started({ config, openclaw: allowed({ allowConversationAccess: true }) })
      await host.emit("gateway_stop", {})
      assert.isUndefined(await host.prompt())
    })
  )
})
