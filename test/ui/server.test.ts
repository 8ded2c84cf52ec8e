/** The view Server: what a server writes, its life, and what a person does with it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { oauthServer } from "../fixtures/oauthServer.ts"
import { shell } from "../fixtures/servers.ts"
import { missing } from "./browser.ts"
import { opened } from "./opened.ts"

const CONFIG = { mcp: { servers: { one: shell() } } }
const log = (page: Page) => page.getByRole("log")
const isNow = (page: Page, state: string) =>
  page
    .getByRole("region", { name: "State" })
    .getByText(new RegExp(`${state}$`))
    .waitFor()

/** The gateway with one server, and its view. */
const watching = Effect.fnUntraced(function* (options: { readonly readOnly?: boolean } = {}) {
  const all = yield* opened(CONFIG, options)
  yield* all.gateway.until(/one .*Ready/)
  yield* Effect.promise(() => all.view("server/one", "one"))
  yield* Effect.promise(() => isNow(all.page, "ready"))
  /** The server writes a line to its stderr. */
  const writes = (line: string) =>
    all.gateway.type(`/call one/start ${JSON.stringify({ script: `printf '%s\\n' '${line}' >&2; echo done` })}`)
  return { ...all, writes }
})

describe.skipIf(missing !== undefined || process.platform === "win32")("a server on the page", () => {
  it.live("is followed by its log, in which a hostile line is text", () =>
    Effect.gen(function* () {
      const { page, writes } = yield* watching()
      const hostile = `<img src=x onerror="window.hit=1"><script>window.hit=2</script>`
      yield* Effect.promise(async () => {
        writes("all is well")
        await log(page).getByText("all is well").waitFor()
        writes(hostile)
        await log(page).getByText(hostile, { exact: true }).waitFor()
        assert.strictEqual(await log(page).locator("img, script").count(), 0)
        assert.isUndefined(await page.evaluate(() => Reflect.get(window, "hit")))
      })
    }).pipe(Effect.scoped)
  )

  it.live("is filtered and searched in its log, also in the lines that come", () =>
    Effect.gen(function* () {
      const { page, writes } = yield* watching()
      yield* Effect.promise(async () => {
        writes("first apple")
        writes("first pear")
        await log(page).getByText("first pear").waitFor()
        await page.getByRole("searchbox", { name: /With/ }).fill("APPLE")
        await log(page).getByText("first pear").waitFor({ state: "detached" })
        assert.strictEqual(await log(page).locator("mark").first().innerText(), "apple")
        writes("second pear")
        writes("second apple")
        await log(page).getByText("second").first().waitFor()
        assert.notInclude(await log(page).innerText(), "pear")
        await page.getByRole("combobox", { name: /From/ }).selectOption("gateway")
        await page.getByText("No such line.").waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.live("is stopped and started, and its life says so", () =>
    Effect.gen(function* () {
      const { page } = yield* watching()
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Stop", exact: true }).click()
        await isNow(page, "failed")
        await page.getByRole("button", { name: "Start", exact: true }).click()
        await isNow(page, "ready")
        const life = page.getByRole("region", { name: "Life" })
        await life.getByText("failed", { exact: true }).waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.live("is started over, and is another process then", () =>
    Effect.gen(function* () {
      const { page } = yield* watching()
      yield* Effect.promise(async () => {
        const pid = await page.getByRole("cell", { name: /^\d+$/ }).first().innerText()
        await page.getByRole("button", { name: "Start over", exact: true }).click()
        await page.getByRole("cell", { name: pid, exact: true }).waitFor({ state: "detached" })
        await page.getByRole("cell", { name: /^\d+$/ }).first().waitFor()
        await isNow(page, "ready")
      })
    }).pipe(Effect.scoped)
  )

  it.live("is not stopped while a call is under way before a person has agreed", () =>
    Effect.gen(function* () {
      const { gateway, page } = yield* watching()
      gateway.type(`/call one/sh ${JSON.stringify({ script: "sleep 60" })}`)
      yield* Effect.promise(async () => {
        await page.getByText("1 under way").waitFor()
        await page.getByRole("button", { name: "Stop", exact: true }).click()
        const dialog = page.getByRole("dialog", { name: "Stop the server?" })
        await dialog.getByText(/One call is under way/).waitFor()
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "detached" })
        await isNow(page, "ready")
        await page.getByRole("button", { name: "Stop", exact: true }).click()
        await dialog.getByRole("button", { name: "Stop" }).click()
        await isNow(page, "failed")
      })
    }).pipe(Effect.scoped)
  )

  it.live("shows its processes with memory", () =>
    Effect.gen(function* () {
      const { page } = yield* watching()
      yield* Effect.promise(() => page.getByRole("cell", { name: /MiB/ }).first().waitFor())
    }).pipe(Effect.scoped)
  )

  it.live("that never started is found by its state, and nothing is said of it that nobody knows", () =>
    Effect.gen(function* () {
      const broken = { command: "/nonexistent/server" }
      const { gateway, page, view } = yield* opened({ mcp: { servers: { one: shell(), broken } } })
      yield* gateway.until(/broken .*Failed/)
      yield* Effect.promise(async () => {
        await view("server", "Server")
        await page
          .getByRole("listitem")
          .filter({ hasText: /^one\s*●\s*ready$/ })
          .waitFor()
        const item = page.getByRole("listitem").filter({ hasText: /^broken\s*■\s*failed$/ })
        await item.getByRole("link", { name: "broken" }).click()
        await page.getByText("It has no process on this machine.").waitFor()
        for (const name of ["Instructions", "Capabilities"]) {
          await page.getByRole("region", { name }).getByText("Unknown until it has been connected.").waitFor()
        }
      })
    }).pipe(Effect.scoped)
  )

  it.live("cannot be changed on a page that only shows", () =>
    Effect.gen(function* () {
      const { page } = yield* watching({ readOnly: true })
      yield* Effect.promise(async () => {
        for (const name of ["Start over", "Start", "Stop", "Log in…"]) {
          assert.strictEqual(await page.getByRole("button", { name, exact: true }).count(), 0, name)
        }
      })
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(missing !== undefined || process.platform === "win32")("a server that wants a login", () => {
  it.live("shows the address of the login in full, and is ready when the person has logged in", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const { page, view } = yield* opened({ mcp: { servers: { tickets: { url: fixture.url, auth: "oauth" } } } })
      yield* Effect.promise(async () => {
        await view("server/tickets", "tickets")
        await page.getByRole("button", { name: "Log in…" }).click()
        const dialog = page.getByRole("dialog", { name: "Log in at tickets" })
        const link = dialog.getByRole("link")
        const address = await link.innerText()
        assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/authorize\?/)
        assert.strictEqual(await link.getAttribute("href"), address)
        assert.strictEqual(await link.getAttribute("rel"), "noopener noreferrer")
        // The person logs in: the browser is led back to the gateway.
        await fetch(await fixture.redirect(address))
        await dialog.getByText(/You are logged in/).waitFor()
        await dialog.getByRole("button", { name: "Close" }).click()
        await isNow(page, "ready")
      })
    }).pipe(Effect.scoped)
  )
})
