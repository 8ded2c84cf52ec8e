/** What hinders people with a screen reader, or with weak eyes, as axe finds it. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** In words; what is only minor is left out. By way of the debugger: the content security policy allows no other script. */
const hindrances = async (page: Page, where: string): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE)
  const violations = (await page.evaluate(
    // oxlint-disable-next-line typescript/no-explicit-any
    async () => (await (globalThis as any).axe.run()).violations
  )) as ReadonlyArray<Violation>
  return violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ failureSummary, html }) => `${where}: ${id}: ${html}: ${failureSummary}`))
}

/** In light and in dark. */
export const hindrancesInBoth = async (page: Page, where: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await hindrances(page, `${where}, ${colorScheme}`)))
  }
  return found
}
