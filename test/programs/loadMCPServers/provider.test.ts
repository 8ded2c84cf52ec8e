import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import type { LogRecord } from "../../../src/programs/loadMCPServers/log.ts"
import { ProviderClosed } from "../../../src/programs/loadMCPServers/ProviderClosed.ts"
import { openProvider, type ProviderOptions } from "../../../src/programs/loadMCPServers/provider.ts"
import type { ToolRegistry } from "../../../src/programs/loadMCPServers/registry.ts"
import { type MCPServerStatus, toStatus } from "../../../src/programs/loadMCPServers/status.ts"
import type { Tool, ToolUpdate } from "../../../src/programs/loadMCPServers/Tool.ts"
import { ResourceNotFound } from "../../../src/schemas/call/CallError.ts"
import type { ServerState } from "../../../src/schemas/connection/ServerState.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import { agentTool, scripted, status, textResult } from "./runtime.ts"

const open = (
  runtime: ReturnType<typeof scripted>,
  options: Partial<ProviderOptions> = {},
  registry: ToolRegistry | undefined = undefined
) => openProvider(runtime.layer, registry, { ownerOnly: [], ...options })

const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)
const maybeExecuted = ({ details }: ToolResult) => "error" in details && details.error.maybeExecuted

/** Writes down what it is asked to do. */
const notebook = () => {
  const lines: Array<string> = []
  const tools = new Map<string, Tool>()
  return {
    lines,
    tools,
    register: (tool: Tool) => {
      lines.push(`+${tool.name}`)
      tools.set(tool.name, tool)
    },
    unregister: (name: string) => {
      lines.push(`-${name}`)
      tools.delete(name)
    }
  }
}

/** Resolves with each server that is told of, one after the other. */
const ear = () => {
  const heard: Array<string> = []
  let wake = () => {}
  return {
    onToolsChanged: (server: string) => {
      heard.push(server)
      wake()
    },
    heard: async (count: number) => {
      while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve))
      return heard.splice(0)
    }
  }
}

/** A call that has begun and never ends by itself. */
const hanging = () => {
  const begun = Promise.withResolvers<void>()
  const state = { interrupted: 0 }
  const call = () =>
    Effect.suspend(() => {
      begun.resolve()
      return Effect.never
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => void (state.interrupted += 1))))
  return { call, begun: begun.promise, state }
}

