/** The page for people in a real browser: two people beside each other, an approver, and the operator. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { run } from "../e2e/program.ts"
import { counted } from "../support/chromium.ts"
import { pauses } from "../support/pause.ts"
import { peopleGateway } from "../support/peoplePage.ts"
import { tlsProxy } from "../support/tlsProxy.ts"
import { hindrancesInBoth } from "./axe.ts"
import { go, launched, launchedWith, missing, visit } from "./browser.ts"
import { ADDRESS } from "./gateway.ts"

type Gateway = Effect.Success<ReturnType<typeof peopleGateway>>

/** Opens the page and logs in, with a browser of their own. */
const visiting = (browser: Browser, gateway: Gateway, name: string) =>
  Effect.promise(async () => {
    gateway.comes(name)
    const context = await browser.newContext({ reducedMotion: "reduce" })
    const page = await context.newPage()
    await counted(page)
    const faults: Array<string> = []
    page.on("pageerror", ({ message }) => faults.push(message))
    await page.goto(gateway.page)
    await page.getByRole("button", { name: /^Log in with / }).click()
    await page.getByText(`${name}@example.com`).first().waitFor()
    return { page, faults }
  })

/** Another host of the domain, which gives these cookies; its port. */
const hostWith = (cookies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const port = yield* Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly server: Server }>((resume) => {
        const server = createServer((_, response) => void response.writeHead(200, { "set-cookie": [...cookies] }).end())
        server.listen(0, "127.0.0.1", () =>
          resume(Effect.succeed({ port: (server.address() as AddressInfo).port, server }))
        )
      }),
      ({ server }) => Effect.sync(() => server.close())
    )
    return yield* tlsProxy(["evil.acme.test"], () => port.port)
  })

const text = (page: Page) => Effect.promise(() => page.locator("body").innerText())

