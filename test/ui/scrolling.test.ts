/** Long lists. The figures are printed; what a machine under load must not decide is not asserted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { asLines, auditCall } from "../support/auditRecords.ts"
import type { Locator } from "playwright-core"
import { fileURLToPath } from "node:url"
import { filled, go, launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

const CALLS = 10_000
const TOOLS = 500
/** Enough for a screen of any height, with some above and below. */
const ROWS_MAX = 80

/** Scrolls by so many pixels for each frame; how long the frames took, and how many rows there were at most. */
const scrolled = (grid: Locator, pixels: number) =>
  grid.evaluate(async (box, step) => {
    const taken: Array<number> = []
    let most = 0
    box.scrollTop = 0
    await new Promise((resolve) => requestAnimationFrame(resolve))
    let last = performance.now()
    for (let frame = 0; frame < 120; frame++) {
      box.scrollTop += step
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const now = performance.now()
      taken.push(now - last)
      last = now
      most = Math.max(most, box.querySelectorAll("[role=row]").length)
    }
    return { frames: taken.toSorted((a, b) => a - b), rows: most }
  }, pixels)

const scrolledEnough = async (grid: Locator, what: string) => {
  for (const [pixels, how] of [
    [120, "as with a wheel"],
    [2_500, "from end to end"]
  ] as const) {
    const { frames, rows } = await scrolled(grid, pixels)
    const at = (share: number) => frames[Math.floor((frames.length - 1) * share)]!.toFixed(1)
    console.log(`a frame of ${what}, scrolled ${how}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
    assert.isAtMost(rows, ROWS_MAX)
  }
}

describe.skipIf(missing !== undefined)("ten thousand calls", () => {
  it.live("can be scrolled from end to end, with only those in sight in the document", () =>
    Effect.gen(function* () {
      const { home, started } = yield* configured({ gateway: { audit: { enabled: true } } })
      const audit = join(home, "audit")
      mkdirSync(audit, { recursive: true })
      const records = Array.from({ length: CALLS }, (_, second) => auditCall(second, { callId: `call-${second}` }))
      writeFileSync(join(audit, "audit.jsonl"), asLines(records))
      const { address } = yield* started()
      const browser = yield* launched
      yield* Effect.promise(async () => {
        const { faults, page } = await visit(browser, address)
        await go(page, "calls", "Calls")
        const grid = page.getByRole("grid")
        await grid.locator(".table-row").first().waitFor()
        await page.waitForFunction(
          ([wanted]) => {
            const box = document.querySelector(".table")!
            box.scrollTop = box.scrollHeight
            return Number(box.getAttribute("aria-rowcount")) > wanted!
          },
          [CALLS],
          { timeout: 120_000 }
        )
        await scrolledEnough(grid, `${CALLS} calls`)
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(missing !== undefined)("five hundred tools", () => {
  it.live("can be scrolled and searched, in the list and as the model reads them", () =>
    Effect.gen(function* () {
      const many = {
        command: process.execPath,
        args: [fileURLToPath(new URL("manyTools.ts", import.meta.url)), String(TOOLS)]
      }
      const { started } = yield* configured({ servers: { many } })
      const { address } = yield* started()
      const browser = yield* launched
      yield* Effect.promise(async () => {
        const { faults, page } = await visit(browser, address)
        await go(page, "tools", "Tools")
        await page.getByRole("gridcell", { name: "mcp_many_tool_0", exact: true }).waitFor()
        await scrolledEnough(page.getByRole("grid", { name: "Tools" }), `${TOOLS} tools`)
        await page.getByRole("searchbox", { name: "Search" }).fill("tool_499")
        await page.getByText(/^1 of \d+ tools/).waitFor()
        await page.getByRole("gridcell", { name: "mcp_many_tool_499", exact: true }).waitFor()
        await go(page, "context", "Context")
        await filled(page)
        await page.getByRole("searchbox", { name: /With/ }).fill("tool_499")
        await page.getByText(/^[01] of \d+ tools$/).waitFor()
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )
})
