/**
 * The requests that a gateway's agent is working on, visible to all processes of a data directory. A gateway starts servers
 * of its own, possibly including this one, and does not tell them what caused a call. So the cause of a request is found
 * here: a small file for each request, and an empty one for each call of its agent that is a request in turn, named by the
 * mark of its message. Whoever takes that request removes the file. So each call accounts for exactly one request, even if
 * two have the same text.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { readdirSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import {
  ORDER_CALLS_TOLD_MAX,
  ORDER_LEFT_MS,
  ORDER_TOLD_EVERY_MS,
  ORDER_TOLD_MS,
  ORDER_UNDERWAY_MAX_BYTES
} from "../../../schemas/defaults/Orders.ts"
import { reader } from "../../../schemas/data/Lenient.ts"
import { chainMeta, deeper, readChain, type Above } from "../../../schemas/agent/OrderChain.ts"
import { isOrderTool, ordersIn } from "./toolCalls.ts"
import { isOwnerAlive, Owner, thisProcess } from "../../../system/processOwner.ts"
import { makeOwnDirectory, readOwnSync } from "../../../system/ownFiles.ts"

/** A request of ours while the agent works on it. */
export interface Kept {
  readonly onEvent: (event: AgentEvent) => void
  /** Shows that it is still running, for those who can only check its age. */
  readonly touch: () => void
  readonly end: () => void
}

export interface Underway {
  /** `at` is the position of the request in its chain, including itself. */
  readonly begin: (at: Above) => Kept
  /**
   * What caused a request with this mark. If a gateway sends it and no call is known for it, any request under way may be the
   * cause: then the deepest counts, or the one that it would loop back to.
   */
  readonly above: (mark: string, isFromGateway: boolean) => Effect.Effect<Above | undefined>
}

const readJson = reader(Schema.fromJsonString(Schema.Unknown))
const readKept = reader(Schema.Struct({ ...Owner.fields, depth: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)) }))

const ORDER = /^([0-9a-f]{24})\.json$/
const CALL = /^([0-9a-f]{24})\.([0-9a-f]{16})\.\d{1,10}$/

const attempt = <A, B>(work: () => A, otherwise: B): A | B => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

const nothing: Kept = { onEvent: () => {}, touch: () => {}, end: () => {} }

export const NONE_UNDERWAY: Underway = { begin: () => nothing, above: () => Effect.succeed(undefined) }

export const makeUnderway = (directory: string, mark: (message: string) => string): Underway => {
  const folder = join(directory, "underway")
  const remove = (name: string): void => attempt(() => rmSync(join(folder, name), { force: true }), undefined)

  const isOld = (name: string): boolean =>
    Date.now() - attempt(() => statSync(join(folder, name)).mtimeMs, Date.now()) > ORDER_LEFT_MS

  // ---- of other processes ----------------------------------------------------------------------------------------------

  const readAt = (name: string): Above | undefined => {
    const file = readJson(attempt(() => readOwnSync(join(folder, name), ORDER_UNDERWAY_MAX_BYTES)?.text, undefined))
    const kept = readKept(file)
    if (kept === undefined) return undefined
    // The gateway may still work for a while on requests of a process that was killed.
    return isOwnerAlive(kept) === true || !isOld(name) ? { chain: readChain(file), depth: kept.depth } : undefined
  }

  /** Reads the folder, and removes what nobody else will remove. */
  const look = () => {
    const names = attempt(() => readdirSync(folder), [])
    const orders = new Map<string, Above>()
    for (const name of names) {
      const id = ORDER.exec(name)?.[1]
      if (id === undefined) continue
      const at = readAt(name)
      if (at !== undefined) orders.set(id, at)
      // It may be just being written, or temporarily unreadable.
      else if (isOld(name)) remove(name)
    }
    const calls = names.flatMap((name) => {
      const [, id, of] = CALL.exec(name) ?? []
      if (id === undefined || of === undefined) return []
      const at = orders.get(id)
      if (at !== undefined) return [{ name, of, at }]
      // Written while we looked, or abandoned.
      if (isOld(name)) remove(name)
      return []
    })
    return { orders: [...orders.values()], calls }
  }

  /** Only one process can remove a file. */
  const take = (name: string): boolean =>
    attempt(() => {
      unlinkSync(join(folder, name))
      return true
    }, false)

  const above = Effect.fnUntraced(function* (wanted: string, isFromGateway: boolean) {
    for (let leftMs = ORDER_TOLD_MS; ; leftMs -= ORDER_TOLD_EVERY_MS) {
      const { calls, orders } = look()
      const fitting = calls.filter(({ of }) => of === wanted).toSorted((a, b) => b.at.depth - a.at.depth)
      const taken = fitting.find(({ name }) => take(name))
      if (taken !== undefined) return taken.at
      if (!isFromGateway || orders.length === 0) return undefined
      // The call may arrive before we learn about it.
      if (leftMs <= 0) return orders.find(({ chain }) => chain.includes(wanted)) ?? orders.reduce(deeper)
      yield* Effect.sleep(ORDER_TOLD_EVERY_MS)
    }
  })

  // ---- of this process -------------------------------------------------------------------------------------------------

  const begin = ({ chain, depth }: Above): Kept => {
    const id = randomBytes(12).toString("hex")
    const path = join(folder, `${id}.json`)
    const calls = new Map<string, ReadonlyArray<string>>()
    /** Marks given to a tool that calls others: its call is announced as well, and counts as the same one. */
    let announced: ReadonlyArray<{ readonly call: string; readonly of: string }> = []
    let count = 0
    const write = (name: string, text: string) =>
      attempt(() => writeFileSync(join(folder, name), text, { flag: "wx", mode: 0o600 }), undefined)
    const kept = { ...thisProcess(), ...chainMeta(chain.slice(0, -1), chain.at(-1)!), depth }
    attempt(() => makeOwnDirectory(folder), undefined)
    write(`${id}.json`, JSON.stringify(kept))

    const withdraw = (one: string): boolean => {
      const at = announced.findIndex(({ of }) => of === one)
      announced = announced.filter((_, index) => index !== at)
      return at !== -1
    }

    const over = (call: string) => {
      for (const name of calls.get(call) ?? []) remove(name)
      calls.delete(call)
      announced = announced.filter((one) => one.call !== call)
    }
    return {
      onEvent: (event) => {
        if (event._tag === "ToolResult") return over(event.id)
        if (event._tag !== "ToolCall" || calls.size >= ORDER_CALLS_TOLD_MAX) return
        const marks = ordersIn(event.name, event.args).map(mark)
        const isMade = isOrderTool(event.name)
        const fresh = isMade ? marks.filter((one) => !withdraw(one)) : marks
        const names = fresh.map((one) => `${id}.${one}.${++count}`)
        if (names.length === 0) return
        over(event.id)
        calls.set(event.id, names)
        if (!isMade) announced = [...announced, ...marks.map((of) => ({ call: event.id, of }))]
        for (const name of names) write(name, "")
      },
      touch: () =>
        attempt(() => {
          const now = new Date()
          utimesSync(path, now, now)
        }, undefined),
      end: () => {
        for (const call of calls.keys()) over(call)
        remove(`${id}.json`)
      }
    }
  }

  return { begin, above }
}