describe("a tool", () => {
  it("has the members that agent loops know, and no others", async () => {
    const provider = await open(scripted([agentTool("fs", "read")]))
    assert.deepStrictEqual(Object.keys(provider.tools()[0]!).toSorted(), [
      "description",
      "execute",
      "label",
      "name",
      "ownerOnly",
      "parameters"
    ])
    await provider.close()
  })

  it("is called by its name with what the model gave, and gives the result whole, in a list of the caller's own", async () => {
    const result: ToolResult = { ...textResult("read"), structuredContent: { n: 1 } }
    const runtime = scripted([agentTool("fs", "read")], { call: () => Effect.succeed(result) })
    const provider = await open(runtime)
    const given = await provider.tools()[0]!.execute("id", { path: "a" })
    assert.deepStrictEqual(given, result as typeof given)
    given.content.push({ type: "text", text: "the caller's" })
    assert.lengthOf(result.content, 1)
    await provider.close()
  })

  it("passes its arguments on as they are", async () => {
    const runtime = scripted([agentTool("fs", "read")])
    const provider = await open(runtime)
    await provider.tools()[0]!.execute("id", { path: "a" })
    assert.deepStrictEqual([runtime.state.calls[0]?.name, runtime.state.calls[0]?.args], ["fs__read", { path: "a" }])
    await provider.close()
  })

  it("aborted: the call is interrupted, and the result says so and that it may have been executed", async () => {
    const { begun, call, state } = hanging()
    const provider = await open(scripted([agentTool("fs", "read")], { call }))
    const abort = new AbortController()
    const result = provider.tools()[0]!.execute("id", {}, abort.signal)
    await begun
    abort.abort()
    assert.isTrue((await result).isError)
    assert.strictEqual(tagOf(await result), "CallCancelled")
    assert.isTrue(maybeExecuted(await result))
    assert.strictEqual(state.interrupted, 1)
    await provider.close()
  })

  it("aborted before it began: nothing is called", async () => {
    const runtime = scripted([agentTool("fs", "read")])
    const provider = await open(runtime)
    const result = await provider.tools()[0]!.execute("id", {}, AbortSignal.abort())
    assert.strictEqual(tagOf(result), "CallCancelled")
    assert.isFalse(maybeExecuted(result))
    assert.lengthOf(runtime.state.calls, 0)
    await provider.close()
  })

  it("whose runtime breaks gives an error result all the same", async () => {
    const provider = await open(scripted([agentTool("fs", "read")], { call: () => Effect.die("a bug") }))
    const result = await provider.tools()[0]!.execute("id", {})
    assert.isTrue(result.isError)
    assert.strictEqual(tagOf(result), "Defect")
    await provider.close()
  })

  it("tells of progress in the shape of a result", async () => {
    const provider = await open(
      scripted([agentTool("fs", "read")], {
        call: (_name, _args, options) =>
          Effect.sync(() => {
            options?.onProgress?.({ progress: 1, total: undefined, message: undefined })
            options?.onProgress?.({ progress: 2, total: 3, message: undefined })
            options?.onProgress?.({ progress: 3, total: 3, message: "done" })
            return textResult("end")
          })
      })
    )
    const updates: Array<ToolUpdate> = []
    await provider.tools()[0]!.execute("id", {}, undefined, (update) => updates.push(update))
    assert.deepStrictEqual(
      updates.map(({ content }) => content),
      ["1", "2 of 3", "done"].map((text) => [{ type: "text" as const, text }])
    )
    assert.deepStrictEqual(updates[1]?.details, { progress: { progress: 2, total: 3, message: undefined } })
    await provider.close()
  })

  for (const [how, onUpdate] of [
    ["throws", () => assert.fail("a listener")],
    ["rejects", () => Promise.reject(new Error("a listener"))]
  ] as const) {
    it(`whose listener ${how} continues`, async () => {
      const provider = await open(
        scripted([agentTool("fs", "read")], {
          call: (_name, _args, options) =>
            Effect.sync(() => {
              options?.onProgress?.({ progress: 1, total: 2, message: undefined })
              return textResult("end")
            })
        })
      )
      const result = await provider.tools()[0]!.execute("id", {}, undefined, onUpdate as () => void)
      assert.isFalse(result.isError)
      await provider.close()
    })
  }

  it("is for the owner alone where the program says so, by its name or by server/tool", async () => {
    const tools = ["read", "write", "run"].map((tool) => agentTool("fs", tool))
    const provider = await open(scripted(tools), { ownerOnly: ["fs__write", "fs/r?n"] })
    assert.deepStrictEqual(
      provider.tools().map(({ ownerOnly }) => ownerOnly),
      [false, true, true]
    )
    await provider.close()
  })

  it("is for the owner alone where its server calls it destructive, and says what the server says", async () => {
    const write = agentTool("fs", "write", { annotations: { destructiveHint: true } })
    const read = agentTool("fs", "read", { annotations: { readOnlyHint: true, destructiveHint: false } })
    const call = { ...agentTool("mcp", "call_tool"), name: "mcp_call_tool" }
    const runtime = scripted([read, write])
    const provider = await open(runtime)
    assert.deepStrictEqual(
      provider.tools().map(({ annotations, ownerOnly }) => [annotations, ownerOnly]),
      [
        [{ readOnlyHint: true, destructiveHint: false }, false],
        [{ destructiveHint: true }, true]
      ]
    )
    await provider.close()
    // The tool by which it can be called is the owner's, too, though it is not listed itself.
    const searching = await open(scripted([call], { allTools: Effect.succeed([read, write]) }))
    assert.isTrue(searching.tools()[0]!.ownerOnly)
    await searching.close()
  })

  it("cannot escape that by the spelling of its name, nor by the tool that calls all others", async () => {
    const hashed = { ...agentTool("fs", "write"), name: "fs__write_0123abcd" }
    const tools = [agentTool("fs", "read"), hashed, { ...agentTool("mcp", "call_tool"), name: "mcp_call_tool" }]
    const owned = async (ownerOnly: ReadonlyArray<string>) => {
      const provider = await open(scripted(tools), { ownerOnly })
      const flags = provider.tools().map((tool) => tool.ownerOnly)
      await provider.close()
      return flags
    }
    assert.deepStrictEqual(await owned(["FS__Write"]), [false, true, true])
    assert.deepStrictEqual(await owned(["Fs/READ"]), [true, false, true])
    assert.deepStrictEqual(await owned([]), [false, false, false])
  })
})

