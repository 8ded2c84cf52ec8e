/** What happens to the nodes, their connections and the database: one random fault after the other. */
import { setTimeout as delay } from "node:timers/promises"
import type { Generator } from "../../test/support/random.ts"
import type { ChaosNode } from "./node.ts"
import type { Postgres } from "./postgres.ts"

export const FAULTS = ["kill", "freeze", "term", "drain", "grow", "database", "silence", "cut", "hold"] as const
export type FaultKind = (typeof FAULTS)[number]

/** How often each happens, among all. */
const WEIGHTS: Readonly<Record<FaultKind, number>> = {
  kill: 50,
  freeze: 10,
  term: 10,
  drain: 3,
  grow: 4,
  database: 6,
  silence: 2,
  cut: 8,
  hold: 4
}

export interface Fault {
  readonly kind: FaultKind
  readonly node: string | undefined
  readonly at: number
  until: number | undefined
}

/** One life of a node that ended by a signal nobody can catch. */
export interface Kill {
  readonly node: string
  readonly at: number
  readonly wasDatabaseAway: boolean
}

export interface Faults {
  readonly done: ReadonlyArray<Fault>
  readonly kills: ReadonlyArray<Kill>
  /** Of nodes that did not end as they should. */
  readonly complaints: ReadonlyArray<string>
  /** Stops, and puts everything back in order. */
  readonly finish: () => Promise<void>
  readonly isDatabaseAway: () => boolean
}

export interface FaultOptions {
  readonly random: Generator
  readonly pace: number
  readonly kinds: ReadonlyArray<FaultKind>
  /** They are there all the time. */
  readonly nodes: ReadonlyArray<ChaosNode>
  /** One that comes and goes. */
  readonly guest: ChaosNode
  readonly postgres: Postgres
}

/** Longer than a node takes to finish what is under way, and to hand over. */
const ENDS_WITHIN_MS = 75_000
/** Whoever is not there without a fault is started again. */
const LOOK_MS = 1_000
/** Of a database that was to come back, and did not. */
const AGAIN_MS = 1_000
const AGAIN_MAX = 30

