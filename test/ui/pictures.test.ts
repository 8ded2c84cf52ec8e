/**
 * What each view looks like, in light and in dark, of a gateway with something to see. With `MCP_LIVE_PICTURES` set to a folder, the pictures are
 * written there, for the docs (`npm run pictures`).
 */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { configFile, run, start } from "../e2e/program.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { filled, go, launched, missing, visit } from "./browser.ts"
import { ADDRESS } from "./gateway.ts"

const PROJECT = fileURLToPath(new URL("../../", import.meta.url))
const FOLDER = process.env["MCP_LIVE_PICTURES"]

/** Puts a picture where it belongs, if somewhere. */
const keep = (name: string, picture: Buffer): void => {
  if (FOLDER === undefined) return
  const folder = join(PROJECT, FOLDER)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.png`), picture)
}

const CONFIG = `// The servers of this machine.
{
  gateway: { tools: { ask: ["files/write_*"] } },
  mcp: {
    servers: {
      files: { command: "mcp-server-filesystem", args: ["."] }, // my notes
      memory: { command: "mcp-server-memory" },
      everything: { command: "mcp-server-everything" },
      sums: { command: "node", args: ["sums.ts", "stage"], pin: "block" },
      tickets: { command: "tickets-server" }, /* not installed yet */
    },
  },
}
`

/** Where something is on this machine tells nobody anything. */
const tidy = (page: Page, places: ReadonlyArray<readonly [string, string]>) =>
  page.evaluate((all) => {
    const short = (text: string) => all.reduce((sum, [from, to]) => sum.replaceAll(from, to), text)
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode() !== null) {
      const { currentNode } = walker
      const text = currentNode.nodeValue ?? ""
      if (short(text) !== text) currentNode.nodeValue = short(text)
    }
  }, places)

/** A gateway that has done something, and waits for a person. */
const busy = Effect.gen(function* () {
  const config = yield* configFile(CONFIG)
  const folder = dirname(config)
  const env = {
    MCP_LIVE_HOME: join(folder, "data"),
    PATH: `${join(PROJECT, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
    DISPLAY: "",
    WAYLAND_DISPLAY: ""
  }
  writeFileSync(join(folder, "todo.md"), "- water the plants\n")
  writeFileSync(join(folder, "sums.ts"), `await import(${JSON.stringify(inFixtures("rugPull.ts"))})\n`)
  const gateway = yield* start(["start", "--ui", "--config", config], { env, cwd: folder })
  const [address] = yield* gateway.until(ADDRESS)
  const command = (...args: ReadonlyArray<string>) => run([...args, "--config", config], { env, cwd: folder })
  yield* command("pins", "approve", "sums", "--all")
  yield* Effect.all(
    [
      ["files/list_directory", "path=."],
      ["files/read_text_file", "path=todo.md"],
      ["files/read_text_file", "path=missing.md"],
      ["everything/echo", "message=hello"],
      ["sums/turn"]
    ].map((call) => command("call", ...call))
  )
  yield* command("call", "sums/turn")
  const { stdout } = yield* command("status", "--json")
  process.kill(JSON.parse(stdout).servers.files.pid, "SIGKILL")
  yield* gateway.until(/\[files\] ready/, 2)
  return { address, command, folder, gateway }
})

const VIEWS = [
  ["overview", "Overview", "Overview"],
  ["server", "server/files", "files"],
  ["tools", "tools", "Tools"],
  ["calls", "calls", "Calls"],
  ["questions", "questions", "Questions"],
  ["pins", "pins", "Pins"],
  ["context", "context", "Context"],
  ["configuration", "configuration", "Configuration"]
] as const

/** What a view shows best. */
const PREPARED: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: async (page) => {
    await page
      .getByText(/wants to call/)
      .first()
      .waitFor()
    await page.locator(".chart canvas").last().waitFor()
    await page
      .getByText(/[1-9]\d* in the hour/)
      .first()
      .waitFor()
  },
  server: (page) => page.getByRole("cell", { name: /%$/ }).first().waitFor(),
  calls: (page) =>
    page
      .getByRole("row")
      .filter({ hasText: "list_directory" })
      .first()
      .click()
      .then(() => page.getByRole("rowheader", { name: "dispatch" }).waitFor()),
  questions: (page) => page.getByRole("article").waitFor(),
  pins: (page) => page.getByRole("article").first().waitFor(),
  configuration: async (page) => {
    const editor = page.getByRole("textbox", { name: "The configuration file" })
    await editor.fill(
      CONFIG.replace(/tickets: .*/, 'tickets: { url: "https://tickets.example/mcp" },').replace(
        'memory: { command: "mcp-server-memory" }',
        'memory: { command: "mcp-server-memory", callTimeout: 30 }'
      )
    )
    await page.getByText(/One problem|\d+ problems/).waitFor()
    await page.getByRole("button", { name: /^Line/ }).first().click()
    for (let right = 0; right < 22; right++) await editor.press("ArrowRight")
  }
}

describe.skipIf(missing !== undefined)("pictures", () => {
  it.live("of each view, in light and in dark", () =>
    Effect.gen(function* () {
      const { address, command, folder } = yield* busy
      const browser = yield* launched
      const { page } = yield* Effect.promise(() => visit(browser, address, { viewport: { width: 1360, height: 800 } }))
      yield* Effect.forkScoped(
        command("call", "files/write_file", "path=todo.md", "content=- water the plants\n- call Ada\n")
      )
      const places = [
        [join(PROJECT, "node_modules/node/bin/node"), "node"],
        [join(PROJECT, "node_modules/.bin/"), ""],
        [PROJECT, ""],
        [process.execPath, "node"],
        [folder, "~/notes"]
      ] as const
      yield* Effect.promise(async () => {
        for (const [name, view, title] of VIEWS) {
          await go(page, view, title)
          await filled(page)
          await PREPARED[name]?.(page)
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
            await tidy(page, places)
            const picture = await page.screenshot()
            assert.isAbove(picture.length, 5_000, name)
            keep(colorScheme === "light" ? name : `${name}-dark`, picture)
          }
        }
      })
    }).pipe(Effect.scoped)
  )
})
