/** The inspector's web page, in a real browser: what a person does there who tries a server. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { folder } from "../integration/serve/program.ts"
import { freePort } from "../support/freePort.ts"
import { launched } from "../support/chromium.ts"

const INSPECTOR = fileURLToPath(new URL("clients/node_modules/.bin/mcp-inspector", import.meta.url))

/** Each step waits for several programs. */
const STEP_MS = 90_000

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\S*MCP_INSPECTOR_API_TOKEN=\w+/

/** Its program, until the Scope closes; the address that it says. */
const started = Effect.gen(function* () {
  const home = yield* folder
  const [port, sandbox] = [yield* freePort, yield* freePort]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [INSPECTOR, "--web"], {
        cwd: home,
        env: {
          PATH: dirname(process.execPath),
          HOME: home,
          CLIENT_PORT: String(port),
          MCP_SANDBOX_PORT: String(sandbox),
          MCP_AUTO_OPEN_ENABLED: "false",
          MCP_INSPECTOR_SECRET_STORE: "memory"
        },
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (one) => Effect.sync(() => void one.kill("SIGKILL"))
  )
  return yield* Effect.callback<string>((resume) => {
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const [address] = ADDRESS.exec(said) ?? []
      if (address !== undefined) resume(Effect.succeed(address))
    })
    child.once("exit", () => resume(Effect.die(new Error(`the inspector has ended: ${said}`))))
  })
})

const stepsOn = (page: Page) => ({
  /** Adds a server and connects to it; the browser follows a login by itself, and comes back. */
  connect: async (url: string) => {
    await page.getByRole("button", { name: "Add Servers" }).click()
    await page.getByRole("menuitem", { name: "Add manually" }).click()
    const dialog = page.getByRole("dialog", { name: "Add server" })
    await dialog.getByRole("textbox", { name: "Server ID" }).fill("gateway")
    await dialog.getByRole("textbox", { name: "Transport" }).click()
    await page.getByRole("option", { name: "streamable-http" }).click()
    await dialog.getByRole("textbox", { name: "URL" }).fill(url)
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    // Until it is gone, it takes the clicks on what is behind it.
    await dialog.waitFor({ state: "detached" })
    // What is clicked is drawn over the field itself.
    await page.getByRole("switch", { name: 'Connect or disconnect "gateway"' }).click({ force: true })
  },
  openTools: async () => {
    await page.getByRole("radiogroup").first().getByText("Tools", { exact: true }).click()
    await page.getByRole("heading", { name: /^Tools \(\d+\)$/ }).waitFor()
  },
  hasTool: async (name: string) => (await page.getByRole("button", { name }).count()) > 0,
  fill: async (tool: string, argument: string, value: string) => {
    await page.getByRole("button", { name: tool }).click()
    await page.getByRole("textbox", { name: argument, exact: true }).fill(value)
  },
  execute: () => page.getByRole("button", { name: "Execute Tool" }).click(),
  closeResults: () => page.getByRole("button", { name: "Close results" }).click(),
  /** The page was told that the tools have changed, and still shows those that it had. */
  toldOfChange: () => page.getByText("List updated").waitFor(),
  refresh: () => page.getByRole("button", { name: "Refresh" }).click(),
  gone: (name: string) => page.getByRole("button", { name }).waitFor({ state: "detached" }),
  shows: (words: string) => page.getByText(words).first().waitFor()
})

/** Opened by somebody who has no login yet. The page asks for fonts from elsewhere, which it does not get. */
export const inspectorPage = Effect.gen(function* () {
  const address = yield* started
  const browser = yield* launched
  return yield* Effect.promise(async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
    page.setDefaultTimeout(STEP_MS)
    await page.route(
      ({ hostname }) => hostname !== "127.0.0.1",
      (route) => route.abort()
    )
    await page.goto(address)
    return stepsOn(page)
  })
})
