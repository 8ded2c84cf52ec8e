/** A gateway that goes and comes back under an open page. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { shell } from "../fixtures/servers.ts"
import { go, launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"
import { opened } from "./opened.ts"

interface Sent {
  readonly id?: string
  readonly tag?: string
}

describe.skipIf(missing !== undefined)("a page whose gateway ends", () => {
  it.live("says so, keeps what it knew, and goes on by itself with the gateway that is started next", () =>
    Effect.gen(function* () {
      const { started } = yield* configured()
      const { address, running } = yield* started()
      const browser = yield* launched
      const { faults, page } = yield* Effect.promise(() => visit(browser, address))
      const card = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "memory", exact: true }) })
      yield* Effect.promise(() => card.getByText("ready").waitFor())
      const [before = ""] =
        /process \d+/.exec(
          yield* Effect.promise(() =>
            card
              .getByText(/process \d+/)
              .first()
              .innerText()
          )
        ) ?? []
      assert.notStrictEqual(before, "")
      running.signal("SIGTERM")
      yield* running.exited
      const lost = page.getByText("The gateway does not answer.")
      yield* Effect.promise(() => lost.waitFor())
      assert.isTrue(yield* Effect.promise(() => card.isVisible()))
      const next = yield* started()
      yield* Effect.promise(() => lost.waitFor({ state: "detached" }))
      yield* Effect.promise(() => page.getByText(`process ${next.running.pid}`).waitFor())
      // Until then, it shows what it knew.
      yield* Effect.promise(() => card.filter({ hasText: before }).waitFor({ state: "detached" }))
      yield* Effect.promise(() => card.getByText("ready").waitFor())
      assert.deepStrictEqual(faults, [])
    }).pipe(Effect.scoped)
  )

  it.live("draws its charts when the gateway is back, if it could not load what draws them", () =>
    Effect.gen(function* () {
      const { started } = yield* configured()
      const { address, running } = yield* started()
      const browser = yield* launched
      const { faults, page } = yield* Effect.promise(() => visit(browser, address))
      yield* Effect.promise(async () => {
        await page.route(/uPlot/, (route) => route.abort())
        const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("uPlot"))
        await page.reload()
        await failed
      })
      running.signal("SIGTERM")
      yield* running.exited
      yield* Effect.promise(() => page.unroute(/uPlot/))
      yield* started()
      yield* Effect.promise(() => page.locator(".chart canvas").first().waitFor())
      assert.deepStrictEqual(
        faults.filter((fault) => fault.startsWith("error:")),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("says so when it hangs, and of a call under way that the tool may have done its work", () =>
    Effect.gen(function* () {
      const { gateway, page } = yield* opened({ mcp: { servers: { one: shell() } } })
      yield* gateway.until(/one .*Ready/)
      yield* Effect.promise(async () => {
        await go(page, "tools/mcp_one_sh", "Tools")
        await page.getByRole("button", { name: "As JSON" }).click()
        await page.getByRole("textbox", { name: /^Arguments/ }).fill(JSON.stringify({ script: "sleep 600" }))
        await page.getByRole("button", { name: "Call", exact: true }).click()
        await page.getByRole("button", { name: "Cancel", exact: true }).waitFor()
      })
      gateway.signal("SIGSTOP")
      yield* Effect.addFinalizer(() => Effect.sync(() => gateway.signal("SIGCONT")))
      yield* Effect.promise(async () => {
        await page.getByText("The gateway does not answer.").waitFor()
        await page.getByText("The tool may have done its work.").waitFor()
      })
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(missing !== undefined)("a page that cannot follow the events of its gateway", () => {
  it.live("says so though the gateway answers, and no longer when it can", () =>
    Effect.gen(function* () {
      const { address } = yield* (yield* configured()).started()
      const browser = yield* launched
      const { page } = yield* Effect.promise(() => visit(browser, address))
      yield* Effect.promise(async () => {
        let isOld = true
        const exit = { _tag: "Failure", cause: [{ _tag: "Die", defect: "unknown request" }] }
        await page.routeWebSocket(/control/, (socket) => {
          const gateway = socket.connectToServer()
          socket.onMessage((said) => {
            const asked = ([] as ReadonlyArray<Sent>).concat(JSON.parse(String(said)))
            const events = asked.find(({ tag }) => tag === "Events")
            if (isOld && events !== undefined) socket.send(JSON.stringify({ _tag: "Exit", requestId: events.id, exit }))
            else gateway.send(said)
          })
        })
        await page.reload()
        const told = page.getByText("What happens at the gateway cannot be followed")
        await told.waitFor()
        isOld = false
        await told.waitFor({ state: "detached" })
      })
    }).pipe(Effect.scoped)
  )
})
