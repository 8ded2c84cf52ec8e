/** The view Calls: calls as they come, filters that an address keeps, and the sums over time. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { userInfo } from "node:os"
import { shell } from "../fixtures/servers.ts"
import { go, launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

describe.skipIf(missing !== undefined || process.platform === "win32")("calls on the page", () => {
  it.live(
    "come by themselves, are filtered by an address that can be shared, and are summed by tool and by server",
    () =>
      Effect.gen(function* () {
        const { command, started } = yield* configured({ servers: { one: shell() } })
        const { address } = yield* started()
        const browser = yield* launched
        const { faults, page } = yield* Effect.promise(() => visit(browser, address))
        const rows = page.locator(".table-row")
        const sums = page.getByRole("region", { name: "Over time" })
        yield* Effect.promise(async () => {
          await go(page, "calls", "Calls")
          await page.getByText("No record matches.").waitFor()
        })
        yield* command("call", "one/echo", "text=hello")
        yield* Effect.promise(async () => {
          await rows
            .filter({ hasText: "echo" })
            .filter({ hasText: "{text: string(5)}" })
            .filter({ hasText: "ok" })
            .waitFor()
          await rows.filter({ hasText: "operator" }).waitFor()
        })
        yield* command("call", "memory/read_graph")
        yield* Effect.promise(async () => {
          await rows.filter({ hasText: "read_graph" }).waitFor()
          await page.getByRole("combobox", { name: "Server" }).selectOption("one")
          await rows.filter({ hasText: "read_graph" }).waitFor({ state: "detached" })
          await page
            .getByRole("textbox", { name: "Text" })
            .or(page.getByRole("searchbox", { name: "Text" }))
            .fill("ECHO")
          await rows.filter({ hasText: "echo" }).waitFor()
          await page.waitForFunction(() => location.hash === "#/calls?server=one&text=ECHO")
          const other = await page.context().newPage()
          await other.goto(page.url())
          await other.locator(".table-row").filter({ hasText: "echo" }).waitFor()
          assert.strictEqual(await other.locator(".table-row").count(), 1)
          await other.close()
          // Commands are calls of the user of the operating system.
          await rows.filter({ hasText: "echo" }).filter({ hasText: userInfo().username }).waitFor()
          const person = page.getByRole("searchbox", { name: "Person" })
          await person.fill("somebody else")
          await page.getByText("No record matches.").waitFor()
          await person.fill(userInfo().username)
          await rows.filter({ hasText: "echo" }).waitFor()
          await sums.getByRole("row").filter({ hasText: "read_graph memory" }).waitFor()
          await sums.getByRole("button", { name: "by server" }).click()
          await sums.getByRole("rowheader", { name: "memory", exact: true }).waitFor()
          assert.strictEqual(await sums.getByRole("rowheader", { name: /read_graph/ }).count(), 0)
          assert.deepStrictEqual(faults, [])
        })
      }).pipe(Effect.scoped)
  )
})
