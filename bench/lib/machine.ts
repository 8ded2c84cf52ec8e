/** Where and with what the figures were taken. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, loadavg, totalmem } from "node:os"
import { join } from "node:path"

const require = createRequire(import.meta.url)

const PACKAGES = [
  "effect",
  "@effect/platform-node",
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server-everything"
]

/** Not every package exports its package.json: it is looked for above its entry. */
const versionOf = (name: string): string => {
  for (const base of require.resolve.paths(name) ?? []) {
    try {
      const text = readFileSync(join(base, name, "package.json"), "utf8")
      return (JSON.parse(text) as { readonly version: string }).version
    } catch {
      continue
    }
  }
  return "?"
}

export interface Machine {
  readonly date: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly platform: string
  readonly node: string
  /** Processes that wanted a core, on average over the last five minutes: others than ours, before we begin. */
  readonly load: number
  readonly packages: Readonly<Record<string, string>>
}

export const machine = (): Machine => ({
  date: new Date().toISOString().slice(0, 10),
  cpu: cpus()[0]?.model.trim() ?? "?",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 1024 ** 3),
  platform: `${process.platform} ${process.arch}`,
  node: process.version,
  load: Math.round((loadavg()[1] ?? 0) * 10) / 10,
  packages: Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)]))
})

/** Milliseconds of CPU that a process has used until now, with all its threads (Linux; 0 elsewhere). */
export const cpuMsOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6)
      .reduce((all, one) => all + one, 0)
  } catch {
    return 0
  }
}
