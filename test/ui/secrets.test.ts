/** A secret never reaches the page: neither what it shows, nor what the gateway sends to it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { shell } from "../fixtures/servers.ts"
import { filled, go, missing, VIEWS } from "./browser.ts"
import { opened } from "./opened.ts"

const CANARY = "ghp_c4NaRy1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p"

describe.skipIf(missing !== undefined || process.platform === "win32")("a secret of a server", () => {
  it.live("is in no view, no result and no message to the page, though the server says it wherever it can", () =>
    Effect.gen(function* () {
      const servers = { one: { ...shell(`--title=${CANARY}`), env: { GITHUB_TOKEN: CANARY } } }
      const { gateway, page } = yield* opened({ mcp: { servers } })
      yield* gateway.until(/one .*Ready/)
      yield* Effect.promise(async () => {
        const received: Array<string> = []
        page.on("websocket", (socket) => {
          socket.on("framereceived", ({ payload }) => received.push(String(payload)))
        })
        page.on(
          "response",
          (answer) =>
            void answer.text().then(
              (text) => received.push(text),
              () => {}
            )
        )
        await page.reload()
        const script = "echo said $GITHUB_TOKEN; echo written $GITHUB_TOKEN >&2"
        await go(page, "tools/mcp_one_sh", "Tools")
        await page.getByRole("button", { name: "As JSON" }).click()
        await page.getByRole("textbox", { name: /^Arguments/ }).fill(JSON.stringify({ script }))
        await page.getByRole("button", { name: "Call", exact: true }).click()
        await page
          .locator(".result")
          .getByText(/^said /)
          .waitFor()
        gateway.type(`/call one/start ${JSON.stringify({ script: "echo written $GITHUB_TOKEN >&2; echo done" })}`)
        await go(page, "server/one", "one")
        await page
          .getByRole("log")
          .getByText(/written/)
          .first()
          .waitFor()
        await go(page, "calls", "Calls")
        await page.locator(".table-row").first().click()
        await page.getByRole("rowheader", { name: /^dispatch/ }).waitFor()
        for (const [view, title] of VIEWS) {
          await go(page, view, title)
          await filled(page)
          assert.notInclude(await page.content(), CANARY, title)
        }
        assert.isAbove(received.length, 10)
        assert.deepStrictEqual(
          received.filter((text) => text.includes(CANARY)),
          []
        )
      })
    }).pipe(Effect.scoped)
  )
})
