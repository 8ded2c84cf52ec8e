/** A server that is against the person at the page: whatever it says is text there, and nothing of it runs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { hasTerminals, onTerminalWith } from "../e2e/terminal.ts"
import { filled, go, launched, missing, visit, VIEWS } from "./browser.ts"
import { ADDRESS, configured } from "./gateway.ts"

const SERVER = { command: process.execPath, args: [fileURLToPath(new URL("hostileServer.ts", import.meta.url))] }

/** What a page has after it took markup of a server for its own. */
const traces = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => [
    ...("pwned" in globalThis ? ["a script ran"] : []),
    ...[
      ...document.querySelectorAll(
        "#page script, #page iframe, #page object, #page embed, img[src='x'], [onerror], [onload]"
      )
    ].map(({ outerHTML }) => outerHTML),
    ...[...document.querySelectorAll("a[href]")]
      .map((link) => (link as HTMLAnchorElement).href)
      .filter((href) => !/^https?:/.test(href)),
    ...[...document.querySelectorAll("img")]
      .map((image) => image.src)
      .filter((address) => !/^(?:data:image\/(?:png|jpeg|gif|webp)|blob:)/.test(address))
  ])

describe.skipIf(missing !== undefined || !hasTerminals)("a hostile server", () => {
  it.live("has its texts shown as text in every view, and runs nothing", () =>
    Effect.gen(function* () {
      // A gateway on a terminal lets servers ask the person there, and so on the page.
      const { command, config, env } = yield* configured({ servers: { hostile: SERVER } })
      const terminal = yield* onTerminalWith(env, "start", "--ui", "--config", config)
      yield* terminal.until(ADDRESS)
      const [address] = ADDRESS.exec(terminal.shown()) ?? [""]
      const browser = yield* launched
      const { faults, page } = yield* Effect.promise(() => visit(browser, address))
      yield* Effect.promise(() => page.getByRole("link", { name: "hostile", exact: true }).waitFor())
      yield* command("call", "hostile/media", "text=<b>")
      const asking = yield* Effect.forkChild(command("call", "hostile/ask", "text=b"))
      yield* Effect.promise(async () => {
        await go(page, "questions", "Questions")
        const question = page.getByRole("article", { name: "hostile asks you" })
        await question.waitFor()
        assert.include(await question.innerText(), "<img src=x onerror=")
        assert.deepStrictEqual(await traces(page), [])
        await question.getByRole("button", { name: "No", exact: true }).click()
      })
      yield* Fiber.join(asking)
      yield* Effect.promise(async () => {
        for (const [view, title] of [...VIEWS, ["server/hostile", "hostile"] as const]) {
          await go(page, view, title)
          await filled(page)
          assert.deepStrictEqual(await traces(page), [], title)
        }
        await go(page, "calls", "Calls")
        await page.locator(".table-row").first().click()
        await page.getByRole("complementary", { name: "The call that is open" }).waitFor()
        assert.deepStrictEqual(await traces(page), [])
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )
})
