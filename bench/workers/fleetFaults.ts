/**
 * A client asks the other node again and again for a session, while something happens to the node that has both the session and the server:
 * how long until answers come, and how long the longest call waited.
 */
import { setTimeout as delay } from "node:timers/promises"
import { FAULTS, type Fault, type Seen, TIMES } from "../cases/fleetFaults.ts"
import { ECHO, startNode, type Node } from "../lib/fleet.ts"
import { newDatabase, startPostgres } from "../lib/postgres.ts"
import { callIn, openSession } from "../lib/rawSession.ts"

/** Longer than the fleet needs to notice that a node is frozen. */
const FROZEN_MS = 10_000
const AWAY_MS = 10_000
const QUIET_MS = 1_000
const CALM = 20

const postgres = await startPostgres()
let count = 0

interface Setting {
  readonly home: Node
  readonly other: Node
  readonly session: string
}

/** Two nodes, of which the first has the session and the server. */
const setUp = async (): Promise<Setting> => {
  const database = await newDatabase(postgres, `faults_${++count}`)
  const home = await startNode({ name: "one", database })
  const session = await openSession(home.url)
  await callIn(home.url, session, ECHO, "begin")
  const other = await startNode({ name: "two", database })
  await answers({ home, other, session })
  return { home, other, session }
}

const isAnswer = (said: string, text: string) =>
  said.startsWith("200") && said.includes(text) && !said.includes('"isError":true')

/** Asks until so many calls in a row were answered. Says when the first of these was sent, and what the slowest call took. */
const answers = async ({ other, session }: Setting, at = other) => {
  const begun = performance.now()
  let inRow = 0
  let slowest = 0
  let failed = 0
  let goodSince = 0
  while (inRow < CALM) {
    const text = `call ${Math.random()}`
    const sent = performance.now()
    const said = await callIn(at.url, session, ECHO, text)
    const took = performance.now() - sent
    slowest = Math.max(slowest, took)
    if (!isAnswer(said, text)) {
      inRow = 0
      failed++
      await delay(5)
      continue
    }
    if (inRow++ === 0) goodSince = performance.now() - begun
  }
  return { answeredMs: goodSince, slowest, failed }
}

const after: Record<Fault, (setting: Setting) => Promise<Omit<Seen, "fault">>> = {
  "kill -9": async (setting) => {
    setting.home.child.kill("SIGKILL")
    return answers(setting)
  },
  SIGTERM: async (setting) => {
    setting.home.child.kill("SIGTERM")
    const seen = await answers(setting)
    let [slowest, failed] = [seen.slowest, seen.failed]
    const { child } = setting.home
    while (child.exitCode === null && child.signalCode === null) {
      const more = await answers(setting)
      slowest = Math.max(slowest, more.slowest)
      failed += more.failed
    }
    return { ...seen, slowest, failed }
  },
  SIGSTOP: async (setting) => {
    setting.home.child.kill("SIGSTOP")
    const seen = await answers(setting)
    await delay(Math.max(0, FROZEN_MS - seen.answeredMs))
    setting.home.child.kill("SIGCONT")
    const { answeredMs } = await answers(setting, setting.home)
    return { ...seen, thawedMs: answeredMs }
  },
  "the database is away": async (setting) => {
    await delay(QUIET_MS)
    await postgres.tell("stop")
    const seen = await answers(setting)
    await delay(AWAY_MS)
    const meanwhile = await answers(setting)
    await postgres.tell("start")
    const back = await answers(setting)
    return {
      answeredMs: seen.answeredMs,
      slowest: Math.max(seen.slowest, meanwhile.slowest, back.slowest),
      failed: seen.failed + meanwhile.failed + back.failed
    }
  }
}

const all: Array<Seen> = []
for (let time = 0; time < TIMES; time++) {
  for (const fault of FAULTS) {
    const setting = await setUp()
    all.push({ fault, ...(await after[fault](setting)) })
    for (const { child, ended } of [setting.home, setting.other]) {
      child.kill("SIGKILL")
      await ended
    }
  }
}
process.stdout.write(`${JSON.stringify(all)}\n`)
process.exit(0)
