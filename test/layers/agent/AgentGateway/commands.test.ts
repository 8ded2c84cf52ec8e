import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { PromptNotFound, ResourceNotFound } from "../../../../src/schemas/call/CallError.ts"
import type { PromptResult } from "../../../../src/schemas/content/Prompt.ts"
import type { AgentResource } from "../../../../src/schemas/content/Resource.ts"
import type { Content, ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { AgentGateway } from "../../../../src/services/agent/AgentGateway.ts"
import type { McpRuntimeShape } from "../../../../src/services/call/McpRuntime.ts"
import { provider } from "../../../support/modelProvider.ts"
import { tool, result, runtimeOf, gateway, say, textOf, tags } from "./gateway.ts"

const BOUNDARY = /<<<[A-Z_]*UNTRUSTED/

describe("AgentGateway: direct commands", () => {
  it.effect("explain how to configure a model if none is configured", () =>
    Effect.gen(function* () {
      const events = yield* say("Hello?")
      assert.deepStrictEqual(tags(events), ["Notice", "Done"])
      assert.include(textOf(events), "openclaw.json")
      assert.include(textOf(events), "ANTHROPIC_API_KEY")
      // The name of the file may be long.
      for (const line of textOf(events).split("\n")) if (!line.endsWith(":")) assert.isAtMost(line.length, 80, line)
    }).pipe(Effect.provide(gateway({})))
  )

  it.effect("/call runs a tool with JSON or key=value arguments, and shows call, result and text", () =>
    Effect.gen(function* () {
      const events = yield* say('/call mcp_fs_read {"path": "/a b"}')
      assert.deepStrictEqual(tags(events), ["ToolCall", "ToolResult", "Text", "Done"])
      assert.deepInclude(events[0], { name: "mcp_fs_read", args: { path: "/a b" } })
      assert.strictEqual(textOf(events), "text of the file\n")
      const again = yield* say('/call mcp_fs_read path="/a b" depth=2')
      assert.deepInclude(again[0], { args: { path: "/a b", depth: 2 } })
      const ids = [events, again].map(([first]) => (first?._tag === "ToolCall" ? first.id : ""))
      assert.notStrictEqual(ids[0], ids[1])
    }).pipe(Effect.provide(gateway({})))
  )

  it.effect("/call explains itself for a missing name or invalid arguments, and calls nothing", () =>
    Effect.gen(function* () {
      assert.include(textOf(yield* say("/call")), "Usage: /call")
      assert.include(textOf(yield* say("/call mcp_fs_read {")), "not JSON")
      const stray = textOf(yield* say("/call mcp_fs_read a b"))
      assert.include(stray, "expected key=value, not 'a'; '/tools mcp_fs_read' shows the arguments")
    }).pipe(Effect.provide(gateway({ runtime: runtimeOf(() => Effect.die("must not be called")) })))
  )

  const unknown: ToolResult = {
    ...result("There is no tool. Use the name of a tool that you were given.", true),
    details: { error: { tag: "ToolNotFound", server: undefined, tool: "x", maybeExecuted: false } }
  }

  it.effect("/call tells a person of an unknown tool in words that are not for a model", () =>
    Effect.gen(function* () {
      const misspelt = yield* say("/call fs/raed path=/a")
      assert.deepStrictEqual(tags(misspelt), ["ToolCall", "ToolResult", "Notice", "Done"])
      assert.strictEqual(textOf(misspelt), "No tool is called 'fs/raed'; did you mean 'fs/read'?")
      assert.strictEqual(textOf(yield* say("/call qqqqqqqq")), "No tool is called 'qqqqqqqq'; '/tools' lists them")
      assert.strictEqual(textOf(yield* say("/call fs")), "'fs' is a server: '/tools fs' lists its tools")
      assert.strictEqual(textOf(yield* say("/call web/fetch")), "web: cannot start 'nope'")
    }).pipe(Effect.provide(gateway({ runtime: runtimeOf(() => Effect.succeed(unknown)) })))
  )

  it.effect("/call asks for words for whoever reads its result", () => {
    const readers: Array<unknown> = []
    const call: McpRuntimeShape["call"] = (_, __, options) => {
      readers.push(options?.reader)
      return Effect.succeed(result("refused", true))
    }
    return Effect.gen(function* () {
      yield* say("/call mcp_fs_read path=a")
      yield* AgentGateway.use((agent) =>
        Stream.runCollect(agent.send("s", "/call mcp_fs_read path=a", { forModel: true }))
      )
      assert.deepStrictEqual(readers, ["person", "model"])
    }).pipe(Effect.provide(gateway({ runtime: runtimeOf(() => Effect.die("not called"), { call }) })))
  })

  it.effect("/call shows its result as whoever sent it asks for", () => {
    const looks: Array<unknown> = []
    const call: McpRuntimeShape["call"] = (_, __, options) => {
      looks.push(options?.look)
      return Effect.succeed(result("text"))
    }
    return Effect.gen(function* () {
      yield* say("/call mcp_fs_read path=a")
      yield* AgentGateway.use((agent) =>
        Stream.runCollect(agent.send("s", "/call mcp_fs_read path=a", { look: "person" }))
      )
      assert.deepStrictEqual(looks, [undefined, "person"])
    }).pipe(Effect.provide(gateway({ runtime: runtimeOf(() => Effect.die("not called"), { call }) })))
  })

  it.effect("/call waits for the server of the tool while that is starting, and says so", () =>
    Effect.gen(function* () {
      const events = yield* say("/call fs/read path=5")
      assert.deepStrictEqual(tags(events), ["Notice", "ToolCall", "ToolResult", "Text", "Done"])
      assert.include(textOf(events), "Waiting for 'fs', which is starting.")
      // The type is known by then.
      assert.deepInclude(events[1], { name: "mcp_fs_read", args: { path: "5" } })
    }).pipe(
      Effect.provide(
        Effect.sync(() => {
          let hasCome = false
          const { status, tools } = runtimeOf(() => Effect.die("not called"))
          const came = <A>(before: Effect.Effect<A>, after: Effect.Effect<A>) =>
            Effect.suspend(() => (hasCome ? after : before))
          const connecting = Effect.map(status, ({ fs }) => ({ fs: { ...fs!, state: "Connecting" as const } }))
          const runtime = runtimeOf(() => Effect.succeed(result("text of the file")), {
            allTools: came(Effect.succeed([]), tools),
            status: came(connecting, status),
            changes: Stream.fromIterable([1, 2]).pipe(Stream.map((change) => void (hasCome = change === 2)))
          })
          return gateway({ runtime })
        }).pipe(Layer.unwrap)
      )
    )
  )

  it.effect("/tools lists tools, filtered by name or description", () =>
    Effect.gen(function* () {
      assert.include(textOf(yield* say("/tools")), "mcp_fs_list")
      const filtered = textOf(yield* say("/tools READ"))
      assert.include(filtered, "mcp_fs_read")
      assert.notInclude(filtered, "mcp_fs_list")
      assert.include(textOf(yield* say("/tools file server")), "mcp_fs_list")
      assert.include(textOf(yield* say("/tools list")), "mcp_fs_read")
      assert.include(textOf(yield* say("/tools zzz")), "No tool has 'zzz' in its name or description")
    }).pipe(Effect.provide(gateway({})))
  )

  for (const command of ["/tools", "/status", "/resources", "/prompts", "/read none://such", "/prompt none"]) {
    it.effect(`${command} has text from servers between boundaries only for a model`, () =>
      Effect.gen(function* () {
        const forPerson = textOf(yield* say(command))
        const agent = yield* AgentGateway
        const forModel = textOf(yield* Stream.runCollect(agent.send("s", command, { forModel: true })))
        assert.notMatch(forPerson, BOUNDARY)
        assert.match(forModel, BOUNDARY)
        assert.include(forModel, forPerson.trim())
        assert.strictEqual(forModel.indexOf(forPerson.trim()) > forModel.search(BOUNDARY), true)
      }).pipe(Effect.provide(gateway({})))
    )
  }

  it.effect("/status shows every server and why one failed", () =>
    Effect.gen(function* () {
      const text = textOf(yield* say("/status"))
      assert.match(text, /^fs\s+stdio\s+2025-11-25\s+Ready/m)
      assert.include(text, "web: cannot start 'nope'")
    }).pipe(Effect.provide(gateway({})))
  )

  it.effect("/reset restarts a server, and suggests the nearest name for an unknown one", () =>
    Effect.gen(function* () {
      assert.include(textOf(yield* say("/reset fs")), "Starting 'fs' over")
      assert.include(textOf(yield* say("/reset webs")), "did you mean 'web'?")
      assert.include(textOf(yield* say("/reset")), "fs, web")
    }).pipe(Effect.provide(gateway({})))
  )

  it.effect("suggest the nearest name for an unknown command, and treat a path as text", () =>
    Effect.gen(function* () {
      assert.include(textOf(yield* say("/tols")), "did you mean /tools?")
      assert.include(textOf(yield* say("/etc/hosts?")), "No model is configured")
      const help = textOf(yield* say("/help"))
      assert.include(help, "of one, show its arguments")
      for (const line of help.split("\n")) assert.isAtMost(line.length, 80, line)
      for (const command of ["/call <tool>", "/read <uri>", "/prompt <name>", "/context", "/quit"]) {
        assert.include(help, command)
      }
    }).pipe(Effect.provide(gateway({})))
  )

  it.effect("/tools shows every tool, also when the agent has a tool index", () =>
    Effect.gen(function* () {
      const shown = textOf(yield* say("/tools"))
      assert.include(shown, "mcp_fs_list")
      assert.notInclude(shown, "mcp_search_tools")
    }).pipe(
      Effect.provide(
        gateway({
          runtime: runtimeOf(() => Effect.succeed(result("")), { tools: Effect.succeed([tool("mcp_search_tools")]) })
        })
      )
    )
  )

  it.live("are not sent to the model", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      yield* Effect.gen(function* () {
        yield* say("/call mcp_fs_read path=/a")
        yield* say("Hi")
      }).pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.strictEqual(requests.length, 1)
      assert.deepStrictEqual(
        requests[0]!.messages.slice(1).map((message) => message.content),
        ["Hi"]
      )
    })
  )
})

