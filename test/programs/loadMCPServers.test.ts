import { assert, describe, it } from "@effect/vitest"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"

const rejection = (...args: ReadonlyArray<unknown>): Promise<unknown> =>
  // What no compiler has checked.
  (loadMCPServers as (...args: ReadonlyArray<unknown>) => Promise<unknown>)(...args).catch((error: unknown) => error)

describe("loadMCPServers, called in a way that a compiler would not let pass", () => {
  it("with options in the place of the registry, says so", async () => {
    const error = await rejection({ servers: {} }, { onLog: () => {} })
    assert.instanceOf(error, TypeError)
    assert.include((error as Error).message, "options are the third")
  })

  for (const list of ["allow", "deny", "ask", "ownerOnly"]) {
    it(`with a policy.${list} that is not a list of names, throws`, async () => {
      for (const value of ["fs/*", [/fs/], { 0: "fs/*" }]) {
        const error = await rejection({ servers: {} }, undefined, { policy: { [list]: value } })
        assert.instanceOf(error, TypeError)
        assert.include((error as Error).message, `options.policy.${list} must be a list of strings`)
      }
    })
  }

  it("with approvers who can be nobody, throws", async () => {
    for (const approvers of ["ada", [], [""], ["groups:leads"], [7]]) {
      const error = await rejection({ servers: {} }, undefined, { policy: { ask: ["fs/*"], approvers } })
      assert.instanceOf(error, TypeError)
      assert.include((error as Error).message, "options.policy.approvers must be a list of names")
    }
  })

  it("with options that are no object, says so", async () => {
    for (const options of [null, "x", []]) {
      const error = await rejection({ servers: {} }, undefined, options)
      assert.instanceOf(error, TypeError)
      assert.include((error as Error).message, "options must be an object")
    }
  })

  for (const [options, problem] of [
    [{ onlog: () => {} }, 'options.onlog is unknown, did you mean "onLog"?'],
    [{ timeout: 5 }, "options.timeout is unknown; there are onToolsChanged, signal, waitMs"],
    [{ policy: { denny: [] } }, 'options.policy.denny is unknown, did you mean "deny"?'],
    [{ policy: { asks: [] } }, 'options.policy.asks is unknown, did you mean "ask"?'],
    [{ onApproval: true }, "options.onApproval must be a function, is true"],
    [{ policy: ["fs/*"] }, "options.policy must be an object, is a list"],
    [{ naming: "libary" }, 'options.naming must be one of "library", "gateway", "session", is "libary"'],
    [{ separator: ".." }, 'options.separator must be one of "__", "_", "--", "-", ":", "/", ".", is ".."'],
    [{ runtimeTools: "yes" }, 'options.runtimeTools must be true or false, is "yes"'],
    [{ naming: "session", separator: "-" }, "options.naming and options.separator both say how tools are named"],
    [{ waitMs: "5" }, 'options.waitMs must be a number of milliseconds, 0 or more, is "5"'],
    [{ waitMs: -1 }, "options.waitMs must be a number of milliseconds, 0 or more, is -1"],
    [{ waitMs: Number.NaN }, "options.waitMs must be a number of milliseconds, 0 or more, is NaN"],
    [{ signal: new AbortController() }, "options.signal must be an AbortSignal, is an object"],
    [{ agent: 7 }, "options.agent must be a string, is a number"],
    [{ dataDirectory: "" }, "options.dataDirectory must be a string, is empty"],
    [{ workspaceDir: "/nowhere/at-all" }, 'options.workspaceDir must be a directory that exists, is "/nowhere/at-all"'],
    [{ workspaceDir: import.meta.filename }, "options.workspaceDir must be a directory that exists, is"],
    [{ workspaceDir: "a\0b" }, "options.workspaceDir must be a directory that exists, is"],
    [{ workspaceDir: 7 }, "options.workspaceDir must be a directory that exists, is a number"],
    ...["onToolsChanged", "onSamplingRequest", "onElicitationRequest", "onLog"].map(
      (name) => [{ [name]: "x" }, `options.${name} must be a function, is a string`] as const
    )
  ] as const) {
    it(`says: ${problem}`, async () => {
      const error = await rejection({ servers: {} }, undefined, options)
      assert.instanceOf(error, TypeError)
      assert.include((error as Error).message, `loadMCPServers: ${problem}`)
    })
  }

  it("with no configuration at all, says what one must be", async () => {
    assert.include(String(await rejection()), "must be an object at the top, is undefined")
  })

  it("with a signal that is aborted already, rejects with its reason whatever the configuration", async () => {
    const reason = new Error("not now")
    assert.strictEqual(await rejection({}, undefined, { signal: AbortSignal.abort(reason) }), reason)
  })
})

describe("loadMCPServers", () => {
  it("of no servers gives no tools of servers, and can be closed", async () => {
    const provider = await loadMCPServers({ servers: {} })
    assert.deepStrictEqual(provider.status(), {})
    assert.deepStrictEqual(
      provider.tools().filter(({ name }) => name.startsWith("fs")),
      []
    )
    await provider.close()
  })

  it("takes options that are undefined as left out", async () => {
    const provider = await loadMCPServers({ servers: {} }, undefined, {
      onLog: undefined,
      policy: { allow: undefined! },
      signal: new AbortController().signal,
      workspaceDir: import.meta.dirname
    })
    await provider.close()
  })

  it("of an agent that there is not rejects with its name", async () => {
    assert.include(String(await rejection({ servers: {} }, undefined, { agent: "nobody" })), "nobody")
  })
})
