import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { MCPServerConfig } from "../../src/programs/loadMCPServers/MCPServerConfig.ts"
import type { LogRecord } from "../../src/programs/loadMCPServers/log.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import type { ExecuteResult, Tool } from "../../src/programs/loadMCPServers/Tool.ts"
import { ConfigError } from "../../src/schemas/config/ConfigError.ts"
import type { ElicitationRequest, SamplingRequest } from "../../src/schemas/content/HostRequest.ts"
import { everything, hostile, type RealServer, serverPath } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { pause } from "../support/pause.ts"

const stdio = (name: RealServer, ...args: ReadonlyArray<string>): MCPServerConfig => ({
  type: "stdio",
  command: process.execPath,
  args: [serverPath(name), ...args]
})

const polite: MCPServerConfig = { type: "stdio", ...hostile("polite") }

const textOf = ({ content }: ExecuteResult) =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n")

const find = (provider: MCPToolProvider, name: string): Tool =>
  provider.tools().find((tool) => tool.name === name) ?? assert.fail(`no tool ${name}`)

const call = (provider: MCPToolProvider, name: string, params: object) => find(provider, name).execute("id", params)

/** The methods that the hostile server has received. */
const received = async (provider: MCPToolProvider, server: string): Promise<ReadonlyArray<string>> => {
  const { structuredContent } = await call(provider, `${server}__received`, {})
  return (structuredContent as { messages: ReadonlyArray<{ method: string }> }).messages.map(({ method }) => method)
}

const inFolder = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-live-test-")))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** For a server whose process cannot be asked for. */
const MARK = `mark-${process.pid}`

/** Processes that were started with the mark; where there is no /proc, none. */
const marked = (): ReadonlyArray<number> =>
  (process.platform === "linux" ? readdirSync("/proc") : [])
    .filter((entry) => /^\d+$/.test(entry) && commandOf(entry).includes(MARK))
    .map(Number)
    .filter(alive)

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

