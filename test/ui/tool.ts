/** The page of a tool, with its form and its result. */
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { inFixtures } from "../fixtures/servers.ts"
import { launched, visit } from "./browser.ts"
import { configured, lookingOnly } from "./gateway.ts"

export const node = (file: string, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [inFixtures(file), ...args]
})

/** The page of a tool, by its address. */
export const toolOf = (page: Page, name: string) => async () => {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#/tools/${name}`)
  await page.getByRole("heading", { level: 2, name }).waitFor()
}

/** A gateway with servers, and its page. */
export const openedWith = Effect.fnUntraced(function* (servers: Record<string, unknown>, mayChange = true) {
  const made = yield* configured({ servers })
  const { address: whole } = yield* made.started()
  const address = mayChange ? whole : yield* lookingOnly(made)
  const browser = yield* launched
  const visited = yield* Effect.promise(() => visit(browser, address))
  return { ...made, ...visited }
})

export const call = (page: Page) => page.getByRole("button", { name: "Call", exact: true })
export const result = (page: Page) => page.locator(".result")
