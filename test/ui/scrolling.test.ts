/** Long lists. The figures are printed; what a machine under load must not decide is not asserted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { asLines, auditCall } from "../support/auditRecords.ts"
import { go, launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

const CALLS = 10_000
/** Enough for a screen of any height, with some above and below. */
const ROWS_MAX = 80

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
        /** Scrolls by so many pixels for each frame; how long the frames took, and how many rows there were at most. */
        const scrolled = (pixels: number) =>
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
        const all: Array<number> = []
        for (const [pixels, how] of [
          [120, "as with a wheel"],
          [2_500, "from end to end"]
        ] as const) {
          const { frames, rows } = await scrolled(pixels)
          const at = (share: number) => frames[Math.floor((frames.length - 1) * share)]!.toFixed(1)
          console.log(`a frame of ${CALLS} calls, scrolled ${how}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
          all.push(rows)
        }
        const rows = Math.max(...all)
        assert.isAtMost(rows, ROWS_MAX)
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )
})
