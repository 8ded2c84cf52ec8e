/** Questions that a person answers: on the page or at the terminal, whoever is first. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { hasTerminals, onTerminalWith } from "../e2e/terminal.ts"
import { go, launched, missing, visit } from "./browser.ts"
import { ADDRESS, configured, everything } from "./gateway.ts"

const NAME = "mcp_files_write_file"

/** A gateway on a terminal, its page, and a call that neither has approved yet. */
const waitingWith = Effect.fnUntraced(function* (gateway: object) {
  const made = yield* configured({ gateway })
  const terminal = yield* onTerminalWith(made.env, "start", "--ui", "--config", made.config)
  yield* terminal.until(ADDRESS)
  const [address] = ADDRESS.exec(terminal.shown()) ?? [""]
  const browser = yield* launched
  const { page } = yield* Effect.promise(() => visit(browser, address))
  yield* Effect.promise(() => go(page, "questions", "Questions"))
  const path = join(made.folder, "new.txt")
  const called = yield* Effect.forkChild(made.command("call", NAME, `path=${path}`, "content=<b>text</b>"))
  yield* Effect.promise(() => page.getByRole("article").waitFor())
  yield* terminal.until(/Call it\?/)
  return { called: Fiber.join(called), isWritten: () => existsSync(path), page, terminal, path }
})

const waiting = waitingWith({})

const nothingOpen = (page: Page) => Effect.promise(() => page.getByText("Nothing waits for you.").waitFor())

describe.skipIf(missing !== undefined || !hasTerminals)("a question", () => {
  it.live(
    "about a call is approved on the page while the terminal waits, with exactly what would be sent before the person's eyes",
    () =>
      Effect.gen(function* () {
        const { called, isWritten, page, path, terminal } = yield* waiting
        const question = page.getByRole("article", { name: "main wants to call write_file of files" })
        assert.strictEqual(
          yield* Effect.promise(() => question.locator("pre").innerText()),
          `path: ${JSON.stringify(path)}\ncontent: "<b>text</b>"`
        )
        assert.isFalse(isWritten())
        yield* Effect.promise(() => question.getByRole("button", { name: "Yes, once" }).click())
        assert.strictEqual((yield* called).code, 0)
        assert.isTrue(isWritten())
        yield* nothingOpen(page)
        yield* terminal.until(/answered elsewhere|withdrawn|no longer|not needed/)
      }).pipe(Effect.scoped)
  )

  it.live("that named people approve says whose call it is and whom it waits for, and offers nothing for good", () =>
    Effect.gen(function* () {
      const tools = { ask: ["files/write_*"], approvers: ["ada@example.com", "group:leads"] }
      const { called, page } = yield* waitingWith({ tools })
      const question = page.getByRole("article")
      const text = yield* Effect.promise(() => question.innerText())
      assert.match(text, /for approval by\s+ada@example\.com or group:leads/)
      assert.include(text, `${userInfo().username} (operating system)`)
      assert.strictEqual(
        yield* Effect.promise(() => question.getByRole("button", { name: "Yes, for good" }).count()),
        0
      )
      yield* Effect.promise(() => question.getByRole("button", { name: "No" }).click())
      const { code, stderr, stdout } = yield* called
      assert.strictEqual(code, 1)
      assert.include(stdout + stderr, "it needs the approval of ada@example.com or group:leads, and it was refused")
    }).pipe(Effect.scoped)
  )

  it.live("about a call that is answered at the terminal is updated on the page", () =>
    Effect.gen(function* () {
      const { called, isWritten, page, terminal } = yield* waiting
      terminal.type("n\r")
      assert.strictEqual((yield* called).code, 1)
      assert.isFalse(isWritten())
      yield* nothingOpen(page)
    }).pipe(Effect.scoped)
  )

  it.live("about a call is approved for good on the page, and that is taken back there", () =>
    Effect.gen(function* () {
      const { started, command, folder } = yield* configured()
      const { address } = yield* started()
      const browser = yield* launched
      const { faults, page } = yield* Effect.promise(() => visit(browser, address))
      yield* Effect.promise(() => go(page, "questions", "Questions"))
      const call = (name: string) => command("call", NAME, `path=${join(folder, name)}`, "content=x")
      const first = yield* Effect.forkChild(call("1"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Yes, for good" }).click())
      assert.strictEqual((yield* Fiber.join(first)).code, 0)
      assert.strictEqual((yield* call("2")).code, 0)
      yield* Effect.promise(() => page.getByRole("button", { name: "Forget the approval of write_file" }).click())
      yield* Effect.promise(() => page.getByText("Nothing. A tool that you approve for good").waitFor())
      const third = yield* Effect.forkChild(call("3"))
      yield* Effect.promise(() => page.getByRole("button", { name: "No", exact: true }).click())
      assert.strictEqual((yield* Fiber.join(third)).code, 1)
      assert.deepStrictEqual(faults, [])
    }).pipe(Effect.scoped)
  )

  it.live("of a server is answered with its form, also when the gateway has no terminal", () =>
    Effect.gen(function* () {
      const { command, started } = yield* configured({ servers: { everything } })
      const { address } = yield* started()
      const browser = yield* launched
      const { faults, page } = yield* Effect.promise(() => visit(browser, address))
      yield* Effect.promise(() => go(page, "questions", "Questions"))
      const called = yield* Effect.forkChild(command("call", "everything/trigger-elicitation-request"))
      yield* Effect.promise(async () => {
        const question = page.getByRole("article", { name: "everything asks you" })
        // A box is beside its words.
        const words = await question.locator("label").filter({ hasText: "Boolean" }).boundingBox()
        const box = await question.getByLabel("Boolean").boundingBox()
        assert.isAtMost(box!.x - words!.x, 8)
        assert.isAtMost(words!.height, 2 * box!.height)
        // A field that is required and empty is not sent.
        await question.getByRole("button", { name: "Send to everything" }).click()
        assert.isTrue(await question.isVisible())
        await question.getByLabel("String (required)").fill("Ada <b>")
        await question.getByRole("button", { name: "Send to everything" }).click()
        await page.getByText("Nothing waits for you.").waitFor()
      })
      assert.include((yield* Fiber.join(called)).stdout, "Ada <b>")
      assert.deepStrictEqual(faults, [])
    }).pipe(Effect.scoped)
  )
})
