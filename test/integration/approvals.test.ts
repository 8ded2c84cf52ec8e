import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadMCPServers, type LoadMCPServersOptions } from "../../src/programs/loadMCPServers.ts"
import type { MCPServerConfig } from "../../src/programs/loadMCPServers/MCPServerConfig.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import type { ExecuteResult } from "../../src/programs/loadMCPServers/Tool.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../src/schemas/call/Approval.ts"
import { hostile, serverPath } from "../fixtures/servers.ts"

/** A directory to work in, one for data, and whatever is to be closed. */
const setUp = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-live-test-")))
  const dataDirectory = mkdtempSync(join(tmpdir(), "mcp-live-data-"))
  const providers: Array<MCPToolProvider> = []
  return {
    folder,
    dataDirectory,
    load: async (config: Parameters<typeof loadMCPServers>[0], options: LoadMCPServersOptions = {}) => {
      const provider = await loadMCPServers(config, undefined, { dataDirectory, ...options })
      providers.push(provider)
      return provider
    },
    [Symbol.asyncDispose]: async () => {
      for (const provider of providers) await provider.close()
      for (const directory of [folder, dataDirectory]) rmSync(directory, { recursive: true, force: true })
    }
  }
}

const files = (folder: string, extra: object = {}): MCPServerConfig => ({
  type: "stdio",
  command: process.execPath,
  args: [serverPath("filesystem"), folder],
  ...extra
})

const polite: MCPServerConfig = { type: "stdio", ...hostile("polite") }

const person = (...answers: ReadonlyArray<ApprovalAnswer>) => {
  const asked: Array<ApprovalQuestion> = []
  const left = [...answers]
  return {
    asked,
    onApproval: async (question: ApprovalQuestion) => {
      asked.push(question)
      return left.shift()!
    }
  }
}

const call = (provider: MCPToolProvider, name: string, params: object) => {
  const tool = provider.tools().find((one) => one.name === name) ?? assert.fail(`no tool ${name}`)
  return tool.execute("id", params)
}

