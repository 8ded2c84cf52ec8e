/** Calls to two servers, in turns alone and beside a server that floods us. */
import { serverConfig, type ServerConfig } from "../../src/schemas/connection/ServerConfig.ts"
import { peakMb } from "../../test/support/peakMemory.ts"
import { FLOOD_MS, TOGETHER, WAYS, type FloodSamples, type Transport, type Way } from "../cases/flood.ts"
import { makeMeasure, type Side } from "../lib/beside.ts"
import { expectText, type Arguments } from "../lib/client.ts"
import { elsewhere, floodServer, listening, rawServer, type Launch } from "../lib/launch.ts"
import { openConfigs, stdioConfig } from "../lib/liveClient.ts"

const transport = process.argv[2] as Transport
/** For a look at some of them. */
const wanted = process.argv[3] ?? ""

const httpConfig = async (name: string, launch: Launch) =>
  serverConfig(name, { kind: "http", url: await listening(launch), headers: {} })

/** However many of its calls fail: it is to go on. */
const withoutEnd = (config: ServerConfig): ServerConfig => ({ ...config, limits: { ...config.limits, failures: 0 } })

const { close, run, runtime } = await openConfigs([
  stdioConfig("stdio", rawServer()),
  await httpConfig("http", floodServer("--http")),
  withoutEnd(
    transport === "stdio"
      ? stdioConfig("flood", elsewhere(floodServer()))
      : await httpConfig("flood", elsewhere(floodServer("--http")))
  ),
  ...(transport === "stdio"
    ? TOGETHER.map((_, index) => withoutEnd(stdioConfig(`flood${index}`, elsewhere(floodServer()))))
    : [])
])
const exposed = new Map((await run(runtime.tools)).map(({ name, server, tool }) => [`${server}/${tool}`, name]))
const call = (tool: string, given: Arguments, signal?: AbortSignal) =>
  run(runtime.call(exposed.get(tool)!, given), signal)

const side: Side = {
  isHere: true,
  peakMb: () => peakMb("self"),
  call: async (to, text) => expectText(await call(`${to}/echo`, { text }), text)
}

/** Bodies that are too long fail their call, and are asked for again. */
const pour = async (way: Way, signal: AbortSignal): Promise<void> => {
  if (way === "six servers together") {
    const all = TOGETHER.map((each, index) => call(`flood${index}/pour`, { way: each, ms: FLOOD_MS }, signal))
    await Promise.allSettled(all)
    return
  }
  const until = performance.now() + FLOOD_MS
  for (let left = FLOOD_MS; left > 0 && !signal.aborted;) {
    await call("flood/pour", { way, ms: left }, signal).catch(() => {})
    left = way === "long bodies" ? until - performance.now() : 0
  }
}

const measure = await makeMeasure(side)
const samples: Array<FloodSamples> = []
for (const way of WAYS[transport]) {
  if (way.includes(wanted)) samples.push(await measure({ transport, way }, (signal) => pour(way, signal)))
}
await close()
// More than a pipe takes at once.
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))
