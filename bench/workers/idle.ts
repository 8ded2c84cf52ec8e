/** Opens idle connections and tells what they hold in memory, over what the first one took. */
import { setTimeout as delay } from "node:timers/promises"
import { loadKind, type KindName } from "../lib/kinds.ts"
import { rawServer } from "../lib/launch.ts"

const [kindName, count] = [process.argv[2] as KindName, Number(process.argv[3])]

const settled = async () => {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc?.()
    await delay(100)
  }
  const { arrayBuffers, external, heapUsed, rss } = process.memoryUsage()
  return { rss, heap: heapUsed + external, arrayBuffers }
}

/** As many as wanted, the way a user of this client would hold them. */
const open = async (connections: number): Promise<() => Promise<unknown>> => {
  const launches = Array.from({ length: connections }, () => rawServer())
  if (kindName === "mcp-live") return (await (await import("../lib/liveClient.ts")).openLive(launches)).close
  const kind = await loadKind(kindName)
  const clients = await Promise.all(launches.map((launch) => kind.open(launch)))
  return () => Promise.all(clients.map((client) => client.close()))
}

const closeFirst = await open(1)
const before = await settled()
const closeAll = await open(count)
const after = await settled()
await Promise.all([closeFirst(), closeAll()])

const perConnection = (what: keyof typeof before) => (after[what] - before[what]) / count / 1024
process.stdout.write(`${JSON.stringify({ rssKiB: perConnection("rss"), heapKiB: perConnection("heap") })}\n`)
