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

  for (const list of ["allow", "deny", "ownerOnly"]) {
    it(`with a policy.${list} that is no list of names, says so: it would not hold`, async () => {
      for (const value of ["fs/*", [/fs/], { 0: "fs/*" }]) {
        const error = await rejection({ servers: {} }, undefined, { policy: { [list]: value } })
        assert.instanceOf(error, TypeError)
        assert.include((error as Error).message, `options.policy.${list} must be a list of strings`)
      }
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

  it("of an agent that there is not rejects with its name", async () => {
    assert.include(String(await rejection({ servers: {} }, undefined, { agent: "nobody" })), "nobody")
  })
})
