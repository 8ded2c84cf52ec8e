/**
 * Lines on the disk that are owed to somebody who is away: kept in order, up to so many bytes, and sent when that one is back. What a killed
 * process has left is owed by the next one of the same name.
 */
import * as Effect from "effect/Effect"
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"

export interface Spool {
  /** Whether nothing is owed. What comes is not added to the spool then, but sent. */
  readonly isEmpty: () => boolean
  /** Returns when the lines have been handed to the system; `false` when there is no room for them. */
  readonly add: (lines: ReadonlyArray<string>) => boolean
  /** The oldest lines that are owed, as many as are sent at once. The same until `sent`; after a death, they may be given again. */
  readonly next: () => ReadonlyArray<string>
  /** What `next` gave is not owed any more. */
  readonly sent: () => void
}

const OWN_ONLY = 0o600
const SENT_AT_ONCE = 500

/** The last line may have been cut by the death of its process: such a line was not promised to anybody. */
const linesIn = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).filter(Boolean) : []

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

export const makeSpool = (path: string, maxBytes: number): Spool => {
  const sending = `${path}.sending`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let file: number | undefined
  let bytes = sizeOf(path) + sizeOf(sending)
  let isEmpty = bytes === 0

  const opened = (): number => {
    if (file !== undefined) return file
    file = openSync(path, "a", OWN_ONLY)
    // A line that was cut must not become the beginning of the next one.
    if (fstatSync(file).size > 0) writeSync(file, "\n")
    return file
  }

  /** All of it or nothing: a part of a line would make the rest unreadable. The disk may be full. */
  const append = (text: string, size: number): boolean => {
    let before: number | undefined
    try {
      const to = opened()
      before = fstatSync(to).size
      if (writeSync(to, text) === size) return true
    } catch {
      // There is no room, as for too many bytes.
    }
    try {
      if (file !== undefined && before !== undefined) ftruncateSync(file, before)
    } catch {
      // It is no file that can be cut.
    }
    return false
  }

  const add = (lines: ReadonlyArray<string>): boolean => {
    const text = `${lines.join("\n")}\n`
    const size = Buffer.byteLength(text)
    if (bytes + size > maxBytes || !append(text, size)) return false
    isEmpty = false
    bytes += size
    return true
  }

  /** New lines go to a new file, while those until now are sent. */
  const putAside = (): ReadonlyArray<string> => {
    if (file !== undefined) closeSync(file)
    file = undefined
    if (!existsSync(sending) && existsSync(path)) renameSync(path, sending)
    return linesIn(sending)
  }

  let owed: ReadonlyArray<string> | undefined
  let position = 0

  const next = (): ReadonlyArray<string> => {
    if (isEmpty) return []
    owed ??= putAside()
    return owed.slice(position, position + SENT_AT_ONCE)
  }

  const sent = (): void => {
    position += SENT_AT_ONCE
    if (owed !== undefined && position < owed.length) return
    owed = undefined
    position = 0
    rmSync(sending, { force: true })
    bytes = sizeOf(path)
    isEmpty = bytes === 0
  }

  return { isEmpty: () => isEmpty, add, next, sent }
}

/**
 * Sends all that is owed, also what is added meanwhile. What could not be sent stays. A line that is refused is found by halves and left
 * out, and keeps no other from being sent. Says whether anything was owed.
 */
export const sendOwed = <E, R>(
  spool: Spool,
  send: (lines: ReadonlyArray<string>) => Effect.Effect<unknown, E, R>,
  /** Whether `send` died of one of its lines, and would die of it each time. */
  isRefused: (defect: unknown) => boolean
): Effect.Effect<boolean, E, R> =>
  Effect.gen(function* () {
    if (spool.isEmpty()) return false
    const faults: Array<unknown> = []
    const deliver = (lines: ReadonlyArray<string>): Effect.Effect<void, E, R> =>
      Effect.catchDefect(Effect.asVoid(Effect.suspend(() => send(lines))), (defect) => {
        if (!isRefused(defect)) return Effect.die(defect)
        if (lines.length === 1) return Effect.sync(() => void faults.push(defect))
        const middle = Math.ceil(lines.length / 2)
        return Effect.andThen(deliver(lines.slice(0, middle)), deliver(lines.slice(middle)))
      })
    while (!spool.isEmpty()) {
      const lines = spool.next()
      if (lines.length > 0) yield* deliver(lines)
      spool.sent()
      const [fault] = faults
      if (fault !== undefined) {
        yield* Effect.logError(
          `${faults.splice(0).length} kept lines cannot be sent and are left out, the first one because of:`,
          fault
        )
      }
    }
    return true
  })
