/** The view Configuration: the file is edited in a browser, and the gateway that runs follows. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { serving } from "../fixtures/registry/registry.ts"
import { weather } from "../fixtures/registry/servers.ts"
import { shell } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { missing } from "./browser.ts"
import { opened } from "./opened.ts"

const { args, command } = shell()
const entry = JSON.stringify({ command, args })
const TEXT = `// Written by a person.
{
  mcp: {
    servers: {
      one: ${entry}, // the first one
    },
  },
}
`

const editor = (page: Page) => page.getByRole("textbox", { name: "The configuration file" })
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true })
const replace = async (page: Page, from: string, to: string) =>
  editor(page).fill((await editor(page).inputValue()).replace(from, to))

const editing = Effect.fnUntraced(function* (options: Parameters<typeof opened>[1] = {}) {
  const all = yield* opened(TEXT, options)
  yield* Effect.promise(() => all.view("configuration", "Configuration"))
  yield* Effect.promise(() => all.page.waitForFunction(() => document.querySelector("textarea")?.value !== ""))
  return all
})

describe.skipIf(missing !== undefined || process.platform === "win32")("the configuration on the page", () => {
  it.live("is not saved while something is wrong: the problem is at its line, and the file stays", () =>
    Effect.gen(function* () {
      const { page, text } = yield* editing()
      yield* Effect.promise(async () => {
        await replace(page, "command", "comand")
        await page.getByText(/One problem|\d+ problems/).waitFor()
        await page.getByText(/did you mean "command"/).waitFor()
        assert.isTrue(await save(page).isDisabled())
        await page.getByRole("button", { name: "Line 5" }).first().click()
        const line = await editor(page).evaluate(
          (area: HTMLTextAreaElement) => area.value.slice(0, area.selectionStart).split("\n").length
        )
        assert.strictEqual(line, 5)
        await page.keyboard.press("Control+s")
        // What was asked for first would be done by the time of a later answer.
        await replace(page, "comand", "command")
        await replace(page, "the first one", "my words")
        await page.getByText("Nothing changes for the servers.").waitFor()
      })
      assert.strictEqual(text(), TEXT)
    }).pipe(Effect.scoped)
  )

  it.live("is saved as it was written, with its comments, and the running gateway follows", () =>
    Effect.gen(function* () {
      const { gateway, page, text } = yield* editing()
      const added = `      two: ${entry}, /* the second one */\n`
      yield* Effect.promise(async () => {
        await replace(page, "    },\n", `${added}    },\n`)
        await page.getByRole("term").filter({ hasText: "Starts" }).waitFor()
        await save(page).click()
        await page.getByText("Saved and applied.").waitFor()
      })
      assert.strictEqual(text(), TEXT.replace("    },\n", `${added}    },\n`))
      yield* gateway.until(/\[two\] ready/)
    }).pipe(Effect.scoped)
  )

  it.live("asks before a save that interrupts a server", () =>
    Effect.gen(function* () {
      const { page, text } = yield* editing()
      yield* Effect.promise(async () => {
        await replace(page, "the first one", "none of them")
        await replace(page, `one: ${entry},`, "")
        await page.getByRole("term").filter({ hasText: "Stops" }).waitFor()
        await save(page).click()
        const dialog = page.getByRole("dialog", { name: "Save this configuration?" })
        await dialog.getByRole("button", { name: "Cancel" }).click()
        assert.strictEqual(text(), TEXT)
        await save(page).click()
        await dialog.getByRole("button", { name: "Save" }).click()
        await page.getByText("Saved and applied.").waitFor()
      })
      assert.include(text(), "none of them")
    }).pipe(Effect.scoped)
  )

  it.live("is not saved over a file that was changed meanwhile", () =>
    Effect.gen(function* () {
      const { page, text, write } = yield* editing()
      const theirs = TEXT.replace("Written by a person", "Written by somebody else")
      yield* Effect.promise(async () => {
        await replace(page, "the first one", "my words")
        await page.getByText("Nothing changes for the servers.").waitFor()
        write(theirs)
        await page.getByRole("heading", { name: "The file has changed meanwhile" }).waitFor()
        assert.isTrue(await save(page).isDisabled())
        assert.include(await page.getByRole("group", { name: /What differs/ }).innerText(), "somebody else")
        assert.strictEqual(text(), theirs)
        await page.getByRole("button", { name: /Keep my text/ }).click()
        await save(page).click()
        await page.getByText("Saved and applied.").waitFor()
      })
      assert.strictEqual(text(), TEXT.replace("the first one", "my words"))
    }).pipe(Effect.scoped)
  )

  it.live("keeps an unfinished edit while another view is shown", () =>
    Effect.gen(function* () {
      const { page, view } = yield* editing()
      yield* Effect.promise(async () => {
        await replace(page, "the first one", "my words")
        await view("context", "Context")
        await view("configuration", "Configuration")
        await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("my words"))
      })
    }).pipe(Effect.scoped)
  )

  it.live("says what belongs where the cursor is, and writes a key there", () =>
    Effect.gen(function* () {
      const { page } = yield* editing()
      const goTo = (where: string) =>
        editor(page).evaluate((area: HTMLTextAreaElement, text) => {
          area.focus()
          const at = area.value.indexOf(text) + text.length
          area.setSelectionRange(at, at)
          area.dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowRight", bubbles: true }))
        }, where)
      yield* Effect.promise(async () => {
        await goTo('"comm')
        await page.getByText("mcp.servers.one.command", { exact: true }).waitFor()
        await page.getByText(/stdio: the program/).waitFor()
        await goTo(`${entry.slice(0, -1)}`)
        await page.keyboard.type(", ")
        await page.getByRole("button", { name: "enabled", exact: true }).click()
        await page.keyboard.type("true")
        assert.include(await editor(page).inputValue(), `${entry.slice(0, -1)}, enabled: true}`)
        await page.getByText("Nothing changes for the servers.").waitFor()
        // The browser's own undo knows what was written.
        await page.keyboard.press("Control+z")
        assert.notInclude(await editor(page).inputValue(), "enabled: true")
      })
    }).pipe(Effect.scoped)
  )

  it.live("gets one more server by a form, which only writes into the text", () =>
    Effect.gen(function* () {
      const { page, text } = yield* editing()
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add a server…" }).click()
        await page.getByRole("textbox", { name: "Command" }).fill(`${command} "a b.js"`)
        await page.getByRole("textbox", { name: "Name" }).fill("notes")
        await page.getByRole("button", { name: "Write it into the text" }).click()
        await page.waitForFunction(() =>
          document.querySelector<HTMLTextAreaElement>("#configuration-text")?.value.includes("notes")
        )
        const now = await editor(page).inputValue()
        assert.include(now, "// the first one")
        assert.include(now, "a b.js")
      })
      assert.strictEqual(text(), TEXT)
    }).pipe(Effect.scoped)
  )

  it.live("gets a server of the registry, whose questions are asked, and whose text stays text", () =>
    Effect.gen(function* () {
      const listed = { ...weather, description: `<b>Weather</b>\u202e<img src=x onerror=alert(1)>` }
      const { url } = yield* serving(() => ({ servers: [listed] }))
      const { page, text } = yield* editing({ env: { MCP_LIVE_REGISTRY: url } })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add a server…" }).click()
        await page.getByRole("radio", { name: "From the registry" }).check()
        await page.getByRole("textbox", { name: "Name in the registry" }).fill("io.github.example/none")
        const write = page.getByRole("button", { name: "Write it into the text" })
        await write.click()
        await page.getByText(/has no server 'io.github.example\/none'/).waitFor()
        await page.getByRole("textbox", { name: "Name in the registry" }).fill(weather.name)
        await write.click()
        await page.getByRole("textbox", { name: /\(required\)/ }).fill("Vienna")
        assert.strictEqual(await page.getByRole("main").locator("b, img").count(), 0)
        await write.click()
        await page.waitForFunction(() =>
          document.querySelector<HTMLTextAreaElement>("#configuration-text")?.value.includes("weather-mcp-server")
        )
        const now = await editor(page).inputValue()
        assert.include(now, "Vienna")
        assert.include(now, "// the first one")
      })
      assert.strictEqual(text(), TEXT)
    }).pipe(Effect.scoped)
  )

  it.live("takes servers of other programs, whose files stay as they are, and shows no secret of them", () =>
    Effect.gen(function* () {
      const secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
      const home = yield* inFolder
      const foreign = JSON.stringify({
        mcpServers: {
          notes: { command, args: [...args, `--token=${secret}`], env: { GITHUB_TOKEN: secret } },
          "<img src=x onerror=alert(1)>": { command, args }
        }
      })
      mkdirSync(join(home, ".cursor"))
      writeFileSync(join(home, ".cursor", "mcp.json"), foreign)
      const { page, text } = yield* editing({ env: { HOME: home } })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Import…" }).click()
        const form = page.getByRole("form", { name: "Import from other programs" })
        await form.getByText("Choose what is written into the text.").waitFor()
        assert.strictEqual(await form.locator("img").count(), 0)
        assert.notInclude(await form.innerText(), secret)
        await form.getByRole("checkbox", { name: /notes/ }).check()
        await form.getByRole("button", { name: "Write 1 into the text" }).click()
        await page.waitForFunction(() =>
          document.querySelector<HTMLTextAreaElement>("#configuration-text")?.value.includes("notes")
        )
        const now = await editor(page).inputValue()
        assert.include(now, "// the first one")
        assert.notInclude(now, secret)
      })
      assert.strictEqual(text(), TEXT)
      assert.strictEqual(readFileSync(join(home, ".cursor", "mcp.json"), "utf8"), foreign)
    }).pipe(Effect.scoped)
  )

  it.live("does not show a secret that stands in the file as it is, and keeps it when the rest is saved", () =>
    Effect.gen(function* () {
      const secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
      const file = TEXT.replace(entry, JSON.stringify({ command, args, env: { GITHUB_TOKEN: secret } }))
      const { page, text, view } = yield* opened(file)
      yield* Effect.promise(async () => {
        await view("configuration", "Configuration")
        await page.getByText("One secret is masked.", { exact: false }).waitFor()
        assert.notInclude(await editor(page).inputValue(), secret)
        assert.notInclude(await page.content(), secret)
        await replace(page, "the first one", "my words")
        await page.getByText("Nothing changes for the servers.").waitFor()
        await save(page).click()
        await page.getByText("Saved and applied.").waitFor()
        assert.notInclude(await page.content(), secret)
      })
      assert.strictEqual(text(), file.replace("the first one", "my words"))
    }).pipe(Effect.scoped)
  )

  it.live("is not shown while the file does not parse, and a text that was begun may be saved over it", () =>
    Effect.gen(function* () {
      const secret = "tok_a1B2c3D4e5F6g7H8i9J0"
      const whole = TEXT.replace(entry, JSON.stringify({ command, args: [...args, "--token", secret] }))
      const broken = whole.slice(0, whole.lastIndexOf("}"))
      const { page, text, write } = yield* editing()
      yield* Effect.promise(async () => {
        const received: Array<string> = []
        page.on("websocket", (socket) => {
          socket.on("framereceived", ({ payload }) => received.push(String(payload)))
        })
        await page.reload()
        await page.waitForFunction(() => document.querySelector("textarea")?.value !== "")
        await replace(page, "the first one", "my words")
        write(broken)
        await page.getByRole("button", { name: /Keep my text/ }).click()
        await save(page).click()
        await page.getByText("Saved and applied.").waitFor()
        assert.strictEqual(text(), TEXT.replace("the first one", "my words"))
        write(broken)
        await page.getByText(/This file is not edited here: it is not valid JSON5/).waitFor()
        assert.strictEqual(await editor(page).count(), 0)
        assert.notInclude(received.join("\n"), secret)
        assert.isAbove(received.length, 0)
      })
    }).pipe(Effect.scoped)
  )

  it.live("cannot be changed on a page that only shows", () =>
    Effect.gen(function* () {
      const { page } = yield* editing({ readOnly: true })
      yield* Effect.promise(async () => {
        assert.isFalse(await editor(page).isEditable())
        for (const name of ["Save", "Undo all changes", "Add a server…", "Import…"]) {
          assert.strictEqual(await page.getByRole("button", { name, exact: true }).count(), 0, name)
        }
      })
    }).pipe(Effect.scoped)
  )
})
