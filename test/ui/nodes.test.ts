/** What a person sees of a fleet, and how they take a node out of it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { connected, listed } from "../support/mcpClients.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { nodeOf, sceneOf, TOKEN } from "../e2e/nodes.ts"
import { hindrancesInBoth } from "./axe.ts"
import { go, launched, missing, visit } from "./browser.ts"
import { ADDRESS } from "./gateway.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))

describePostgres("the view Nodes", () => {
  it.live.skipIf(missing !== undefined)("shows all nodes, where each server lives, and drains one", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const scene = yield* sceneOf(url, { counter: { command: process.execPath, args: [COUNTER] } })
      const one = yield* nodeOf(scene, "one", "--ui")
      const two = yield* nodeOf(scene, "two")
      const [address] = yield* one.until(ADDRESS)
      const client = yield* connected("2025-11-25", { url: one.url, token: TOKEN })
      yield* listed(client, "tools/list", "mcp_counter_count")
      const browser = yield* launched
      yield* Effect.promise(async () => {
        const { faults, page } = await visit(browser, address)
        await page.getByRole("link", { name: "Nodes", exact: true }).waitFor()
        await go(page, "nodes", "Nodes")
        const rowOf = (name: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) })
        await rowOf("two").getByText("alive").waitFor()
        await rowOf("one").getByText("(this one)").waitFor()
        const home = rowOf("counter")
        await home.getByText("ready").waitFor()
        assert.match(await home.innerText(), /^counter\s+(?:one|two)\s/)
        assert.deepStrictEqual(await hindrancesInBoth(page, "nodes"), [])

        await page.getByRole("button", { name: "Drain two" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Drain", exact: true }).click()
        await rowOf("two")
          .getByText(/draining|dead/)
          .waitFor()
        assert.deepStrictEqual(faults, [])
      })
      assert.strictEqual((yield* two.exited).code, 0)
    }).pipe(Effect.scoped)
  )
})
