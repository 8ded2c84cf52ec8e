/** Other pages in the same browser: whatever they try, they reach nothing of the gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { pause } from "../support/pause.ts"
import { launchedWith, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

/** A web server at another port of this machine, and the cookies that browsers sent it. */
const neighbour = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly cookies: Array<string>; readonly close: () => void }>((resume) => {
    const cookies: Array<string> = []
    const server = createServer(({ headers }, response) => {
      if (headers.cookie !== undefined) cookies.push(headers.cookie)
      response.setHeader("content-type", "text/html").end("<!doctype html><title>neighbour</title>")
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, cookies, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** What a page gets of the one at `place`: with its cookies, as far as the browser sends them. */
const tries = (page: Page, place: string) =>
  page.evaluate(async (address) => {
    const asked = (init: RequestInit) =>
      fetch(address, { credentials: "include", ...init }).then(
        (answer) => `answered ${answer.type}`,
        () => "refused"
      )
    const socket = await new Promise<string>((resolve) => {
      const made = new WebSocket(`${address.replace("http", "ws")}control`)
      made.addEventListener("open", () => resolve("open"))
      made.addEventListener("error", () => resolve("refused"))
    })
    const framed = (prepare: (frame: HTMLIFrameElement) => void) =>
      new Promise<string>((resolve) => {
        const frame = document.createElement("iframe")
        frame.name = `frame${document.querySelectorAll("iframe").length}`
        document.body.append(frame)
        // What may not be in a frame is replaced by a page of the browser, which nobody can look into.
        frame.addEventListener("load", () =>
          resolve(frame.contentDocument === null ? "refused" : frame.contentDocument.body.innerText)
        )
        prepare(frame)
      })
    const posted = await framed((frame) => {
      const form = document.createElement("form")
      Object.assign(form, { action: `${address}control`, method: "post", target: frame.name })
      document.body.append(form)
      form.submit()
    })
    return {
      read: await asked({}),
      post: await asked({ method: "POST", body: "{}" }),
      socket,
      framed: await framed((frame) => {
        frame.src = address
      }),
      posted
    }
  }, place)

const NOTHING = { read: "refused", post: "refused", socket: "refused", framed: "refused", posted: "refused" }

describe.skipIf(missing !== undefined)("another page", () => {
  it.live(
    "reaches neither files nor socket, nor posts, nor has the page in a frame: from another site, or another port",
    () =>
      Effect.gen(function* () {
        const { started } = yield* configured()
        const { address } = yield* started()
        // An address of this machine, because browsers themselves keep pages of the internet away from it.
        const browser = yield* launchedWith("--host-resolver-rules=MAP elsewhere.test 127.0.0.1")
        const { cookies, url } = yield* neighbour
        yield* Effect.promise(async () => {
          const { page } = await visit(browser, address)
          const place = page.url().split("#")[0]!
          for (const site of [url.replace("127.0.0.1", "elsewhere.test"), url]) {
            const other = await page.context().newPage()
            const answers: Array<number> = []
            other.on("response", (answer) => {
              if (answer.url().startsWith(place)) answers.push(answer.status())
            })
            await other.goto(site)
            assert.deepStrictEqual(await tries(other, place), NOTHING, site)
            // The browser tells of them in its own time.
            while (answers.length < 2) await pause()
            assert.deepStrictEqual(new Set(answers), new Set([403]), site)
            await other.close()
          }
          assert.deepStrictEqual(cookies, [])
          // Whoever was let in still is.
          await page.reload()
          await page.getByText("ready").first().waitFor()
        })
      }).pipe(Effect.scoped)
  )

  it.live("whose name was led to this machine gets nothing, though it comes to the right port", () =>
    Effect.gen(function* () {
      const { started } = yield* configured()
      const { address } = yield* started()
      const browser = yield* launchedWith("--host-resolver-rules=MAP rebound.test 127.0.0.1")
      yield* Effect.promise(async () => {
        const { page } = await visit(browser, address)
        const { pathname, port } = new URL(page.url())
        const other = await page.context().newPage()
        const place = `http://rebound.test:${port}${pathname}`
        const answer = await other.goto(place)
        assert.strictEqual(answer?.status(), 403)
        // The page that is in the way has the attacker's name, and so the same origin as what it asks.
        assert.strictEqual(
          await other.evaluate(async () => (await fetch("control", { method: "POST", body: "{}" })).status),
          403
        )
        const socket = await other.evaluate(
          () =>
            new Promise<string>((resolve) => {
              const made = new WebSocket("control")
              made.addEventListener("open", () => resolve("open"))
              made.addEventListener("error", () => resolve("refused"))
            })
        )
        assert.strictEqual(socket, "refused")
      })
    }).pipe(Effect.scoped)
  )
})