describe("a list that changes", () => {
  const [read, write] = [agentTool("fs", "read"), agentTool("fs", "write")]
  const search = agentTool("web", "search")

  it("is followed by tools(), by the registry, and then told of, once for each server that it is about", async () => {
    const runtime = scripted([read, search])
    const registry = notebook()
    const { heard, onToolsChanged } = ear()
    const seen: Array<string> = []
    const provider = await open(
      runtime,
      { onToolsChanged: (server) => (seen.push(registry.lines.join(" ")), onToolsChanged(server)) },
      registry
    )
    assert.deepStrictEqual(registry.lines, ["+fs__read", "+web__search"])
    registry.lines.length = 0

    runtime.offer([{ ...read, description: "Another one" }, write])
    assert.deepStrictEqual((await heard(2)).toSorted(), ["fs", "web"])
    assert.deepStrictEqual(registry.lines, ["-fs__read", "-web__search", "+fs__read", "+fs__write"])
    assert.strictEqual(seen[0], registry.lines.join(" "), "the registry is there before it is told of")
    assert.deepStrictEqual(
      provider.tools().map(({ description, name }) => [name, description]),
      [
        ["fs__read", "Another one"],
        ["fs__write", "The tool write"]
      ]
    )
    assert.deepStrictEqual([...registry.tools.values()], [...provider.tools()])
    await provider.close()
  })

  it("keeps unchanged tools: the same objects, not registered or announced again", async () => {
    const runtime = scripted([read, search])
    const registry = notebook()
    const { heard, onToolsChanged } = ear()
    const provider = await open(runtime, { onToolsChanged }, registry)
    const [before] = provider.tools()
    runtime.offer([structuredClone(read)])
    assert.deepStrictEqual(await heard(1), ["web"])
    assert.strictEqual(provider.tools()[0], before)
    assert.deepStrictEqual(registry.lines, ["+fs__read", "+web__search", "-web__search"])
    await provider.close()
  })

  it("is not told of for what was there at the start", async () => {
    const runtime = scripted([read])
    const { heard, onToolsChanged } = ear()
    const provider = await open(runtime, { onToolsChanged })
    runtime.offer([read])
    runtime.offer([read, search])
    assert.deepStrictEqual(await heard(1), ["web"])
    await provider.close()
  })

  it("has been followed when a refresh resolves", async () => {
    const runtime = scripted([read], { refresh: Effect.sync(() => void (runtime.state.tools = [read, write])) })
    const registry = notebook()
    const told: Array<string> = []
    const provider = await open(runtime, { onToolsChanged: (server) => told.push(server) }, registry)
    await provider.refresh()
    assert.lengthOf(provider.tools(), 2)
    assert.deepStrictEqual(registry.lines, ["+fs__read", "+fs__write"])
    assert.deepStrictEqual(told, ["fs"])
    await provider.close()
  })

  it("of a registry that fails is followed to its end, and each failure is a line in the log", async () => {
    const log: Array<LogRecord> = []
    const lines: Array<string> = []
    const provider = await open(
      scripted([read, write, search]),
      { onLog: (record) => log.push(record) },
      {
        register: ({ name }) => {
          if (name === "fs__read") throw new Error("it is there already")
          if (name === "fs__write") return Promise.reject(new Error("it is read-only"))
          return lines.push(name)
        }
      }
    )
    assert.deepStrictEqual(lines, ["web__search"])
    assert.deepStrictEqual(
      log.filter(({ level }) => level === "warn").map(({ message }) => message),
      ["registering fs__read failed: it is there already", "registering fs__write failed: it is read-only"]
    )
    await provider.close()
  })

  it("continues after a listener that fails", async () => {
    const runtime = scripted([read])
    const { heard, onToolsChanged } = ear()
    const log: Array<LogRecord> = []
    const provider = await open(runtime, {
      onLog: (record) => log.push(record),
      onToolsChanged: (server) => {
        onToolsChanged(server)
        throw new Error("a listener")
      }
    })
    runtime.offer([])
    assert.deepStrictEqual(await heard(1), ["fs"])
    runtime.offer([search])
    assert.deepStrictEqual(await heard(1), ["web"])
    assert.deepInclude(log, { level: "warn", server: "fs", message: "onToolsChanged failed: a listener" })
    await provider.close()
  })

  it("is followed without waiting for who is told of it", async () => {
    const runtime = scripted([read])
    const { heard, onToolsChanged } = ear()
    const forever = new Promise(() => {})
    const provider = await open(runtime, { onToolsChanged: (server) => (onToolsChanged(server), forever) })
    runtime.offer([])
    await heard(1)
    runtime.offer([read])
    assert.deepStrictEqual(await heard(1), ["fs"])
    await provider.close()
  })

  it("shows every tool that can be called through allTools, the listed ones as the same objects", async () => {
    const provider = await open(scripted([read], { allTools: Effect.succeed([read, write]) }))
    const all = await provider.allTools()
    assert.deepStrictEqual(
      all.map(({ name }) => name),
      ["fs__read", "fs__write"]
    )
    assert.strictEqual(all[0], provider.tools()[0])
    await provider.close()
  })
})

