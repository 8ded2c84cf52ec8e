/**
 * Plays a scenario at a door of a program: what the hostile client does, an honest one beside it, and what is left. Of every
 * play it is required that
 *
 * - each reply is what the scenario requires;
 * - the honest client's calls are answered while it goes on, and after it;
 * - no turn of the program takes long, and its memory stays within bounds;
 * - the program goes on, and no connection and no process of the hostile client's is left.
 */
import { assert } from "@effect/vitest"
import { appendFileSync } from "node:fs"
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises"
import { requiredAt, wordOf, type Door, type Reply, type Scenario } from "../../fixtures/hostile-client/scenario.ts"
import { pause } from "../../support/pause.ts"
import type { Program } from "./program.ts"

/** Over what the program takes before any client comes. */
const ROOM_MB = 512
/**
 * Of processor time. What is asked for is less, and the benchmark measures it; here it is only to be no stall. To parse the largest message is one
 * turn: 12 MiB of escapes take 200 to 310 ms of a machine's time, as fast as it happens to be.
 */
const TURN_MAX_MS = 400
/** Looks at what is left, one every 50 ms, before it counts. */
const LOOKS = 600

/** Where the figures of each play are added, when somebody wants them. */
const FIGURES = process.env["HOSTILE_CLIENTS_FIGURES"]

/** A door of a program that is open. */
export interface Site {
  readonly door: Door
  readonly program: Program
  readonly idle: { readonly mb: number; readonly sockets: number; readonly children: number }
  /** One call of the honest client; fails when it is not answered right. */
  readonly honest: () => Promise<void>
  readonly hostile: (play: Scenario["play"]) => Promise<ReadonlyArray<Reply>>
}

const clip = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text)

/** Calls one after the other until the work is done: at least one begins after the work has, and all are answered. */
const beside = async <A>({ honest }: Site, work: Promise<A>) => {
  const running = { isDone: false, calls: 0 }
  const done = work.finally(() => (running.isDone = true))
  const calls = async () => {
    while (!running.isDone) {
      await honest()
      running.calls++
      // The program has the machine for the hostile client meanwhile, which may only wait.
      await pause()
    }
  }
  const both = [done, calls()] as const
  // What a failure leaves is not to be there in the next play.
  await Promise.allSettled(both)
  const [result] = await Promise.all(both)
  return { result, calls: running.calls }
}

const settled = async (is: () => boolean): Promise<void> => {
  for (let looks = LOOKS; looks > 0 && !is(); looks--) await delay(50)
}

const assertReplies = (replies: ReadonlyArray<Reply>, scenario: Scenario, door: Door) => {
  const { bytesMax, check, codes, says, statuses, takenMax, words } = requiredAt(scenario, door)
  for (const reply of replies) {
    assert.include([...words], wordOf(reply), clip(`${reply.status}: ${reply.text}`))
    if (statuses !== undefined && reply.status !== undefined) assert.include([...statuses], reply.status)
    if (codes !== undefined && reply.code !== undefined) assert.include([...codes], reply.code)
    if (says !== undefined) assert.match(reply.text, says, clip(`${reply.status}: ${reply.text}`))
    if (takenMax !== undefined) assert.isAtMost(reply.taken, takenMax, "bytes that were taken of it")
    if (bytesMax !== undefined) assert.isAtMost(reply.bytes, bytesMax, "bytes of the answer")
  }
  check?.(replies)
}

export const play = async (site: Site, scenario: Scenario): Promise<void> => {
  const { door, hostile, honest, idle, program } = site
  assert.isFalse(program.isOver(), "the program of the scenarios before is there")
  program.turns()
  program.peakMb()
  const { calls, result: replies } = await beside(site, hostile(scenario.play))
  await honest()
  // What it has said of its turns by now is read in the next turn of this loop, and no later.
  for (let turn = 0; turn < 2; turn++) await nextTurn()
  const turns = program.turns()
  const [longest, peakMb] = [Math.max(0, ...turns), program.peakMb() - idle.mb]
  if (FIGURES !== undefined) {
    const seen = replies.slice(0, 4).map((reply) => [wordOf(reply), reply.status, reply.code, reply.taken, reply.bytes])
    const figures = {
      door,
      name: scenario.name,
      longest,
      room: Math.round(peakMb),
      calls,
      replies: replies.length,
      seen
    }
    appendFileSync(FIGURES, `${JSON.stringify(figures)}\n`)
  }
  assertReplies(replies, scenario, door)
  assert.isFalse(program.isOver(), "the program goes on")
  assert.isAtMost(longest, TURN_MAX_MS, "milliseconds of the longest turn")
  assert.isAtMost(peakMb, requiredAt(scenario, door).roomMb ?? ROOM_MB, "megabytes over idle")
  await settled(() => program.sockets() <= idle.sockets && program.children().length <= idle.children)
  assert.isAtMost(program.sockets(), idle.sockets, "connections that are left")
  assert.isAtMost(program.children().length, idle.children, "processes that are left")
}
