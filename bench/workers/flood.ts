/** Calls to two servers, in turns alone and beside a server that floods us. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { serverConfig, type ServerConfig } from "../../src/schemas/ServerConfig.ts"
import {
  BURST_MS,
  CALLS,
  FLOOD_MS,
  ROUNDS,
  WAYS,
  type FloodSamples,
  type Neighbours,
  type Transport,
  type Way
} from "../cases/flood.ts"
import { expectText, type Arguments } from "../lib/client.ts"
import { canPin } from "../lib/isolate.ts"
import { floodServer, rawServer, type Launch } from "../lib/launch.ts"
import { openConfigs, stdioConfig } from "../lib/liveClient.ts"

const transport = process.argv[2] as Transport
/** For a look at some of them. */
const wanted = process.argv[3] ?? ""

/** Away from the core of the client, which is the last one. */
const elsewhere = ({ args, command, env }: Launch): Launch =>
  canPin ? { command: "taskset", args: ["-c", "0", command, ...args], env } : { command, args, env }

const httpConfig = async (name: string, { args, command, env }: Launch) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } })
  process.once("exit", () => child.kill("SIGKILL"))
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
  return serverConfig(name, { kind: "http", url, headers: {} })
}

/** However many of its calls fail: it is to go on. */
const withoutEnd = (config: ServerConfig): ServerConfig => ({ ...config, limits: { ...config.limits, failures: 0 } })

const { close, run, runtime } = await openConfigs([
  stdioConfig("stdio", rawServer()),
  await httpConfig("http", floodServer("--http")),
  withoutEnd(
    transport === "stdio"
      ? stdioConfig("flood", elsewhere(floodServer()))
      : await httpConfig("flood", elsewhere(floodServer("--http")))
  )
])
const exposed = new Map((await run(runtime.tools)).map(({ name, server, tool }) => [`${server}/${tool}`, name]))
const call = (tool: string, given: Arguments, signal?: AbortSignal) =>
  run(runtime.call(exposed.get(tool)!, given), signal)

type Gathered = { readonly [name in keyof Neighbours]: Array<number> }
const gathered = (): Gathered => ({ stdio: [], http: [], blocks: [] })

const block = async (into: Gathered): Promise<void> => {
  const turns = monitorEventLoopDelay({ resolution: 1 })
  turns.enable()
  for (let left = CALLS; left > 0; left--) {
    for (const name of ["stdio", "http"] as const) {
      const text = `call ${left}.`
      const start = performance.now()
      const result = await call(`${name}/echo`, { text })
      into[name].push(performance.now() - start)
      expectText(result, text)
    }
    await delay(1)
  }
  turns.disable()
  into.blocks.push(turns.max / 1e6)
}

/** Bodies that are too long fail their call, and are asked for again. */
const pour = async (way: Way, signal: AbortSignal): Promise<void> => {
  const until = performance.now() + FLOOD_MS
  for (let left = FLOOD_MS; left > 0 && !signal.aborted;) {
    await call("flood/pour", { way, ms: left }, signal).catch(() => {})
    left = way === "long bodies" ? until - performance.now() : 0
  }
}

const measure = async (way: Way): Promise<FloodSamples> => {
  const [alone, beside] = [gathered(), gathered()]
  for (let round = 0; round < ROUNDS; round++) {
    await block(alone)
    const enough = new AbortController()
    const poured = Promise.all([pour(way, enough.signal), delay(FLOOD_MS)])
    await delay(BURST_MS)
    await block(beside)
    enough.abort()
    await poured
    // What is left in the pipe.
    await delay(BURST_MS)
  }
  return { transport, way, alone, beside }
}

await block(gathered())
const samples: Array<FloodSamples> = []
for (const way of WAYS[transport]) if (way.includes(wanted)) samples.push(await measure(way))
await close()
// More than a pipe takes at once.
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))