describe("the start", () => {
  it("waits until every server is connected or has failed", async () => {
    const latch = Promise.withResolvers<void>()
    const runtime = scripted([], {
      ready: Effect.promise(() => latch.promise).pipe(
        Effect.andThen(Effect.sync(() => void (runtime.state.tools = [agentTool("slow", "read")])))
      )
    })
    const opening = open(runtime)
    latch.resolve()
    const provider = await opening
    assert.lengthOf(provider.tools(), 1)
    await provider.close()
  })

  it("waits no longer than it may: what comes later is a change", async () => {
    const runtime = scripted([agentTool("fast", "read")], { ready: Effect.never })
    const { heard, onToolsChanged } = ear()
    const provider = await open(runtime, { waitMs: 1, onToolsChanged })
    assert.lengthOf(provider.tools(), 1)
    runtime.offer([agentTool("fast", "read"), agentTool("slow", "read")])
    assert.deepStrictEqual(await heard(1), ["slow"])
    await provider.close()
  })

  it("with a signal that is aborted already rejects with its reason, and nothing is started", async () => {
    const runtime = scripted([])
    const reason = new Error("not now")
    const error = await open(runtime, { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)
    assert.strictEqual(error, reason)
    assert.strictEqual(runtime.state.built, 0)
  })

  it("that is aborted rejects with the reason when everything is closed again", async () => {
    const began = Promise.withResolvers<void>()
    const runtime = scripted([], {
      ready: Effect.suspend(() => {
        began.resolve()
        return Effect.never
      })
    })
    const abort = new AbortController()
    const opening = open(runtime, { signal: abort.signal }).catch((error: unknown) => error)
    await began.promise
    const reason = new Error("changed my mind")
    abort.abort(reason)
    assert.strictEqual(await opening, reason)
    assert.strictEqual(runtime.state.closed, 1)
  })
})

describe("the start with a registry", () => {
  it("that is aborted in its midst leaves nothing in the registry", async () => {
    const registry = notebook()
    const abort = new AbortController()
    const opening = open(
      scripted([agentTool("fs", "read"), agentTool("fs", "write")]),
      { signal: abort.signal },
      {
        ...registry,
        register: (tool) => {
          registry.register(tool)
          if (tool.name === "fs__write") return (abort.abort(), new Promise(() => {}))
          return undefined
        }
      }
    )
    await opening.catch(() => {})
    assert.lengthOf([...registry.tools], 0)
  })
})

describe("the end", () => {
  it("comes once: everything is released when close resolves, and again it only resolves", async () => {
    const runtime = scripted([agentTool("fs", "read")])
    const provider = await open(runtime)
    await Promise.all([provider.close(), provider.close()])
    assert.strictEqual(runtime.state.closed, 1)
    await provider.close()
    assert.strictEqual(runtime.state.closed, 1)
  })

  it("comes with the scope of `await using`", async () => {
    const runtime = scripted([])
    {
      await using provider = await open(runtime)
      assert.lengthOf(provider.tools(), 0)
    }
    assert.strictEqual(runtime.state.closed, 1)
  })

  it("comes with an abort", async () => {
    const runtime = scripted([])
    const abort = new AbortController()
    await open(runtime, { signal: abort.signal })
    abort.abort()
    await runtime.whenClosed
  })

  it("ends running calls with a result, and later ones before they begin", async () => {
    const { begun, call, state } = hanging()
    const provider = await open(scripted([agentTool("fs", "read")], { call }))
    const [tool] = provider.tools()
    const running = tool!.execute("id", {})
    await begun
    await provider.close()
    assert.strictEqual(state.interrupted, 1)
    const [cut, late] = [await running, await tool!.execute("id", {})]
    for (const result of [cut, late]) assert.strictEqual(tagOf(result), "ServerUnavailable")
    assert.deepStrictEqual([maybeExecuted(cut), maybeExecuted(late)], [true, false])
  })

  it("ends what else is running, and what comes later, with ProviderClosed", async () => {
    const provider = await open(scripted([]))
    const errorOf = (outcome: Promise<unknown>) =>
      outcome.then(
        () => "no error",
        (reason: unknown) => reason
      )
    const running = errorOf(provider.getPrompt("fs__hello"))
    await provider.close()
    const late = [
      provider.allTools(),
      provider.refresh(),
      provider.resources(),
      provider.resourceTemplates(),
      provider.readResource("file:///a"),
      provider.readResource(7 as never),
      provider.resourceContext(),
      provider.prompts(),
      provider.getPrompt("fs__hello"),
      provider.complete({ type: "prompt", name: "fs__hello" }, { name: "a", value: "" }),
      provider.complete(undefined as never, undefined as never)
    ]
    for (const error of [await running, ...(await Promise.all(late.map(errorOf)))]) {
      assert.instanceOf(error, ProviderClosed)
      assert.deepInclude(error, { _tag: "ProviderClosed" })
      assert.include(error.message, "closed")
    }
  })

  it("takes the tools out of the registry, and shows every server as disconnected", async () => {
    const registry = notebook()
    const provider = await open(scripted([agentTool("fs", "read")]), {}, registry)
    assert.strictEqual(provider.statusDetails()["fs"]?.state, "connected")
    await provider.close()
    assert.lengthOf([...registry.tools], 0)
    assert.lengthOf(provider.tools(), 0)
    assert.deepInclude(provider.statusDetails()["fs"], {
      state: "disconnected",
      detail: "it was closed",
      tools: 0,
      pid: null
    })
  })
})

describe("the other methods", () => {
  it("resolve with what the runtime gives", async () => {
    const provider = await open(scripted([]))
    const completion = await provider.complete({ type: "prompt", name: "fs__hello" }, { name: "who", value: "" })
    assert.deepStrictEqual(completion.values, ["a"])
    await provider.close()
  })

  it("reject with the typed errors of the runtime", async () => {
    const provider = await open(scripted([]))
    const error = await provider.readResource("file:///x").catch((error: unknown) => error)
    assert.instanceOf(error, ResourceNotFound)
    assert.instanceOf(error, Error)
    await provider.close()
  })
})

describe("the state of a server", () => {
  const cause = { ...status, lastError: "it exited with code 1" }
  const states: ReadonlyArray<readonly [ServerState["_tag"], MCPServerStatus["state"], string | null]> = [
    ["Ready", "connected", null],
    ["Connecting", "connecting", "it exited with code 1"],
    ["Backoff", "error", "it exited with code 1 (it will be tried again)"],
    ["Failed", "error", "it exited with code 1 (given up)"],
    ["Idle", "disconnected", "it is started when it is needed"],
    ["Disabled", "disconnected", "it is disabled"],
    ["Closed", "disconnected", "it was closed"]
  ]
  for (const [state, shown, detail] of states) {
    it(`${state} is ${shown}`, () => {
      assert.deepInclude(toStatus({ ...cause, state }), { state: shown, detail })
    })
  }

  it("Ready says for how long its calls are refused", () => {
    assert.deepInclude(toStatus({ ...cause, state: "Ready", circuit: { retryInMs: 12_000 } }), {
      state: "connected",
      detail: "its calls failed several times in a row, so it is left alone; it may be called again in 12 s"
    })
  })
})

describe("the log", () => {
  const talking = () =>
    scripted([], {
      ready: Effect.logInfo("[fs] ready: 2 tools").pipe(
        Effect.andThen(Effect.logWarning("something", { n: 1 })),
        Effect.andThen(Effect.logDebug("a detail"))
      )
    })

  it("has a level, a text, and the server that it is about", async () => {
    const log: Array<LogRecord> = []
    const provider = await open(talking(), { onLog: (record) => log.push(record) })
    assert.deepStrictEqual(log, [
      { level: "info", message: "ready: 2 tools", server: "fs" },
      { level: "warn", message: "something  { n: 1 }" }
    ])
    await provider.close()
  })

  it("is printed nowhere by default", async () => {
    const spies = [
      vi.spyOn(process.stdout, "write"),
      vi.spyOn(process.stderr, "write"),
      vi.spyOn(console, "log"),
      vi.spyOn(console, "warn"),
      vi.spyOn(console, "error")
    ]
    try {
      const provider = await open(talking())
      await provider.close()
      for (const spy of spies) assert.lengthOf(spy.mock.calls, 0)
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })

  it("has a listener that may fail", async () => {
    const provider = await open(talking(), { onLog: () => assert.fail("a listener") })
    await provider.close()
  })
})
