/** Pages in a real Chromium that remember what went wrong in them. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core"

import { counted } from "../support/chromium.ts"

export { launched, launchedWith, missing } from "../support/chromium.ts"

export interface Visited {
  readonly page: Page
  /** Errors of scripts, what the content security policy has stopped, requests to elsewhere, and windows that were opened. */
  readonly faults: ReadonlyArray<string>
}

/** Expected while a gateway is away. */
const isAbsence = (text: string): boolean => /ERR_CONNECTION_(?:REFUSED|RESET)|WebSocket connection to/.test(text)

/** Opens an address as a person does who has clicked it. */
export const visit = async (
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {}
): Promise<Visited> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: "reduce",
    ...options
  })
  const page = await context.newPage()
  await counted(page)
  const faults: Array<string> = []
  const { origin } = new URL(address)
  page.on("pageerror", ({ message }) => faults.push(`error: ${message}`))
  page.on("console", (said) => {
    if (said.type() === "error" && !isAbsence(said.text())) faults.push(`console: ${said.text()}`)
  })
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("request", (request) => {
    const url = request.url()
    if (!/^(?:data|blob):/.test(url) && new URL(url).origin !== origin) faults.push(`request to elsewhere: ${url}`)
  })
  page.on("popup", (popup) => faults.push(`window: ${popup.url()}`))
  await page.goto(address)
  await page.locator("h1").waitFor()
  return { page, faults }
}

/** Goes to a view as its link does, and waits until it is shown. */
export const go = async (page: Page, view: string, title: string): Promise<void> => {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#/${view}`)
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor()
}

/** Waits until what says so has the focus: it may get it a moment after it is there. */
export const focused = (page: Page, words: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.activeElement?.textContent?.includes(wanted) === true, words)

/** Waits until a view has what it asks the gateway for. */
export const filled = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => !/(?:Reading|Checking|Loading)…/.test(document.body.innerText))

export const VIEWS = [
  ["overview", "Overview"],
  ["server", "Server"],
  ["tools", "Tools"],
  ["calls", "Calls"],
  ["questions", "Questions"],
  ["pins", "Pins"],
  ["context", "Context"],
  ["configuration", "Configuration"]
] as const
