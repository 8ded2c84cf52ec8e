/** The clients of a run: each calls one tool after the other, as long as the run goes on, and says what became of each call. */
import { setTimeout as delay } from "node:timers/promises"
import { generator } from "../../test/support/random.ts"
import type { Call, Calls } from "./calls.ts"
import { ofError, ofResult, type Told } from "./classify.ts"
import { connect, DEADLINE_MS, type ChaosClient, type Era } from "./clients.ts"
import { HOSTILE_SERVERS, REAL_CALLS } from "./servers.ts"
import { TURNS } from "./tools.ts"

export interface LoadOptions {
  readonly url: string
  /** Their tokens, by name. */
  readonly clients: ReadonlyMap<string, string>
  readonly seed: number
  readonly think: number
  readonly calls: Calls
}

/** What a run counts besides its calls. */
export interface Seen {
  opened: number
  notOpened: number
  readonly sessionsLost: Array<{ readonly at: number; readonly session: string; readonly opened: number }>
}

export interface Load {
  readonly seen: Seen
  /** Each client ends its call, makes a last one that has to succeed, and leaves. Gives what did not. */
  readonly finish: () => Promise<ReadonlyArray<string>>
}

/** Every so many clients, one calls the server that has a limit, more often than it may; there are no more than a few of them. */
const LIMITED_EACH = 25
const LIMITED_MAX = 4
const LIMITED_THINK_MS = 120
const RETRY_MS = 500
/** A client leaves, and comes back with a new session, after about so many calls. */
const STAYS = 60
const HOSTILE_ONE_IN = 25
const REAL_ONE_IN = 12
const AGAIN_ONE_IN = 5
const LAST_CALL_MS = 120_000
const LEAVES_WITHIN_MS = 10_000

interface Wanted {
  readonly server: string
  readonly tool: string
  readonly ms: number
  readonly args: Readonly<Record<string, unknown>>
}

const settled = async (client: ChaosClient, call: Call, args: object): Promise<Told> => {
  // The SDK may wait for a stream that will never come again.
  const patience = AbortSignal.timeout(DEADLINE_MS + 5_000)
  const over = new Promise<Told>((resolve) => {
    patience.addEventListener("abort", () =>
      resolve({ outcome: "lost", text: "no answer, and no error of the client" })
    )
  })
  const answered = client.call(`mcp_${call.server}_${call.tool}`, { ...args }).then(ofResult, ofError)
  return Promise.race([answered, over])
}

export const startLoad = ({ calls, clients, seed, think, url }: LoadOptions): Load => {
  const seen: Seen = { opened: 0, notOpened: 0, sessionsLost: [] }
  const ending = new AbortController()
  let giveUpAt = Infinity

  const run = async (name: string, index: number): Promise<ReadonlyArray<string>> => {
    const random = generator(seed + index)
    const era: Era = index % 2 === 0 ? "2025-11-25" : "2026-07-28"
    const isLimited = index % LIMITED_EACH === 0 && index < LIMITED_EACH * LIMITED_MAX
    const pause = () => delay((isLimited ? LIMITED_THINK_MS : think) * (0.3 + (1.4 * random.below(1_000)) / 1_000))
    let client: ChaosClient | undefined
    let opened = 0
    let turn = 0

    const open = async () => {
      while (client === undefined) {
        try {
          client = await connect(era, url, clients.get(name)!)
          opened = Date.now()
          seen.opened++
        } catch (error) {
          seen.notOpened++
          if (Date.now() > giveUpAt) throw error
          await delay(RETRY_MS)
        }
      }
      return client
    }
    const leave = async () => {
      const left = client
      client = undefined
      // It says good-bye to its session, and nothing depends on the answer.
      await Promise.race([left?.close().catch(() => {}), delay(LEAVES_WITHIN_MS, undefined, { ref: false })])
    }

    const wanted = (): Wanted => {
      turn = (turn + 1) % TURNS
      if (isLimited) return { server: "limited", tool: `work_${turn}`, ms: 0, args: {} }
      if (random.below(HOSTILE_ONE_IN) === 0) {
        const [server, { tool }] = random.pick(Object.entries(HOSTILE_SERVERS))
        return { server, tool, ms: 0, args: tool === "echo" ? { text: "honest words" } : {} }
      }
      if (random.below(REAL_ONE_IN) === 0) return { ms: 0, ...random.pick(REAL_CALLS) }
      const ms = random.chance(0.7) ? 0 : random.chance(0.7) ? random.below(500) : random.below(5_000)
      return { server: "counted", tool: `${random.below(AGAIN_ONE_IN) === 0 ? "again" : "work"}_${turn}`, ms, args: {} }
    }

    const make = async ({ args, ms, server, tool }: Wanted): Promise<Told> => {
      const own = await open()
      const call = calls.begin({ client: name, era, server, tool, ms, session: own.session() })
      const isCounted = server === "counted" || server === "limited"
      const told = await settled(own, call, isCounted ? { call: call.id, ms } : args)
      calls.end(call, told.outcome, told.text)
      if (told.isSessionLost === true) {
        seen.sessionsLost.push({ at: Date.now(), session: call.session ?? "", opened })
        await leave()
      } else if (told.outcome === "lost") await leave()
      return told
    }

    await delay(random.below(think))
    while (!ending.signal.aborted) {
      await make(wanted())
      if (random.below(STAYS) === 0) await leave()
      await pause()
    }
    // Everything is well again: what its client says now counts, with the session that it has had all the time.
    const until = Date.now() + LAST_CALL_MS
    let last: Told
    do {
      last = await make({ server: "counted", tool: `work_${(turn = (turn + 1) % TURNS)}`, ms: 0, args: {} })
      if (last.outcome !== "success") await delay(RETRY_MS)
    } while (last.outcome !== "success" && Date.now() < until)
    await leave()
    return last.outcome === "success" ? [] : [`${name}: its last call: ${last.text}`]
  }

  const running = [...clients.keys()].map(async (name, index) => {
    try {
      return await run(name, index)
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  })
  return {
    seen,
    finish: async () => {
      ending.abort()
      giveUpAt = Date.now() + LAST_CALL_MS
      return (await Promise.all(running)).flat()
    }
  }
}
