/** The page for people with a keyboard, with a screen reader, on a small screen, in light and in dark. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { fileURLToPath } from "node:url"
import { hindrancesInBoth } from "./axe.ts"
import { filled, go, launched, missing, visit, VIEWS } from "./browser.ts"
import { configured, everything } from "./gateway.ts"

const LONG = "a-server-with-the-longest-name-that-a-configuration-lets-it-have"
const hostile = {
  command: process.execPath,
  args: [fileURLToPath(new URL("hostileServer.ts", import.meta.url))]
}

const opened = Effect.gen(function* () {
  const { command, config, started } = yield* configured({
    servers: { everything, broken: { command: "/nonexistent/server" } }
  })
  const { address } = yield* started()
  yield* command("call", "everything/echo", "message=hello")
  return { address, browser: yield* launched, config }
})

describe.skipIf(missing !== undefined)("every view", () => {
  it.live("has nothing that axe finds serious, in light and in dark", () =>
    Effect.gen(function* () {
      const { address, browser } = yield* opened
      yield* Effect.promise(async () => {
        const { faults, page } = await visit(browser, address)
        await page.getByText("ready").first().waitFor()
        const found: Array<string> = []
        const look = async (where: string) => found.push(...(await hindrancesInBoth(page, where)))
        for (const [view, title] of VIEWS) {
          await go(page, view, title)
          await filled(page)
          await look(view)
        }
        await go(page, "server/everything", "everything")
        await filled(page)
        await look("a server")
        await go(page, "calls", "Calls")
        await page.locator(".table-row").first().click()
        await page.getByRole("rowheader", { name: "dispatch everything" }).waitFor()
        await look("a call")
        await go(page, "tools/mcp_everything_get-structured-content", "Tools")
        const call = page.getByRole("button", { name: "Call", exact: true })
        await call.click()
        await page.getByText("The tool was not called.").waitFor()
        await look("a form with a mistake")
        await page.getByLabel(/^location/).selectOption({ label: "Chicago" })
        await call.click()
        await page.getByText(/^Done after/).waitFor()
        await look("a result")
        await go(page, "configuration", "Configuration")
        for (const form of ["Add a server…", "Import…"]) {
          await page.getByRole("button", { name: form }).click()
          await filled(page)
          await look(form)
        }
        assert.deepStrictEqual(found, [])
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )

  it.live("is reached and left with the keyboard alone", () =>
    Effect.gen(function* () {
      const { address, browser } = yield* opened
      yield* Effect.promise(async () => {
        const { page } = await visit(browser, address)
        const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
        await page.keyboard.press("Tab")
        assert.strictEqual(await focused(), "Skip to the view")
        await page.keyboard.press("Enter")
        await page.waitForFunction(() => document.activeElement?.textContent?.trim() === "Overview")
        for (const [key, title] of Object.entries({
          s: "Server",
          t: "Tools",
          c: "Calls",
          q: "Questions",
          p: "Pins",
          x: "Context",
          f: "Configuration",
          o: "Overview"
        })) {
          await page.keyboard.press("g")
          await page.keyboard.press(key)
          await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor()
          await page.waitForFunction((words) => document.activeElement?.textContent === words, title)
          // Every stop of the Tab key can be seen, and none holds the focus.
          for (let stop = 0; stop < 12; stop++) {
            await page.keyboard.press("Tab")
            const outline = await page.evaluate(() => {
              const { activeElement } = document
              return activeElement === null || activeElement === document.body
                ? "page"
                : getComputedStyle(activeElement).outlineStyle
            })
            assert.notStrictEqual(outline, "none", `${title}, stop ${stop}`)
          }
          // A field may hold the focus now, where letters are written.
          await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
        }
        await page.keyboard.press("?")
        await page.getByRole("dialog", { name: "Keys" }).waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" })
      })
    }).pipe(Effect.scoped)
  )

  it.live("has the focus at once, so that it is taken from nobody who has begun to write", () =>
    Effect.gen(function* () {
      const { address, browser } = yield* opened
      yield* Effect.promise(async () => {
        const { page } = await visit(browser, address)
        // The view that the page begins with takes the focus from nothing.
        await page.locator("#view-title").waitFor()
        await page.evaluate(() => {
          const found: Array<string> = []
          const first = document.getElementById("view-title")?.innerText
          const look = () => {
            const title = document.getElementById("view-title")
            if (title === null || title.innerText === first || found.includes(title.innerText)) return
            found.push(title === document.activeElement ? title.innerText : `${title.innerText} without the focus`)
          }
          new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
          Object.assign(globalThis, { found })
        })
        for (const [view, title] of VIEWS.slice(1)) await go(page, view, title)
        assert.deepStrictEqual(
          // oxlint-disable-next-line typescript/no-explicit-any
          await page.evaluate(() => (globalThis as any).found),
          VIEWS.slice(1).map(([, title]) => title)
        )
      })
    }).pipe(Effect.scoped)
  )

  it.live("opens a call of the list with the keyboard, and leads back to it", () =>
    Effect.gen(function* () {
      const { address, browser } = yield* opened
      yield* Effect.promise(async () => {
        const { page } = await visit(browser, address)
        await go(page, "calls", "Calls")
        await page.locator(".table-row").first().waitFor()
        const grid = page.getByRole("grid")
        await grid.focus()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.getByRole("complementary", { name: "The call that is open" }).waitFor()
        await page.getByRole("rowheader", { name: "dispatch everything" }).waitFor()
        assert.match(page.url(), /call=/)
        await page.keyboard.press("Escape")
        await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "grid")
      })
    }).pipe(Effect.scoped)
  )

  it.live("fits a screen of 320 pixels, however long what it shows is", () =>
    Effect.gen(function* () {
      const servers = { everything, hostile, [LONG]: { command: "/nonexistent/server" } }
      const { command, started } = yield* configured({ servers })
      const { address } = yield* started()
      yield* command("call", "everything/echo", "message=hello")
      const browser = yield* launched
      const { page } = yield* Effect.promise(() => visit(browser, address, { viewport: { width: 320, height: 640 } }))
      const asks = ["hostile/ask", "everything/trigger-elicitation-request"]
      const asking = yield* Effect.forkChild(
        Effect.forEach(asks, (tool) => command("call", tool), { concurrency: 2, discard: true })
      )
      const articles = page.getByRole("article")
      const fits = async (what: string) =>
        assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 320, what)
      yield* Effect.promise(async () => {
        await go(page, "questions", "Questions")
        await articles.filter({ hasText: "hostile asks you" }).waitFor()
        const form = articles.filter({ hasText: "everything asks you" })
        await form.waitFor()
        await fits("questions")
        const views = [
          ...VIEWS,
          ...[LONG, "hostile", "everything"].map((server) => [`server/${server}`, server] as const),
          ...["hostile_media", "everything_get-structured-content"].map(
            (tool) => [`tools/mcp_${tool}`, "Tools"] as const
          )
        ]
        for (const [view, title] of views) {
          await go(page, view, title)
          await filled(page)
          await fits(view)
        }
        await go(page, "calls", "Calls")
        await page.locator(".table-row").first().click()
        await page.getByRole("complementary", { name: "The call that is open" }).waitFor()
        await fits("a call")
        await go(page, "questions", "Questions")
        for (const asks of ["hostile asks you", "everything asks you"]) {
          const question = articles.filter({ hasText: asks })
          await question.getByRole("button", { name: "No", exact: true }).click()
          await question.waitFor({ state: "detached" })
        }
      })
      yield* Fiber.join(asking)
    }).pipe(Effect.scoped)
  )
})
