/** A gateway as a person starts it, and its page in a real browser. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { configFile, start } from "../e2e/program.ts"

const CHROMIUM = process.env["MCP_LIVE_TEST_BROWSER"] ?? "/usr/bin/chromium"
const PATIENT_MS = 30_000

/** A page for the Scope. It breaks no rule of its content security policy and throws nothing, whatever it shows. */
const browserPage: Effect.Effect<Page, never, Scope.Scope> = Effect.gen(function* () {
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] })),
    (running) => Effect.promise(() => running.close())
  )
  const errors: Array<string> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => assert.isEmpty(errors)))
  const page = yield* Effect.promise(() => browser.newPage({ viewport: { width: 1280, height: 900 } }))
  page.setDefaultTimeout(PATIENT_MS)
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text())
  })
  return page
})

/** The page of a gateway with this configuration. */
export const opened = Effect.fnUntraced(function* (
  config: unknown,
  { readOnly = false }: { readonly readOnly?: boolean } = {}
) {
  const file = yield* configFile(config)
  const env = { MCP_LIVE_HOME: join(dirname(file), "data"), DISPLAY: "", WAYLAND_DISPLAY: "" }
  const gateway = yield* start(["start", readOnly ? "--ui=read-only" : "--ui", "--config", file], { env })
  const [address] = yield* gateway.until(/http:\/\/127\.0\.0\.1:\d+\/\S+/)
  const page = yield* browserPage
  yield* Effect.promise(() => page.goto(address))
  return {
    page,
    file,
    gateway,
    /** As it is on the disk. */
    text: () => readFileSync(file, "utf8"),
    write: (text: string) => writeFileSync(file, text),
    /** Goes to a view by its address. */
    view: async (hash: string, heading: string) => {
      await page.evaluate((to) => {
        location.hash = to
      }, hash)
      await page.getByRole("heading", { level: 1, name: heading }).waitFor()
    }
  }
})
