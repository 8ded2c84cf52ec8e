/** The page as it is built, and how soon it is there. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

const PAGE = fileURLToPath(new URL("../../dist/page", import.meta.url))
const MAX_BYTES = 250_000

const { now: parts } = JSON.parse(readFileSync(join(PAGE, "parts.json"), "utf8")) as { now: ReadonlyArray<string> }
const index = readFileSync(join(PAGE, "index.html"), "utf8")

describe("the page that was built", () => {
  it("takes at most 250 kB, compressed", () => {
    const files = [...parts.map((name) => readFileSync(join(PAGE, name))), Buffer.from(index)]
    assert.isAtMost(
      files.reduce((sum, file) => sum + gzipSync(file).length, 0),
      MAX_BYTES
    )
  })

  it("has files whose names change with what is in them, and their licences", () => {
    for (const name of parts) assert.match(name, /^assets\/[\w.-]+-[\w-]{8}\.(?:js|css|svg)$/)
    assert.include(readFileSync(join(PAGE, "LICENSES.txt"), "utf8"), "preact")
    assert.include(readdirSync(PAGE), "index.html")
  })

  it("has nothing inline, names no other place, and makes no code of texts", () => {
    assert.notMatch(index, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?:/i)
    const scripts = parts.filter((name) => name.endsWith(".js")).map((name) => readFileSync(join(PAGE, name), "utf8"))
    for (const script of scripts)
      assert.notMatch(script, /\beval\(|new Function\(|\b(?:from|import)\s*\(?\s*["'`]node:/)
  })
})

describe.skipIf(missing !== undefined)("the page of a gateway", () => {
  it.live("is drawn soon, and loads nothing that its address does not have", () =>
    Effect.gen(function* () {
      const { started } = yield* configured()
      const { address } = yield* started()
      const browser = yield* launched
      yield* Effect.promise(async () => {
        const { faults, page } = await visit(browser, address)
        await page.reload()
        await page.locator("h1").waitFor()
        const painted = await page.evaluate(
          () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN
        )
        console.log(`the first picture of the page after ${painted.toFixed(0)} ms`)
        assert.isFalse(Number.isNaN(painted))
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )
})