describe("loadMCPServers", () => {
  it("one list of tools from a process, Streamable HTTP and SSE; nothing is left running after close", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const serve = (mode: "streamableHttp" | "sse") => Effect.runPromise(Scope.provide(everything(mode), scope))
    const [http, sse] = [await serve("streamableHttp"), await serve("sse")]
    const provider = await loadMCPServers({
      servers: {
        process: stdio("everything", "stdio"),
        http: { type: "streamable-http", url: http.url },
        sse: { type: "sse", url: sse.url }
      }
    })
    for (const server of ["process", "http", "sse"]) {
      const result = await call(provider, `${server}__echo`, { message: `to ${server}` })
      assert.match(textOf(result), /^<<<EXTERNAL_UNTRUSTED_CONTENT/)
      assert.include(textOf(result), `to ${server}`)
    }
    const status = provider.statusDetails()
    assert.deepStrictEqual(
      Object.entries(status).map(([name, { detail, state, transport }]) => [name, state, detail, transport]),
      [
        ["http", "connected", null, "http"],
        ["process", "connected", null, "stdio"],
        ["sse", "connected", null, "sse"]
      ]
    )
    const pid = status["process"]!.pid!
    assert.isTrue(alive(pid))
    await provider.close()
    assert.isFalse(alive(pid))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("credentials reach the server that they are for, references resolved", async () => {
    const seen = new Map<string, IncomingHttpHeaders>()
    const server = createServer((request, response) => {
      seen.set(request.url ?? "", request.headers)
      response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    process.env["LOAD_TEST_TOKEN"] = "a-token-for-the-test"
    const provider = await loadMCPServers({
      servers: {
        bearer: { url: `${url}/bearer`, auth: { type: "bearer", token: "secret://env/LOAD_TEST_TOKEN" } },
        key: { url: `${url}/key`, auth: { type: "api-key", key: "secret://env/LOAD_TEST_TOKEN" } }
      }
    })
    assert.strictEqual(seen.get("/bearer")?.authorization, "Bearer a-token-for-the-test")
    assert.strictEqual(seen.get("/key")?.["x-api-key"], "a-token-for-the-test")
    assert.deepInclude(provider.statusDetails()["key"], { state: "error" })
    assert.include(provider.statusDetails()["key"]?.detail, "401")
    await provider.close()
    delete process.env["LOAD_TEST_TOKEN"]
    server.close()
  })

  it("a server that does not start is reported by status, and the others work", async () => {
    const log: Array<LogRecord> = []
    const provider = await loadMCPServers(
      { mcpServers: { good: polite, bad: { command: "/nowhere/at-all" } } },
      undefined,
      { onLog: (record) => log.push(record) }
    )
    assert.isFalse((await call(provider, "good__echo", { text: "here" })).isError)
    assert.deepInclude(provider.statusDetails()["bad"], { state: "error", tools: 0 })
    assert.include(provider.statusDetails()["bad"]?.detail, "/nowhere/at-all")
    assert.isTrue(log.some(({ level, server }) => level === "warn" && server === "bad"))
    await provider.close()
  })

  it("a slow server is waited for, and its tools are there", async () => {
    const provider = await loadMCPServers({ servers: { slow: { type: "stdio", ...hostile("slow-initialize:2500") } } })
    assert.isFalse((await call(provider, "slow__echo", { text: "here" })).isError)
    await provider.close()
  })

  it("waits for its servers no longer than waitMs says, also where that is less than a first listing has", async () => {
    const changed = Promise.withResolvers<string>()
    // No process is started, and asked for its tools, in a millisecond.
    const provider = await loadMCPServers({ servers: { polite } }, undefined, {
      waitMs: 1,
      onToolsChanged: changed.resolve
    })
    assert.deepStrictEqual(provider.tools(), [])
    assert.strictEqual(await changed.promise, "polite")
    assert.isNotEmpty(provider.tools())
    await provider.close()
  })

  it("an unset variable affects only its own server, whose status gives the reason", async () => {
    const broken: MCPServerConfig = { ...polite, env: { TOKEN: "${MCP_LIVE_TEST_UNSET}" } }
    const provider = await loadMCPServers({ servers: { polite, broken } })
    assert.deepStrictEqual(provider.status(), { broken: "error", polite: "connected" })
    assert.match(provider.statusDetails()["broken"]!.detail!, /servers\.broken\.env\.TOKEN: .* is not set/)
    assert.isTrue(provider.tools().every(({ name }) => name.startsWith("polite__")))
    await provider.close()
  })

  it("a configuration that cannot be used rejects with every problem, and nothing is started", async () => {
    const servers = { files: { type: "stdio", comand: "npx" }, web: { type: "streamable-http", url: "ftp://x" } }
    // What no compiler has checked.
    const error = await loadMCPServers({ servers } as never).catch((error: unknown) => error)
    assert.instanceOf(error, ConfigError)
    assert.include((error as Error).message, 'servers.files.comand: unknown key, did you mean "command"?')
    assert.include((error as Error).message, "servers.web.url: must be an http:// or https:// address")
  })

  it("a file is read from its path, as it is written for other programs", async () => {
    using temporary = inFolder()
    const file = join(temporary.folder, "claude_desktop_config.json")
    writeFileSync(file, JSON.stringify({ mcpServers: { files: { ...stdio("filesystem", ".") } } }))
    const provider = await loadMCPServers(file)
    assert.isTrue(provider.tools().some(({ name }) => name === "files__read_text_file"))
    await provider.close()
  })

  it("rules of the program hide and deny; names follow the style", async () => {
    const provider = await loadMCPServers({ servers: { own: polite } }, undefined, {
      naming: "gateway",
      policy: { allow: ["own/*"], deny: ["own/fail"], ownerOnly: ["own/big"] }
    })
    const names = provider.tools().map(({ name }) => name)
    assert.include(names, "mcp_own_echo")
    assert.notInclude(names, "mcp_own_fail")
    assert.isTrue(find(provider, "mcp_own_big").ownerOnly)
    assert.isFalse(find(provider, "mcp_own_echo").ownerOnly)
    await provider.close()
  })

  it("rules of the program that match nothing are in the log, and the servers start all the same", async () => {
    const lines: Array<string> = []
    const provider = await loadMCPServers({ servers: { own: polite } }, undefined, {
      policy: { deny: ["onw/fail"] },
      onLog: ({ level, message }) => void lines.push(`${level}: ${message}`)
    })
    assert.include(lines.join("\n"), "warn: options: policy.deny[0]: matches no tool of any server that is configured")
    assert.isTrue(provider.tools().some(({ name }) => name === "own__fail"))
    await provider.close()
  })

  it("an abort cancels the call at its server; progress arrives while it runs", async () => {
    const provider = await loadMCPServers({ servers: { own: polite } })
    const abort = new AbortController()
    const updates: Array<string> = []
    const slow = find(provider, "own__slow")
    const result = await slow.execute("id", { ms: 60_000, progress: 6_000 }, abort.signal, ({ content }) => {
      updates.push(...content.map((block) => (block.type === "text" ? block.text : "")))
      abort.abort()
    })
    assert.isTrue(result.isError)
    assert.strictEqual(updates[0], "step 1")
    while (!(await received(provider, "own")).includes("notifications/cancelled"));
    await provider.close()
  })

  it("close ends a running call with a result, and leaves no process", async () => {
    const provider = await loadMCPServers({ servers: { own: polite } })
    const pid = provider.statusDetails()["own"]!.pid!
    const begun = Promise.withResolvers<void>()
    const running = find(provider, "own__slow").execute("id", { ms: 60_000, progress: 6_000 }, undefined, () =>
      begun.resolve()
    )
    await begun.promise
    await provider.close()
    assert.isTrue((await running).isError)
    assert.isFalse(alive(pid))
  })

  it("an abort of everything while a server hangs rejects with the reason, and leaves no process", async () => {
    const abort = new AbortController()
    const started = Promise.withResolvers<void>()
    const own: MCPServerConfig = { type: "stdio", ...hostile("hang-initialize", "--name", MARK) }
    const loading = loadMCPServers({ servers: { own } }, undefined, {
      signal: abort.signal,
      onLog: ({ message }) => (message === "starting" ? started.resolve() : undefined)
    }).catch((error: unknown) => error)
    await started.promise
    if (process.platform === "linux") while (marked().length === 0) await pause()
    const reason = new Error("never mind")
    abort.abort(reason)
    assert.strictEqual(await loading, reason)
    assert.deepStrictEqual(marked(), [])
  })

  it("tools that a server adds later are registered and announced", async () => {
    const registered = new Map<string, Tool>()
    const changed = Promise.withResolvers<string>()
    const provider = await loadMCPServers(
      { servers: { own: polite } },
      { register: (tool) => registered.set(tool.name, tool), unregister: (name) => registered.delete(name) },
      { onToolsChanged: changed.resolve }
    )
    const before = registered.size
    assert.strictEqual(before, provider.tools().length)
    await call(provider, "own__notify_list_changed", {})
    assert.strictEqual(await changed.promise, "own")
    assert.strictEqual(registered.size, before + 1)
    const added = [...registered.values()].find(({ name }) => name.startsWith("own__added_"))
    assert.isFalse((await added!.execute("id", {})).isError)
    await provider.close()
    assert.strictEqual(registered.size, 0)
  })

  it("a refresh finds what a server did not announce", async () => {
    const provider = await loadMCPServers({ servers: { own: polite } })
    await provider.refresh()
    assert.isTrue((await received(provider, "own")).filter((method) => method === "tools/list").length >= 2)
    await provider.close()
  })

  it("the workspace is the root that servers see", async () => {
    using temporary = inFolder()
    const provider = await loadMCPServers({ servers: { files: stdio("filesystem") } }, undefined, {
      workspaceDir: temporary.folder
    })
    // The server asks for its roots after the handshake, in its own time.
    while (!textOf(await call(provider, "files__list_allowed_directories", {})).includes(temporary.folder));
    const path = join(temporary.folder, "note.txt")
    const written = await call(provider, "files__write_file", { path, content: "in the workspace" })
    assert.isFalse(written.isError, textOf(written))
    assert.include(textOf(await call(provider, "files__read_text_file", { path })), "in the workspace")
    await provider.close()
  })

  it("a server asks the program: for a completion, and for values", async () => {
    const asked: Array<SamplingRequest | ElicitationRequest> = []
    const provider = await loadMCPServers({ servers: { all: stdio("everything", "stdio") } }, undefined, {
      onSamplingRequest: async (request) => {
        asked.push(request)
        return { text: "forty-two", model: "a model of the test" }
      },
      onElicitationRequest: async (request) => {
        asked.push(request)
        return { action: "decline" }
      }
    })
    const sampled = await call(provider, "all__trigger-sampling-request", { prompt: "What is it?", maxTokens: 10 })
    assert.include(textOf(sampled), "forty-two")
    const elicited = await call(provider, "all__trigger-elicitation-request", {})
    assert.match(textOf(elicited), /declin/i)
    assert.deepStrictEqual(
      asked.map((request) => ("messages" in request ? "sampling" : request.mode)),
      ["sampling", "form"]
    )
    await provider.close()
  })

  it("a server that may not ask is refused, even if the program could answer", async () => {
    const all = { ...stdio("everything", "stdio"), sampling: "deny" as const }
    const provider = await loadMCPServers({ servers: { all } }, undefined, {
      onSamplingRequest: () => assert.fail("it was asked all the same")
    })
    assert.isFalse(provider.tools().some(({ name }) => name === "all__trigger-sampling-request"))
    await provider.close()
  })

  it("resources, prompts and completions", async () => {
    const provider = await loadMCPServers({ servers: { all: stdio("everything", "stdio") } })
    const [first] = await provider.resources()
    const reading = await provider.readResource(first!.uri)
    assert.strictEqual(reading.server, "all")
    assert.isTrue(reading.content.length > 0)
    assert.isTrue((await provider.resourceTemplates()).length > 0)
    assert.include(await provider.resourceContext(), "EXTERNAL_UNTRUSTED_CONTENT")
    const unknown = await provider.readResource("nowhere://x", "nobody").catch((error: unknown) => error)
    assert.instanceOf(unknown, Error)

    const prompts = await provider.prompts()
    const withArguments = prompts.find((prompt) => prompt.arguments.length > 0)!
    const args = Object.fromEntries(withArguments.arguments.map(({ name }) => [name, "Paris"]))
    const filled = await provider.getPrompt(withArguments.name, args)
    assert.deepStrictEqual(new Set(filled.messages.map(({ role }) => role)), new Set(["user"]))
    const completable = prompts.find(({ prompt }) => prompt.includes("completable"))!
    const { values } = await provider.complete(
      { type: "prompt", name: completable.name },
      { name: completable.arguments[0]!.name, value: "" }
    )
    assert.isTrue(values.length > 0)
    await provider.close()
  })
})
