/** The view Context: what a model reads, exactly. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { shell } from "../fixtures/servers.ts"
import { missing } from "./browser.ts"
import { opened } from "./opened.ts"

describe.skipIf(missing !== undefined || process.platform === "win32")("the context on the page", () => {
  it.live("is the tool list as it is sent, with tokens, and the boundaries around what servers said", () =>
    Effect.gen(function* () {
      const { gateway, page, view } = yield* opened({ mcp: { servers: { one: shell() } } })
      yield* gateway.until(/one .*Ready/)
      yield* Effect.promise(async () => {
        await view("context", "Context")
        const tool = page.getByRole("listitem").filter({ hasText: "mcp_one_echo" })
        await tool.getByText(/\d+ tokens/).waitFor()
        await tool.locator("summary").click()
        await tool.getByRole("group", { name: /The parameters of mcp_one_echo/ }).waitFor()
        await page.getByRole("searchbox", { name: /With/ }).fill("nothing like this")
        await page.getByText(/^0 of \d+ tools$/).waitFor()
        assert.strictEqual(await tool.count(), 0)
      })
    }).pipe(Effect.scoped)
  )

  it.live("shows the chosen agent, which the address names", () =>
    Effect.gen(function* () {
      const agents = {
        defaults: { mcp: { servers: { one: shell() } } },
        list: [
          { id: "main", default: true },
          { id: "helper", tools: { deny: ["one/sh"] } }
        ]
      }
      const { gateway, page, view } = yield* opened({ agents })
      yield* gateway.until(/one .*Ready/)
      yield* Effect.promise(async () => {
        await view("context", "Context")
        await page.getByText("mcp_one_sh", { exact: true }).waitFor()
        await page.getByRole("combobox", { name: /Agent/ }).selectOption("helper")
        await page.getByText("mcp_one_sh", { exact: true }).waitFor({ state: "detached" })
        await page.getByText("mcp_one_echo", { exact: true }).waitFor()
        assert.include(page.url(), "#/context?agent=helper")
      })
    }).pipe(Effect.scoped)
  )
})