describe.skipIf(missing !== undefined)("the page for people", () => {
  it.live("shows two people beside each other nothing of the other, and the operator all", () =>
    Effect.gen(function* () {
      const gateway = yield* peopleGateway()
      const browser = yield* launched
      const ada = yield* visiting(browser, gateway, "ada")
      const bob = yield* visiting(browser, gateway, "bob")
      const adas = yield* gateway.clientOf("ada")
      const bobs = yield* gateway.clientOf("bob")
      for (const [client, word] of [
        [adas, "mcp_all_echo"],
        [bobs, "mcp_all_get-env"]
      ] as const) {
        yield* Effect.promise(() => client.call(word, { message: "x" })).pipe(
          Effect.repeat({ schedule: pauses, until: (said) => !said.includes("no tool") && !said.includes("Unknown") })
        )
      }
      const rows = (page: Page) => page.locator(".table [role=row], .table tbody tr")
      yield* Effect.promise(() => ada.page.getByText("echo").first().waitFor())
      yield* Effect.promise(() => bob.page.getByText("get-env").first().waitFor())
      assert.isAbove(yield* Effect.promise(() => rows(ada.page).count()), 0)
      assert.notMatch(yield* text(ada.page), /bob@|get-env/)
      assert.notMatch(yield* text(bob.page), /ada@|echo/)
      // The same after a reload, from the audit log.
      yield* Effect.promise(() => ada.page.reload())
      yield* Effect.promise(() => ada.page.getByText("echo").first().waitFor())
      assert.notMatch(yield* text(ada.page), /bob@|get-env/)
      // There is no way to a view of the operator.
      assert.deepStrictEqual(
        yield* Effect.promise(() => ada.page.getByRole("navigation").getByRole("link").allInnerTexts()),
        ["Calls", "Questions", "Account"]
      )
      yield* Effect.promise(() => go(ada.page, "configuration", "Calls"))
      yield* Effect.promise(() => go(ada.page, "account", "Account"))
      yield* Effect.promise(() => ada.page.getByText("all/echo").waitFor())
      assert.notMatch(yield* text(ada.page), /bob@|get-env/)
      assert.deepStrictEqual(yield* Effect.promise(() => hindrancesInBoth(ada.page, "account")), [])

      const { stdout } = yield* run(["ui", "--print", "--config", gateway.file], {
        env: { MCP_LIVE_HOME: gateway.home, DISPLAY: "", WAYLAND_DISPLAY: "" }
      })
      const operator = yield* Effect.promise(() => visit(browser, ADDRESS.exec(stdout)![0]))
      yield* Effect.promise(() => go(operator.page, "calls", "Calls"))
      yield* Effect.promise(() => operator.page.getByText("ada@example.com").first().waitFor())
      yield* Effect.promise(() => operator.page.getByText("bob@example.com").first().waitFor())

      yield* Effect.promise(async () => {
        const other = await ada.page.context().newPage()
        await other.goto(gateway.page)
        await other.getByText("echo").first().waitFor()
        await ada.page.getByRole("button", { name: "Log out" }).click()
        // The other tab shows nothing of hers any more.
        await other.getByText("Your login has ended.").waitFor()
        assert.strictEqual((await other.locator("body").innerText()).trim(), "Your login has ended. Log in again")
        await other.waitForFunction(() => document.title === "mcp-live")
        await ada.page.getByRole("button", { name: /^Log in with / }).waitFor()
      })
      assert.deepStrictEqual([...ada.faults, ...bob.faults], [])
    }).pipe(Effect.scoped)
  )

  it.live("asks an approver there, whose answer lets the call of somebody else go on", () =>
    Effect.gen(function* () {
      const gateway = yield* peopleGateway({ gateway: { tools: { ask: ["all/get-sum"], approvers: ["group:leads"] } } })
      const browser = yield* launched
      const lea = yield* visiting(browser, gateway, "lea")
      yield* Effect.promise(() => go(lea.page, "questions", "Questions"))
      const adas = yield* gateway.clientOf("ada")
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => adas.call("mcp_all_get-sum", { a: 2, b: 3 })).pipe(
          Effect.repeat({ schedule: pauses, until: (said) => said.includes("is 5") })
        )
      )
      const question = lea.page.getByRole("article")
      yield* Effect.promise(() => question.waitFor())
      assert.include(yield* Effect.promise(() => question.innerText()), "ada@example.com")
      yield* Effect.promise(() => question.getByRole("button", { name: "Yes, once" }).click())
      assert.include(yield* Fiber.join(waiting), "is 5")
      yield* Effect.promise(() => lea.page.getByText("Nothing waits for you.").waitFor())
      assert.deepStrictEqual(lea.faults, [])
    }).pipe(Effect.scoped)
  )

  it.live(
    "over https, is that of whoever has logged in there, and of nobody whose login another host of the domain plants",
    () =>
      Effect.gen(function* () {
        const gateway = yield* peopleGateway({ host: "mcp.acme.test" })
        const browser = yield* launchedWith("--host-resolver-rules=MAP *.acme.test 127.0.0.1")
        const fresh = Effect.promise(() => browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: "reduce" }))
        // What an attacker has for a login of their own.
        const [{ name, value }] = yield* Effect.gen(function* () {
          gateway.comes("eve")
          const context = yield* fresh
          return yield* Effect.promise(async () => {
            const page = await context.newPage()
            await page.goto(gateway.page)
            await page.getByRole("button", { name: /^Log in with / }).click()
            await page.getByText("eve@example.com").first().waitFor()
            const found = (await context.cookies()).filter((cookie) => cookie.name.includes("mcp_live_page"))
            assert.lengthOf(found, 1)
            assert.deepInclude(found[0], { domain: "mcp.acme.test", path: "/", secure: true, httpOnly: true })
            return [found[0]!] as const
          })
        })
        assert.match(name, /^__Host-/)
        const planting = [
          `${name}=${value}; Domain=acme.test; Path=/; Secure`,
          `${name}=${value}; Domain=acme.test; Path=/page/; Secure`,
          `${name.toLowerCase()}=${value}; Domain=acme.test; Path=/; Secure`,
          `mcp_live_page=${value}; Domain=acme.test; Path=/page/`,
          `=${name}=${value}; Domain=acme.test; Path=/`
        ]
        const evil = yield* hostWith(planting)
        const victim = yield* fresh
        yield* Effect.promise(async () => {
          const page = await victim.newPage()
          await page.goto(`https://evil.acme.test:${evil}/`)
          // The browser has taken some of them.
          assert.isNotEmpty(await victim.cookies(`https://mcp.acme.test/page/`))
          await page.goto(gateway.page)
          await page.getByRole("button", { name: /^Log in with / }).waitFor()
          assert.notInclude(await page.locator("body").innerText(), "eve@")
          gateway.comes("ada")
          await page.getByRole("button", { name: /^Log in with / }).click()
          await page.getByText("ada@example.com").first().waitFor()
          // Nor is it replaced afterwards.
          await page.goto(`https://evil.acme.test:${evil}/`)
          await page.goto(gateway.page)
          await page.getByText("ada@example.com").first().waitFor()
        })
      }).pipe(Effect.scoped)
  )

  it.live("says that the login has ended when the token expires, and leads to a new one", () =>
    Effect.gen(function* () {
      const gateway = yield* peopleGateway({ tokenS: 20 })
      const browser = yield* launched
      const { page } = yield* visiting(browser, gateway, "ada")
      yield* Effect.promise(async () => {
        await page.getByText("Your login has ended.").waitFor({ timeout: 120_000 })
        await page.getByRole("button", { name: "Log in again" }).click()
        await page.getByRole("button", { name: /^Log in with / }).waitFor()
      })
    }).pipe(Effect.scoped)
  )
})
