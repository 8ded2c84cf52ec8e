/** The page of a gateway with a configuration of its own, written as a person wrote it. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { configFile, start } from "../e2e/program.ts"
import { go, launched, visit } from "./browser.ts"
import { ADDRESS } from "./gateway.ts"

/** Whatever the page shows, nothing goes wrong in it. */
export const opened = Effect.fnUntraced(function* (
  config: unknown,
  { env: own = {}, readOnly = false }: { readonly env?: Record<string, string>; readonly readOnly?: boolean } = {}
) {
  const file = yield* configFile(config)
  const env = { MCP_LIVE_HOME: join(dirname(file), "data"), DISPLAY: "", WAYLAND_DISPLAY: "", ...own }
  const gateway = yield* start(["start", readOnly ? "--ui=read-only" : "--ui", "--config", file], { env })
  const [address] = yield* gateway.until(ADDRESS)
  const browser = yield* launched
  const { faults, page } = yield* Effect.promise(() => visit(browser, address))
  yield* Effect.addFinalizer(() => Effect.sync(() => assert.deepStrictEqual(faults, [])))
  return {
    page,
    file,
    gateway,
    /** As it is on the disk. */
    text: () => readFileSync(file, "utf8"),
    write: (text: string) => writeFileSync(file, text),
    view: (view: string, title: string) => go(page, view, title)
  }
})
