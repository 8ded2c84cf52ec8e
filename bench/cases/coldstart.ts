/** From nothing to a list of tools on the command line. */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { rawServer } from "../lib/launch.ts"
import type { BenchCase } from "../lib/result.ts"
import { median, quantile } from "../lib/stats.ts"

const REPEATS = 7

const inBench = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const program = inBench("../bin/mcp-live.js")

const run = promisify(execFile)

const time = async (args: ReadonlyArray<string>): Promise<number> => {
  const start = performance.now()
  const { stdout } = await run(process.execPath, args)
  const took = performance.now() - start
  if (!stdout.includes("echo")) throw new Error(`no tools in the answer: ${stdout.slice(0, 500)}`)
  return took
}

export const coldstart: BenchCase = {
  name: "coldstart",
  goal: "What a command costs from a standing start: the whole life of `mcp-live tools --json` with one server.",
  run: async () => {
    if (!existsSync(program)) throw new Error("bin/mcp-live.js is not there yet; build it first")
    const folder = mkdtempSync(join(tmpdir(), "mcp-live-bench-"))
    try {
      const { args, command, env } = rawServer()
      const config = join(folder, "openclaw.json")
      writeFileSync(
        config,
        JSON.stringify({ agents: { defaults: { mcp: { servers: { raw: { command, args, env } } } } } })
      )
      const variants = [
        { name: "node, doing nothing", args: ["-e", "console.log('echo')"] },
        { name: "bare SDK v2 script", args: [inBench("workers/bareList.mjs"), JSON.stringify({ args, command, env })] },
        { name: "mcp-live tools --json", args: [program, "tools", "--json", "--config", config] }
      ]
      const samples = variants.map(({ name }) => ({ name, ms: [] as Array<number> }))
      for (let repeat = -1; repeat < REPEATS; repeat++) {
        for (const [index, variant] of variants.entries()) {
          const took = await time(variant.args)
          if (repeat >= 0) samples[index]!.ms.push(took)
        }
      }
      const bare = median(samples[1]!.ms)
      return {
        columns: ["ms", "ms p90", "× bare"],
        rows: samples.map(({ ms, name }) => ({
          variant: name,
          values: [median(ms), quantile(ms, 0.9), median(ms) / bare]
        })),
        verdicts: [],
        notes: [
          `Whole life of the process, medians of ${REPEATS} in turns; both start the same raw server and stop it. The program is the built one (dist).`
        ]
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