const resource = (uri: string, description = ""): AgentResource => ({
  server: "fs",
  uri,
  name: uri.slice(-5),
  title: undefined,
  description,
  mimeType: "text/plain",
  size: undefined
})

const filled = (content: ReadonlyArray<Content>): PromptResult => ({
  server: "fs",
  prompt: "review",
  description: undefined,
  messages: [{ role: "user", content }],
  findings: [],
  notes: []
})

const asked: Array<readonly [string, Readonly<Record<string, string>> | undefined]> = []

const withResources = (content: ReadonlyArray<Content> = [{ type: "text", text: "<<<Review it>>>" }]) =>
  runtimeOf(() => Effect.succeed(result("")), {
    resources: Effect.succeed([resource("file:///notes"), resource("file:///plans", "What comes next")]),
    resourceTemplates: Effect.succeed([{ ...resource(""), uriTemplate: "file:///{path}" }]),
    readResource: (uri, server) =>
      uri === "file:///notes" && (server ?? "fs") === "fs"
        ? Effect.succeed({
            server: "fs",
            uri,
            content: [{ type: "text", text: "Notes." }],
            pieces: [],
            findings: [],
            notes: []
          })
        : Effect.fail(new ResourceNotFound({ uri, detail: "no server\u001b[2J lists it" })),
    resourceContext: Effect.succeed("## MCP resources"),
    prompts: Effect.succeed([
      {
        name: "mcp_fs_review",
        title: undefined,
        description: "Reviews",
        arguments: [
          { name: "path", description: "", required: true },
          { name: "depth", description: "", required: false }
        ],
        server: "fs",
        prompt: "review"
      }
    ]),
    getPrompt: (name, args) => {
      asked.push([name, args])
      return name === "mcp_fs_review"
        ? Effect.succeed(filled(content))
        : Effect.fail(new PromptNotFound({ prompt: name, suggestion: "mcp_fs_review" }))
    }
  })

