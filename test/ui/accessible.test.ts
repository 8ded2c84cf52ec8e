/** The page for people with a keyboard, with a screen reader, on a small screen, in light and in dark. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { filled, go, launched, missing, visit, VIEWS } from "./browser.ts"
import { configured, everything } from "./gateway.ts"

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** What hinders people, in words; what is only minor is left out. */
const hindrances = async (page: Page, view: string): Promise<ReadonlyArray<string>> => {
  const violations = (await page.evaluate(
    // oxlint-disable-next-line typescript/no-explicit-any
    async () => (await (globalThis as any).axe.run()).violations
  )) as ReadonlyArray<Violation>
  return violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ failureSummary, html }) => `${view}: ${id}: ${html}: ${failureSummary}`))
}

/** By way of the debugger: the content security policy allows no other script. */
const withAxe = async (page: Page): Promise<void> => {
  const { readFileSync } = await import("node:fs")
  await page.evaluate(readFileSync(AXE, "utf8"))
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
        await withAxe(page)
        await page.getByText("ready").first().waitFor()
        const found: Array<string> = []
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          for (const [view, title] of VIEWS) {
            await go(page, view, title)
            await filled(page)
            found.push(...(await hindrances(page, `${view}, ${colorScheme}`)))
          }
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
        assert.strictEqual(await focused(), "Overview")
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
        await page.evaluate(() => {
          const found: Array<string> = []
          const look = () => {
            const title = document.getElementById("view-title")
            if (title === null || found.includes(title.innerText)) return
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

  it.live("fits a screen of 320 pixels", () =>
    Effect.gen(function* () {
      const { address, browser } = yield* opened
      yield* Effect.promise(async () => {
        const { page } = await visit(browser, address, { viewport: { width: 320, height: 640 } })
        await page.getByText("ready").first().waitFor()
        for (const [view, title] of VIEWS) {
          await go(page, view, title)
          await filled(page)
          assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 320, view)
        }
      })
    }).pipe(Effect.scoped)
  )
})
