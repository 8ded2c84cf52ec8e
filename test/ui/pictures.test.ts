/**
 * What each view looks like, in light and in dark, with real servers. With `MCP_LIVE_PICTURES` set to a folder, the pictures are written there, for
 * the docs (`npm run pictures`).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { go, launched, missing, visit, VIEWS } from "./browser.ts"
import { configured, everything } from "./gateway.ts"

const FOLDER = process.env["MCP_LIVE_PICTURES"]
const NAME = "mcp_files_write_file"

/** Puts the pictures where they belong, if somewhere. */
const keep = (name: string, picture: Buffer): void => {
  if (FOLDER === undefined) return
  const folder = fileURLToPath(new URL(`../../${FOLDER}`, import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.png`), picture)
}

/** What each view shows before its picture is taken. */
const BEFORE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: async (page) => {
    await page.locator(".chart canvas").last().waitFor()
    await page
      .getByText(/[1-9]\d* in the hour/)
      .first()
      .waitFor()
  },
  calls: async (page) => {
    await page.getByRole("row").nth(1).waitFor()
    await page.getByRole("row", { name: "get-sum" }).first().click()
    await page.getByRole("rowheader", { name: "dispatch" }).waitFor()
  },
  questions: (page) => page.getByRole("article").waitFor(),
  server: async (page) => {
    await page.evaluate(() => {
      location.hash = "#/server/everything"
    })
    await page.getByRole("heading", { level: 1 }).waitFor()
  }
}

describe.skipIf(missing !== undefined)("pictures", () => {
  it.live("of each view, in light and in dark", () =>
    Effect.gen(function* () {
      const { command, folder, started } = yield* configured({
        servers: { everything, search: { command: "/usr/bin/search-server" } }
      })
      const { address } = yield* started()
      const browser = yield* launched
      const { page } = yield* Effect.promise(() => visit(browser, address, { viewport: { width: 1280, height: 800 } }))
      yield* Effect.promise(() => page.getByText("ready").first().waitFor())
      yield* Effect.forEach(
        [
          ["everything/echo", "message=hello"],
          ["everything/get-sum", "a=2", "b=3"],
          ["files/list_directory", `path=${folder}`],
          ["files/read_text_file", `path=${join(folder, "none.txt")}`],
          ["memory/read_graph"]
        ],
        (args) => command("call", ...args)
      )
      yield* Effect.forkChild(command("call", NAME, `path=${join(folder, "notes.md")}`, "content=# Notes"))
      yield* Effect.promise(async () => {
        for (const scheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: scheme })
          for (const [view, title] of VIEWS) {
            await go(page, view, title)
            await BEFORE[view]?.(page)
            await page.waitForLoadState("networkidle")
            const picture = await page.screenshot()
            assert.isAbove(picture.length, 5_000, view)
            keep(scheme === "light" ? view : `${view}-dark`, picture)
          }
        }
      })
    }).pipe(Effect.scoped)
  )
})