const tagOf = ({ details }: ExecuteResult) => ("error" in details ? details.error.tag : undefined)
const textOf = ({ content }: ExecuteResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

describe("a tool that is asked about, at a real server", () => {
  it("is listed, and is called only after a yes; a no sends nothing", async () => {
    await using setup = setUp()
    const path = join(setup.folder, "new.txt")
    const { asked, onApproval } = person("deny", "once")
    const provider = await setup.load(
      { servers: { files: files(setup.folder) } },
      {
        policy: { ask: ["files/write_file"] },
        onApproval
      }
    )
    const refused = await call(provider, "files__write_file", { path, content: "x" })
    assert.isTrue(refused.isError)
    assert.strictEqual(tagOf(refused), "ApprovalDenied")
    assert.include(textOf(refused), "needs the approval of a person, who said no")
    assert.include(textOf(refused), "Nothing was sent.")
    assert.isFalse(existsSync(path))
    assert.isFalse((await call(provider, "files__write_file", { path, content: "x" })).isError)
    assert.isTrue(existsSync(path))
    assert.deepInclude(asked[0], { server: "files", tool: "write_file", rule: "ask: files/write_file" })
    assert.include(asked[0]!.arguments, `path: ${JSON.stringify(path)}\ncontent: "x"`)
  })

  it("is not called if no one can be asked; the error says how to allow it", async () => {
    await using setup = setUp()
    const path = join(setup.folder, "new.txt")
    const servers = { files: files(setup.folder, { tools: { ask: ["write_*"] } }) }
    const provider = await setup.load({ servers })
    const refused = await call(provider, "files__write_file", { path, content: "x" })
    assert.strictEqual(tagOf(refused), "ApprovalDenied")
    assert.match(textOf(refused), /nobody can be asked here.*mcp-live call/s)
    assert.isFalse(existsSync(path))
    assert.isFalse((await call(provider, "files__list_directory", { path: setup.folder })).isError)
  })

  it("is asked about also when its server says that it only reads", async () => {
    await using setup = setUp()
    writeFileSync(join(setup.folder, "a.txt"), "words")
    const { asked, onApproval } = person("deny")
    const provider = await setup.load(
      { servers: { files: files(setup.folder) } },
      { policy: { ask: ["*"] }, onApproval }
    )
    const refused = await call(provider, "files__read_text_file", { path: join(setup.folder, "a.txt") })
    assert.strictEqual(tagOf(refused), "ApprovalDenied")
    assert.lengthOf(asked, 1)
  })

  it("needs one approval per call through the search tools, whichever name the rule has", async () => {
    await using setup = setUp()
    const path = join(setup.folder, "new.txt")
    for (const [ask, exposed] of [
      ["files/write_file", "files__write_file"],
      ["*write*", "files__write_file"],
      ["mcp_call_tool", "mcp_call_tool"],
      ["*", "files__write_file"]
    ] as const) {
      const { asked, onApproval } = person("deny")
      const provider = await setup.load(
        { servers: { files: files(setup.folder) }, toolIndex: { threshold: 1 } },
        { policy: { ask: [ask] }, onApproval }
      )
      const params = { name: "files__write_file", arguments: { path, content: "x" } }
      assert.strictEqual(tagOf(await call(provider, "mcp_call_tool", params)), "ApprovalDenied", ask)
      assert.deepStrictEqual(
        asked.map((question) => question.exposed),
        [exposed],
        ask
      )
      assert.isFalse(existsSync(path))
    }
  })

  it("needs approval if it is a tool for resources", async () => {
    await using setup = setUp()
    const { asked, onApproval } = person("deny", "once")
    const server = { type: "stdio", command: process.execPath, args: [serverPath("everything"), "stdio"] } as const
    const provider = await setup.load(
      { servers: { all: server } },
      { policy: { ask: ["all/read_resource"] }, onApproval, runtimeTools: true }
    )
    const [resource] = await provider.resources()
    const params = { uri: resource!.uri }
    assert.strictEqual(tagOf(await call(provider, "all__read_resource", params)), "ApprovalDenied")
    assert.isFalse((await call(provider, "all__read_resource", params)).isError)
    assert.lengthOf(asked, 2)
  })

  it("that is approved for good stays so in the next run, and is asked about again at another launch", async () => {
    await using setup = setUp()
    const { asked, onApproval } = person("always", "deny")
    const run = async (folder: string) => {
      const provider = await setup.load(
        { servers: { files: files(folder) } },
        { policy: { ask: ["*/list_directory"] }, onApproval }
      )
      return tagOf(await call(provider, "files__list_directory", { path: folder }))
    }
    assert.isUndefined(await run(setup.folder))
    assert.isUndefined(await run(setup.folder))
    assert.lengthOf(asked, 1)
    assert.lengthOf(readdirSync(join(setup.dataDirectory, "approvals")), 1)
    assert.strictEqual(await run(setup.dataDirectory), "ApprovalDenied")
    assert.isTrue(asked[1]!.changed)
  })

  it("holds up no other call while its question is open", async () => {
    await using setup = setUp()
    const open = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<ApprovalAnswer>()
    const provider = await setup.load(
      { servers: { own: polite } },
      {
        policy: { ask: ["own/echo"] },
        onApproval: () => {
          open.resolve()
          return answer.promise
        }
      }
    )
    const waiting = call(provider, "own__echo", { text: "x" })
    await open.promise
    assert.isFalse((await call(provider, "own__received", {})).isError)
    answer.resolve("once")
    assert.isFalse((await waiting).isError)
  })

  it("is not called after a late yes to an abandoned call", async () => {
    await using setup = setUp()
    const open = Promise.withResolvers<AbortSignal>()
    const provider = await setup.load(
      { servers: { own: polite } },
      {
        policy: { ask: ["own/echo"] },
        onApproval: (_, signal) => {
          open.resolve(signal)
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve("always")))
        }
      }
    )
    const abort = new AbortController()
    const echo = provider.tools().find(({ name }) => name === "own__echo")!
    const given = echo.execute("id", { text: "x" }, abort.signal)
    await open.promise
    abort.abort()
    assert.isTrue((await given).isError)
    const { structuredContent } = await call(provider, "own__received", {})
    const { messages } = structuredContent as { messages: ReadonlyArray<{ method: string }> }
    assert.lengthOf(
      messages.filter(({ method }) => method === "tools/call"),
      1
    )
    assert.isFalse(existsSync(join(setup.dataDirectory, "approvals")))
  })
})
