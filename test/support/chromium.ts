/** A real Chromium. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { chromium, type Browser, type Page } from "playwright-core"

const PLACES = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

/** Why there is no browser to test with; `undefined` if there is one. */
export const missing: string | undefined = PLACES.some((place) => existsSync(place))
  ? undefined
  : "these tests need Chromium (`apt install chromium`), or its path in CHROMIUM"

if (missing !== undefined) console.warn(missing)

/** Where is written what ran in pages, if that is counted (`npm run test:coverage`). */
const coverage = process.env["MCP_LIVE_COVERAGE"]

/** Of a page that has not been loaded yet: counts what runs in it. */
export const counted = async (page: Page): Promise<void> => {
  if (coverage !== undefined) await page.coverage.startJSCoverage({ resetOnNavigation: false })
}

const countedIn = async (browser: Browser): Promise<void> => {
  if (coverage === undefined) return
  mkdirSync(coverage, { recursive: true })
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const result = await page.coverage.stopJSCoverage().catch(() => [])
    writeFileSync(join(coverage, `page-${randomUUID()}.json`), JSON.stringify({ result }))
  }
}

/** For the Scope. The sandbox of Chromium does not work for root, and in many containers. */
export const launchedWith = (...args: ReadonlyArray<string>): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({ executablePath: PLACES.find((place) => existsSync(place))!, args: ["--no-sandbox", ...args] })
    ),
    (browser) => Effect.promise(() => countedIn(browser).then(() => browser.close()))
  )

export const launched = launchedWith()
