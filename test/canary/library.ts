/** The same servers through `loadMCPServers`: the address of its configuration is the first argument. Everything is printed. */
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import { loadMCPServers } from "../../src/index.ts"

const config = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Parameters<typeof loadMCPServers>[0]

const show = (section: string, value: unknown) =>
  process.stdout.write(
    `\n## library: ${section}\n${JSON.stringify(value)}\n${inspect(value, { depth: 12, maxStringLength: null })}\n`
  )

const provider = await loadMCPServers(config, undefined, {
  onLog: (record: unknown) => show("log", record)
} as never)
const tools = provider.tools()
show("tools", tools)
for (const tool of tools) {
  if (/die/.test(tool.name)) continue
  try {
    show("result", await tool.execute("canary", {}))
  } catch (error) {
    show("error", error)
  }
}
show("status", provider.statusDetails())
await provider.close()