export const startFaults = ({ guest, kinds, nodes, pace, postgres, random }: FaultOptions): Faults => {
  const done: Array<Fault> = []
  const kills: Array<Kill> = []
  const complaints: Array<string> = []
  const busy = new Set<ChaosNode>()
  const underWay: Array<Promise<void>> = []
  let isDatabaseAway = false
  const ending = new AbortController()
  const between = (least: number, most: number) => least + random.below(most - least)
  const seconds = (least: number, most: number) => delay(between(least * 1_000, most * 1_000))

  const kill = async (node: ChaosNode) => {
    // Nobody is killed who waits to be started again.
    if (node.state() !== "down") kills.push({ node: node.name, at: Date.now(), wasDatabaseAway: isDatabaseAway })
    node.signal("SIGKILL")
    await node.ended()
  }

  /** What it was asked to do; one that does not is killed, so that the run goes on. */
  const endsWell = async (node: ChaosNode, why: string) => {
    const patience = new AbortController()
    const isLate = delay(ENDS_WITHIN_MS, true, { signal: patience.signal }).catch(() => false)
    const ended = await Promise.race([node.ended(), isLate.then((late) => (late ? undefined : node.ended()))])
    patience.abort()
    if (ended === undefined) {
      await node.explain()
      complaints.push(`${node.name} did not end within ${ENDS_WITHIN_MS / 1_000} s after ${why}`)
      await kill(node)
    } else if (ended.code !== 0) complaints.push(`${node.name} ended with ${ended.code ?? ended.signal} after ${why}`)
  }

  const ofNodes: Partial<Record<FaultKind, (node: ChaosNode) => Promise<void>>> = {
    kill: async (node) => {
      // While it comes up, in the middle of everything, or while it is frozen.
      if (random.chance(0.1)) {
        node.signal("SIGSTOP")
        await seconds(0, 3)
      }
      await kill(node)
      if (random.chance(0.7)) await seconds(0, 3)
      const started = node.start()
      if (random.chance(0.1)) {
        await seconds(0, 2)
        await kill(node)
        await started
        // It may have been down when it was to be killed, and was started again then.
        if (node.state() === "down") return node.start()
      }
      return started
    },
    freeze: async (node) => {
      node.signal("SIGSTOP")
      await seconds(random.chance(0.5) ? 0 : 3, random.chance(0.5) ? 3 : 12)
      node.signal("SIGCONT")
    },
    term: async (node) => {
      node.signal("SIGTERM")
      await endsWell(node, "SIGTERM")
      await seconds(0, 2)
      await node.start()
    },
    drain: async (node) => {
      const by = nodes.find((other) => other !== node && other.state() === "up" && !busy.has(other))
      if (by === undefined) return
      busy.add(by)
      const { code, said } = await by.command("fleet", "drain", node.name)
      busy.delete(by)
      // The database may go away at that moment.
      if (code !== 0)
        return void (/not available|no node/.test(said) || complaints.push(`fleet drain: ${said.slice(0, 300)}`))
      await endsWell(node, "fleet drain")
      await node.start()
    },
    cut: async (node) => node.gate.cut(),
    hold: async (node) => {
      node.gate.hold()
      await seconds(0, 8).finally(() => node.gate.release())
    }
  }

  const grow = async () => {
    await guest.start()
    await seconds(4, 15)
    if (random.chance(0.3)) await kill(guest)
    else {
      guest.signal("SIGTERM")
      await endsWell(guest, "SIGTERM")
    }
  }

  /** Nothing goes on without it. */
  const returns = async (back: "start" | "thaw") => {
    for (let tries = 1; ; tries++) {
      try {
        return await postgres.tell(back)
      } catch (error) {
        if (tries >= AGAIN_MAX) throw error
        await delay(AGAIN_MS)
      }
    }
  }

  const outage = (away: "stop" | "freeze", back: "start" | "thaw") => async () => {
    isDatabaseAway = true
    await postgres.tell(away).catch((error) => complaints.push(`the database, ${away}: ${String(error)}`))
    await seconds(1, away === "stop" ? 10 : 6)
    await returns(back)
    isDatabaseAway = false
  }

  const happens = (fault: Fault, work: () => Promise<void>, taken?: ChaosNode) => {
    done.push(fault)
    if (taken !== undefined) busy.add(taken)
    const through = async () => {
      try {
        await work()
      } catch (error) {
        complaints.push(`${fault.kind}: ${String(error)}`)
      }
      fault.until = Date.now()
      if (taken !== undefined) busy.delete(taken)
    }
    underWay.push(through())
  }

  const weighted = kinds.flatMap((kind) => Array.from({ length: WEIGHTS[kind] }, () => kind))

  /** Nothing, if it cannot happen now: somebody has to be there. */
  const next = () => {
    const kind = random.pick(weighted)
    const at = Date.now()
    if (kind === "database" || kind === "silence") {
      if (isDatabaseAway) return
      const work = kind === "database" ? outage("stop", "start") : outage("freeze", "thaw")
      return happens({ kind, node: undefined, at, until: undefined }, work)
    }
    if (kind === "grow") {
      if (!busy.has(guest)) happens({ kind, node: guest.name, at, until: undefined }, grow, guest)
      return
    }
    const free = nodes.filter((node) => !busy.has(node) && node.state() === "up")
    const staysThere = kind === "cut" || kind === "hold"
    // Where nodes start slowly, the next fault waits for them: more than one of them is away at once only now and then.
    const isSecond = free.length === 2 && !staysThere && !random.chance(0.5)
    // Rarely all of them are gone at once, and never because somebody wants it.
    const isLast = free.length === 1 && (kind === "term" || kind === "drain" || !random.chance(0.005))
    if (free.length === 0 || isLast || isSecond) return
    const node = random.pick(free)
    happens({ kind, node: node.name, at, until: undefined }, () => ofNodes[kind]!(node), node)
  }

  const loop = async () => {
    while (!ending.signal.aborted) {
      await delay(between(pace / 3, (5 * pace) / 3))
      if (!ending.signal.aborted) next()
    }
  }
  const looping = loop()

  /** All of them are there, unless a fault has taken them: one that ends by itself, or does not come up, is told of, and started again. */
  const keep = async () => {
    while (!ending.signal.aborted) {
      await delay(LOOK_MS)
      for (const node of nodes) {
        if (busy.has(node) || node.state() !== "down" || ending.signal.aborted) continue
        complaints.push(`${node.name} was down without a fault: ${node.log().at(-1) ?? ""}`)
        busy.add(node)
        const started = node.start().catch((error) => complaints.push(`${node.name}: ${String(error)}`))
        underWay.push(Promise.resolve(started).then(() => void busy.delete(node)))
      }
    }
  }
  const keeping = keep()
  return {
    done,
    kills,
    complaints,
    isDatabaseAway: () => isDatabaseAway,
    finish: async () => {
      ending.abort()
      await Promise.all([looping, keeping])
      await Promise.all(underWay)
    }
  }
}
