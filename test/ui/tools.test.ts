/** The view Tools: a tool is found, with the reason why it is there or not, and called by the form that its schema makes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, watch, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { focused, launched, missing, visit } from "./browser.ts"
import { configured, everything } from "./gateway.ts"
import { call, node, openedWith, result, toolOf } from "./tool.ts"

const written = (file: string): Promise<void> =>
  new Promise((resolve) => {
    const watcher = watch(dirname(file), () => {
      if (!existsSync(file)) return
      watcher.close()
      resolve()
    })
    if (existsSync(file)) {
      watcher.close()
      resolve()
    }
  })

describe.skipIf(missing !== undefined)("a tool on the page", () => {
  it.live("is found by a search, with its reason, and called by its form with the keyboard alone", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* openedWith({ every: everything })
      yield* Effect.promise(async () => {
        await page.evaluate(() => {
          location.hash = "#/tools"
        })
        await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor()
        await page.getByText("mcp_every_get-sum").or(page.getByText("mcp_every_get_sum")).first().waitFor()
        await page.keyboard.press("/")
        await page.keyboard.type("sum every")
        const table = page.getByRole("grid", { name: "Tools" })
        await page.getByText(/^1 of \d+ tools/).waitFor()
        await page.waitForFunction(() => location.hash.includes("text=sum+every"))
        await table.focus()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.getByText("The agent gets this tool in its list.").waitFor()
        await focused(page, "sum")
        await page.getByLabel(/^a number/).focus()
        await page.keyboard.type("2x")
        await page.keyboard.press("Enter")
        // Nothing is called before the form is right; the first field that is wrong has the focus.
        await page.getByText("The tool was not called.").waitFor()
        const first = page.getByLabel(/^a number/)
        assert.strictEqual(await first.getAttribute("aria-invalid"), "true")
        const [error = ""] = /\S+-error/.exec((await first.getAttribute("aria-describedby")) ?? "") ?? []
        assert.strictEqual(
          await page.evaluate((id) => document.getElementById(id)?.textContent, error),
          "This must be a number."
        )
        await page.waitForFunction((input) => input === document.activeElement, await first.elementHandle())
        await page.getByRole("alert").getByRole("button", { name: "b" }).click()
        await page.waitForFunction(() => document.activeElement?.tagName === "INPUT")
        await page.keyboard.type("40")
        await first.fill("2")
        await page.keyboard.press("Enter")
        await result(page).getByText("The sum of 2 and 40 is 42.").waitFor()
        await page
          .getByRole("status")
          .getByText(/^Done after/)
          .waitFor()
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )

  it.live("is not there for an agent that may not use it, and the page says why", () =>
    Effect.gen(function* () {
      const made = yield* configured()
      const agents = {
        defaults: { mcp: { servers: { media: node("media.ts") } } },
        list: [
          { id: "main", default: true },
          { id: "helper", tools: { deny: ["media/hang"] } }
        ]
      }
      writeFileSync(made.config, JSON.stringify({ agents }))
      const { address } = yield* made.started()
      const browser = yield* launched
      const { page } = yield* Effect.promise(() => visit(browser, address))
      yield* Effect.promise(async () => {
        await toolOf(page, "mcp_media_hang")()
        await page.getByText("The agent gets this tool in its list.").waitFor()
        await page.getByRole("combobox", { name: "Agent" }).selectOption("helper")
        await page.getByText(/deny/).first().waitFor()
        await page.getByRole("row").filter({ hasText: "mcp_media_hang" }).getByText("denied").waitFor()
        assert.include(page.url(), "agent=helper")
        assert.strictEqual(await call(page).count(), 0)
      })
    }).pipe(Effect.scoped)
  )

  it.live("shows progress, and is cancelled", () =>
    Effect.gen(function* () {
      const folder = (yield* configured()).folder
      const file = join(folder, "cancelled")
      const { faults, page } = yield* openedWith({ media: node("media.ts", `--cancelled=${file}`) })
      yield* Effect.promise(async () => {
        await toolOf(page, "mcp_media_hang")()
        await call(page).click()
        await page.getByText("1 of 2 half way").waitFor()
        const bar = page.getByRole("progressbar", { name: "Progress of the call" })
        assert.strictEqual(await bar.getAttribute("value"), "1")
        const heard = written(file)
        await page.getByRole("button", { name: "Cancel" }).click()
        await page.getByText("Cancelled. The tool may have done its work.").waitFor()
        await heard
        assert.isTrue(await call(page).isEnabled())
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )

  it.live("asks in place whether it may be called", () =>
    Effect.gen(function* () {
      const { faults, folder, page } = yield* openedWith({})
      const path = join(folder, "new.txt")
      yield* Effect.promise(async () => {
        await toolOf(page, "mcp_files_write_file")()
        await page.getByLabel(/^path/).fill(path)
        await page.getByLabel(/^content/).fill("<b>two\nlines</b>")
        await call(page).click()
        const question = page.getByRole("region", { name: "May this call be made?" })
        await question.getByText(JSON.stringify("<b>two\nlines</b>")).waitFor()
        await focused(page, "May this call be made?")
        assert.isFalse(existsSync(path))
        await question.getByRole("button", { name: "No", exact: true }).click()
        await page.getByText(/^The tool failed after/).waitFor()
        assert.isFalse(existsSync(path))
        await call(page).click()
        await question.getByRole("button", { name: "Yes, this call" }).click()
        await page.getByText(/^Done after/).waitFor()
        assert.isTrue(existsSync(path))
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )

  it.live("cannot be called from a page that may only look", () =>
    Effect.gen(function* () {
      const { page } = yield* openedWith({}, false)
      yield* Effect.promise(async () => {
        await toolOf(page, "mcp_files_write_file")()
        await page.getByText("This page may only look: it can call no tool.").waitFor()
        assert.strictEqual(await call(page).count(), 0)
        assert.strictEqual(await page.locator("form").count(), 0)
      })
    }).pipe(Effect.scoped)
  )
})
