import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { MCPToolProvider } from "../../../src/programs/loadMCPServers/provider.ts"
import { openProvider } from "../../../src/programs/loadMCPServers/provider.ts"
import { InvalidArguments } from "../../../src/schemas/call/CallError.ts"
import { scripted } from "./runtime.ts"

/** What reaches the runtime of the arguments that a program gives, or what it is refused with. */
const outcomeOf = async (ask: (provider: MCPToolProvider) => Promise<unknown>) => {
  const reached: Array<ReadonlyArray<unknown>> = []
  const note =
    <A>(result: A) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        reached.push(args)
        return result
      })
  const runtime = scripted([], {
    complete: note({ values: [], total: undefined, hasMore: false }),
    getPrompt: note({ server: "fs", prompt: "p", description: undefined, messages: [], findings: [], notes: [] }),
    readResource: note({ uri: "a:b", server: "fs", pieces: [], content: [], findings: [], notes: [] } as never)
  })
  const provider = await openProvider(runtime.layer, undefined, { ownerOnly: [] })
  const error: unknown = await ask(provider).then(
    () => undefined,
    (reason: unknown) => reason
  )
  await provider.close()
  return { error, reached }
}

const assertRefused = ({ error, reached }: Awaited<ReturnType<typeof outcomeOf>>, words: string) => {
  assert.instanceOf(error, InvalidArguments)
  assert.include(error.message, words)
  assert.lengthOf(reached, 0)
}

/** What no compiler has checked. */
const any = (value: unknown) => value as never

describe("complete", () => {
  const argument = { name: "path", value: "sr" }
  const prompt = { type: "prompt", name: "fs__p" }
  const template = { type: "resource", uriTemplate: "file:///{path}", server: undefined }

  for (const [ref, expected] of [
    [{ type: "prompt", name: "fs__p" }, prompt],
    [{ type: "ref/prompt", name: "fs__p" }, prompt],
    [{ type: "resource", uriTemplate: "file:///{path}" }, template],
    [
      { type: "resource", uriTemplate: "file:///{path}", server: "fs" },
      { ...template, server: "fs" }
    ],
    [{ type: "ref/resource", uri: "file:///{path}" }, template],
    [
      { type: "ref/resource", uri: "file:///{path}", server: "fs" },
      { ...template, server: "fs" }
    ]
  ] as const) {
    it(`takes ${JSON.stringify(ref)}`, async () => {
      const { error, reached } = await outcomeOf((provider) => provider.complete(ref, argument))
      assert.isUndefined(error)
      assert.deepStrictEqual(reached, [[expected, { ...argument, others: undefined }]])
    })
  }

  it("takes an argument without a value as one of which nothing has been typed", async () => {
    const others = { a: "b" }
    const { reached } = await outcomeOf((provider) =>
      provider.complete({ type: "prompt", name: "fs__p" }, { name: "path", others })
    )
    assert.deepStrictEqual(reached, [[prompt, { name: "path", value: "", others }]])
  })

  for (const ref of [
    undefined,
    null,
    "fs__p",
    7,
    [],
    {},
    { name: "fs__p" },
    { type: "prompt" },
    { type: "ref/prompt", name: 7 },
    { type: "resource", uri: "file:///{path}" },
    { type: "ref/resource", uriTemplate: "file:///{path}" },
    { type: "resource", uriTemplate: null },
    { type: "ref/resource", uri: "file:///{path}", server: 7 },
    { type: "tool", name: "fs__p" }
  ]) {
    it(`refuses ${JSON.stringify(ref)} as what is completed, and says what it must be`, async () => {
      const outcome = await outcomeOf((provider) => provider.complete(any(ref), argument))
      assertRefused(outcome, '{ type: "prompt", name } or { type: "resource", uriTemplate, server? }')
      assertRefused(outcome, '{ type: "ref/prompt", name } and { type: "ref/resource", uri }')
    })
  }

  for (const given of [
    undefined,
    null,
    "path",
    [],
    {},
    { name: 7, value: "a" },
    { name: "path", value: 7 },
    { name: "path", value: null },
    { name: "path", value: "a", others: "b" },
    { name: "path", value: "a", others: null },
    { name: "path", value: "a", others: { b: 7 } }
  ]) {
    it(`refuses ${JSON.stringify(given)} as its argument, and says what it must be`, async () => {
      const outcome = await outcomeOf((provider) => provider.complete({ type: "prompt", name: "fs__p" }, any(given)))
      assertRefused(outcome, "{ name, value?, others? }")
    })
  }
})

describe("readResource", () => {
  it("takes a URI, and a server or none", async () => {
    for (const server of [undefined, null, "fs"]) {
      const { error, reached } = await outcomeOf((provider) => provider.readResource("a:b", any(server)))
      assert.isUndefined(error)
      assert.deepStrictEqual(reached, [["a:b", server ?? undefined]])
    }
  })

  for (const uri of [undefined, null, 7, {}, ["a:b"]]) {
    it(`refuses ${JSON.stringify(uri)} as the URI`, async () => {
      assertRefused(await outcomeOf((provider) => provider.readResource(any(uri))), "the URI is not a text")
    })
  }

  it("refuses a server that is not a text", async () => {
    assertRefused(await outcomeOf((provider) => provider.readResource("a:b", any(7))), "the server is not a text")
  })
})

describe("getPrompt", () => {
  it("takes a name, and an object of texts or nothing", async () => {
    for (const args of [undefined, null, {}, { a: "b" }]) {
      const { error, reached } = await outcomeOf((provider) => provider.getPrompt("fs__p", any(args)))
      assert.isUndefined(error)
      assert.deepStrictEqual(reached, [["fs__p", args ?? undefined]])
    }
  })

  it("refuses a name that is not a text", async () => {
    for (const name of [undefined, null, 7, {}]) {
      assertRefused(await outcomeOf((provider) => provider.getPrompt(any(name))), "the name is not a text")
    }
  })

  for (const args of ["a", 7, true, ["a"]]) {
    it(`refuses ${JSON.stringify(args)} as the arguments`, async () => {
      const { error } = await outcomeOf((provider) => provider.getPrompt("fs__p", any(args)))
      assert.strictEqual(
        (error as Error).message,
        "'getPrompt' was called with unusable arguments: the arguments are not an object"
      )
    })
  }

  for (const args of [{ a: 7 }, { a: null }, { a: "b", c: {} }]) {
    it(`refuses ${JSON.stringify(args)} as the arguments: not all of them are texts`, async () => {
      assertRefused(
        await outcomeOf((provider) => provider.getPrompt("fs__p", any(args))),
        "the arguments are not an object of texts"
      )
    })
  }
})