describe("AgentGateway: resources and prompts", () => {
  it.effect("/resources lists resources and templates, filtered by URI, name or description", () =>
    Effect.gen(function* () {
      for (const all of ["/resources", "/resources list"]) {
        const shown = textOf(yield* say(all))
        for (const uri of ["file:///notes", "file:///plans", "file:///{path}"]) assert.include(shown, uri)
      }
      const filtered = textOf(yield* say("/resources NEXT"))
      assert.include(filtered, "file:///plans")
      assert.notInclude(filtered, "file:///notes")
      assert.notInclude(filtered, "{path}")
      assert.strictEqual(textOf(yield* say("/resources zzz")), "No resources.\n")
    }).pipe(Effect.provide(gateway({ runtime: withResources() })))
  )

  it.effect("/read shows a resource, or the error on one sanitized line", () =>
    Effect.gen(function* () {
      assert.strictEqual(textOf(yield* say("/read file:///notes")), "Notes.\n")
      assert.strictEqual(textOf(yield* say("/read file:///notes fs")), "Notes.\n")
      const failed = yield* say("/read file:///none")
      assert.deepStrictEqual(tags(failed), ["Notice", "Done"])
      assert.strictEqual(textOf(failed), "Resource 'file:///none': no server lists it")
      assert.include(textOf(yield* say("/read file:///notes web")), "no server")
      assert.include(textOf(yield* say("/read")), "Usage: /read <uri>")
    }).pipe(Effect.provide(gateway({ runtime: withResources() })))
  )

  it.effect("/context shows the resource context, or that there is none", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        textOf(yield* say("/context").pipe(Effect.provide(gateway({ runtime: withResources() })))),
        "## MCP resources\n"
      )
      assert.include(textOf(yield* say("/context").pipe(Effect.provide(gateway({})))), "No server has a resource")
    })
  )

  it.effect("/prompts lists prompts with their arguments", () =>
    Effect.gen(function* () {
      assert.match(textOf(yield* say("/prompts")), /^mcp_fs_review +fs +path \[depth\] +Reviews$/m)
      assert.strictEqual(textOf(yield* say("/prompts zzz")), "No prompts.\n")
    }).pipe(Effect.provide(gateway({ runtime: withResources() })))
  )

  it.effect("/prompt shows the filled-in prompt when there is no model", () =>
    Effect.gen(function* () {
      asked.length = 0
      const events = yield* say('/prompt mcp_fs_review path="/a b" depth=2')
      assert.deepStrictEqual(tags(events), ["Text", "Done"])
      assert.strictEqual(textOf(events), "<<<Review it>>>\n")
      assert.deepStrictEqual(asked, [["mcp_fs_review", { path: "/a b", depth: "2" }]])
    }).pipe(Effect.provide(gateway({ runtime: withResources() })))
  )

  it.effect("/prompt explains missing and invalid arguments and unknown names", () =>
    Effect.gen(function* () {
      asked.length = 0
      assert.include(textOf(yield* say("/prompt")), "Usage: /prompt")
      assert.include(textOf(yield* say("/prompt mcp_fs_review path")), "expected key=value")
      assert.isEmpty(asked)
      assert.include(textOf(yield* say("/prompt revew")), "Did you mean 'mcp_fs_review'?")
    }).pipe(Effect.provide(gateway({ runtime: withResources() })))
  )

  it.live("/prompt sends the prompt to the model as a user message with an introduction, and keeps it", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["Looks fine."] })
      yield* Effect.gen(function* () {
        const events = yield* say("/prompt mcp_fs_review path=/a")
        assert.deepStrictEqual(tags(events), ["Notice", "Text", "Done"])
        assert.include(textOf(events), "Looks fine.")
        yield* say("Why?")
      }).pipe(Effect.provide(gateway({ model: { baseUrl }, runtime: withResources() })))
      const [system, user] = requests[0]!.messages
      assert.notInclude(String(system?.content), "Review it")
      assert.strictEqual(user?.role, "user")
      assert.match(
        String(user?.content),
        /\n\nI chose the prompt "review" that the MCP server "fs" offers\.[^]*\n\n<<<Review it>>>$/
      )
      assert.deepStrictEqual(
        requests[1]!.messages.map(({ role }) => role),
        ["system", "user", "assistant", "user"]
      )
    })
  )

  it.live("/prompt sends an image to the model as an image", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      const runtime = withResources([
        { type: "text", text: "What is this?" },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }
      ])
      yield* say("/prompt mcp_fs_review path=/a").pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      const content = JSON.stringify(requests[0]!.messages[1]?.content)
      assert.include(content, "What is this?")
      assert.include(content, "data:image/png;base64,iVBORw0KGgo=")
    })
  )

  it.live("/prompt does not ask the model when the prompt is unknown", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      const events = yield* say("/prompt nope").pipe(
        Effect.provide(gateway({ model: { baseUrl }, runtime: withResources() }))
      )
      assert.deepStrictEqual(tags(events), ["Notice", "Done"])
      assert.strictEqual(textOf(events), "There is no prompt 'nope'. Did you mean 'mcp_fs_review'?")
      const unlike = yield* say("/prompt nope").pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.strictEqual(textOf(unlike), "There is no prompt 'nope'. /prompts lists them.")
      assert.isEmpty(requests)
    })
  )
})
