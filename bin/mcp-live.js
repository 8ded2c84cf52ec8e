#!/usr/bin/env node
// Starts mcp-live. Plain JavaScript that any Node since 18 understands: one that is too old hands over to the Node that is
// installed together with this package.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { dirname, join } from "node:path"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"

const OLDEST = [22, 19]

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const isTooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])

const fail = (sentence) => {
  process.stderr.write(`mcp-live: ${sentence}\n`)
  process.exitCode = 1
}

/** The executable of the `node` package, wherever the package manager has put it. */
const bundledNode = () => {
  try {
    const require = module.createRequire(import.meta.url)
    const folder = dirname(require.resolve("node/package.json"))
    return [join(folder, "bin", "node"), join(folder, "bin", "node.exe")].find(existsSync)
  } catch {
    return undefined
  }
}

/** Set for a process that another one has handed over to. It learns from a channel when that one is gone, however that ended. */
const HANDED_OVER = "MCP_LIVE_HANDED_OVER"

const handOver = (node) => {
  // What 'exec' becomes is to have what we were given, and nothing more.
  const channel = process.argv[2] === "exec" ? [] : ["ipc"]
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", ...channel],
    env: channel.length === 0 ? process.env : { ...process.env, [HANDED_OVER]: "1" }
  })
  // The child decides when to end: it has servers to stop first.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => fail(`cannot start ${node}: ${error.message}`))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/** Ends like after SIGTERM when whoever handed over to this process is gone. */
const endWithLauncher = () => {
  delete process.env[HANDED_OVER]
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
  process.channel?.unref()
}

/** The program is in hundreds of parts. Where they are is known, and need not be searched for: that is a tenth of a start. */
const findParts = (program) =>
  module.registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier.startsWith("./part-") && context.parentURL?.startsWith(program)
        ? { url: program + specifier.slice(2), format: "module", shortCircuit: true }
        : next(specifier, context)
  })

const start = () => {
  // A command that we become has our stdin, stdout and stderr: nothing that opens them may be loaded before it.
  const [first, ...rest] = process.argv.slice(2)
  const own = rest.indexOf("--") === -1 ? rest : rest.slice(0, rest.indexOf("--"))
  const becomes = first === "exec" && !own.some((arg) => arg === "--help" || arg === "-h")
  const program = new URL(`../dist/program/${becomes ? "exec" : "main"}.js`, import.meta.url)
  if (!existsSync(program)) return fail("it is not built yet; run 'npm run build'")
  // Compiled code is kept between runs, so that the next one starts faster.
  module.enableCompileCache?.()
  findParts(new URL(".", program).href)
  return import(program.href).then(({ exec, main }) =>
    becomes ? exec(rest).then((code) => process.exit(code)) : main(process.argv.slice(2))
  )
}

if (isTooOld) {
  const node = bundledNode()
  if (node === undefined) fail(`Node ${OLDEST.join(".")} or newer is needed; this is ${process.versions.node}`)
  else handOver(node)
} else {
  if (process.env[HANDED_OVER] !== undefined) endWithLauncher()
  await start()
}
