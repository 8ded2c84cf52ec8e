/** What a person sees of servers that live and die. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

/** Of a file that its gateway may take away meanwhile, there is nothing left to read. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw error
  }
}

describe.skipIf(missing !== undefined)("the overview", () => {
  it.live("shows each server; when one is killed, its card changes by itself, and comes back", () =>
    Effect.gen(function* () {
      const { started } = yield* configured({ servers: { broken: { command: "/nonexistent/server" } } })
      const { address } = yield* started()
      const browser = yield* launched
      yield* Effect.promise(async () => {
        const { faults, page } = await visit(browser, address)
        const card = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "memory", exact: true }) })
        await card.getByText("ready").waitFor()
        const [, pid = ""] =
          /process (\d+)/.exec(
            await card
              .getByText(/process \d+/)
              .first()
              .innerText()
          ) ?? []
        // Nothing else may be killed.
        assert.match(pid, /^[1-9]\d+$/)
        const restarts = card.locator("dt:text-is('restarts') + dd")
        assert.strictEqual(await restarts.innerText(), "0")
        process.kill(Number(pid), "SIGKILL")
        await card.locator("dt:text-is('restarts') + dd:text-is('1')").waitFor()
        await card.getByText("ready").waitFor()
        assert.notInclude(await card.innerText(), `process ${pid}`)
        await card.getByRole("img", { name: /^Last 1 h 0 min: .*\bready / }).waitFor()
        assert.deepStrictEqual(faults, [])
      })
    }).pipe(Effect.scoped)
  )

  it.live("lets no browser in without the address, or with a used one", () =>
    Effect.gen(function* () {
      const { home, started } = yield* configured()
      const { address } = yield* started()
      const browser = yield* launched
      yield* Effect.promise(async () => {
        const { page } = await visit(browser, address)
        assert.notInclude(page.url(), "token")
        assert.notInclude(await page.evaluate(() => document.cookie), "mcp-live")
        const token = new URL(address).searchParams.get("token")!
        // Nothing that the page can read, and no file, has the token.
        const told = await page.evaluate(() =>
          JSON.stringify([document.referrer, performance.getEntries().map(({ name }) => name), { ...localStorage }])
        )
        assert.notInclude(told, token)
        const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        assert.isNotEmpty(files)
        for (const { name, parentPath } of files) assert.notInclude(textOf(join(parentPath, name)), token, name)
        const other = await (await browser.newContext()).newPage()
        for (const place of [page.url(), address]) {
          const answer = await other.goto(place)
          assert.include([401, 403], answer?.status(), place)
        }
      })
    }).pipe(Effect.scoped)
  )
})
