/** A real Chromium. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import { chromium, type Browser } from "playwright-core"

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

/** For the Scope. The sandbox of Chromium does not work for root, and in many containers. */
export const launchedWith = (...args: ReadonlyArray<string>): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({ executablePath: PLACES.find((place) => existsSync(place))!, args: ["--no-sandbox", ...args] })
    ),
    (browser) => Effect.promise(() => browser.close())
  )

export const launched = launchedWith()
