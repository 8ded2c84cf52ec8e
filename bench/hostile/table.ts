/** What became of each scenario, client by client, as rows, counts and tables. */
import type { Machine } from "../lib/machine.ts"
import { WORDS, type Verdict, type Word } from "./classify.ts"
import type { ClientName } from "./clients/subject.ts"
import type { TransportName } from "./scenarios.ts"

/** One client in one scenario. */
export interface Cell extends Verdict {
  readonly ms: number
  /** MiB, the highest of the process, and what of it is over the same client with a polite server. */
  readonly peakMiB: number
  readonly overIdleMiB: number
  /** Milliseconds that the event loop stood still at the longest. */
  readonly stallMs: number
  /** Milliseconds of the slowest call to an honest server beside it. */
  readonly besideMs: number | undefined
}

export interface Row {
  readonly class: string
  readonly title: string
  readonly about: string
  readonly id: ReadonlyArray<string>
  readonly transport: TransportName
  readonly best: ReadonlyArray<Word>
  readonly cells: Readonly<Partial<Record<ClientName, Cell>>>
}

export interface Idle {
  readonly transport: TransportName
  /** MiB, the median of some. */
  readonly peakMiB: Readonly<Partial<Record<ClientName, number>>>
}

export interface Report {
  readonly where: Machine
  readonly clients: ReadonlyArray<ClientName>
  readonly minutes: number
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly leftAfterMs: number
  readonly idle: ReadonlyArray<Idle>
  readonly rows: ReadonlyArray<Row>
}

export const NAMES: Readonly<Record<ClientName, string>> = {
  "sdk-v1": "SDK v1",
  "sdk-v2": "SDK v2",
  "mcp-live": "mcp-live"
}

const cellsOf = (rows: ReadonlyArray<Row>, client: ClientName): ReadonlyArray<Cell> =>
  rows.map(({ cells }) => cells[client]).filter((cell) => cell !== undefined)

/** How often each client came to each word, the best word first, and how often that was as good as it gets. */
export const countsOf = (
  rows: ReadonlyArray<Row>,
  clients: ReadonlyArray<ClientName>
): ReadonlyArray<readonly [what: string, counts: ReadonlyArray<number>]> => {
  const count = (what: string, is: (cell: Cell) => boolean) =>
    [what, clients.map((client) => cellsOf(rows, client).filter(is).length)] as const
  return [
    count("as good as it gets", ({ honest }) => honest),
    ...(Object.keys(WORDS) as Array<Word>).toReversed().map((word) => count(word, (cell) => cell.word === word)),
    count("event loop blocked for more than 300 ms", ({ stallMs }) => stallMs > STALL_SHOWN_MS),
    count("more than 64 MiB over idle", ({ overIdleMiB }) => overIdleMiB > MEMORY_MUCH_MIB)
  ]
}

/** Below these, figures say more of the machine than of a client. */
const STALL_SHOWN_MS = 300
const MEMORY_MUCH_MIB = 64
const TIME_MUCH_MS = 1_000
const TIMES_MUCH = 2

const least = (cells: ReadonlyArray<Cell>, figure: "ms" | "overIdleMiB" | "stallMs"): number =>
  Math.min(...cells.map((cell) => cell[figure]))

/** In what a client falls short of those that did as well. */
const behind = (own: Cell, others: ReadonlyArray<Cell>): ReadonlyArray<string> => {
  const [ms, mib, stallMs] = [least(others, "ms"), least(others, "overIdleMiB"), least(others, "stallMs")]
  const isSlower = own.ms > TIMES_MUCH * ms && own.ms > ms + TIME_MUCH_MS
  const isLarger = own.overIdleMiB > mib + MEMORY_MUCH_MIB
  const blocks = own.stallMs > STALL_SHOWN_MS && own.stallMs > TIMES_MUCH * stallMs
  return [
    ...(isSlower ? [`takes ${seconds(own.ms)} instead of ${seconds(ms)}`] : []),
    ...(isLarger ? [`takes ${own.overIdleMiB} MiB instead of ${mib}`] : []),
    ...(blocks ? [`blocks the event loop for ${seconds(own.stallMs)} instead of ${seconds(stallMs)}`] : [])
  ]
}

/** Rows in which `client` falls short, of what is possible or of what another one does, and in what. */
export const shortcomings = (
  rows: ReadonlyArray<Row>,
  client: ClientName
): ReadonlyArray<readonly [row: Row, reasons: ReadonlyArray<string>]> =>
  rows
    .map((row): [Row, ReadonlyArray<string>] => {
      const own = row.cells[client]
      if (own === undefined) return [row, []]
      if (!own.honest) return [row, [`${own.word}${own.detail === "" ? "" : ` (${own.detail})`}`]]
      const others = Object.entries(row.cells).flatMap(([name, cell]) => (name !== client && cell.honest ? [cell] : []))
      return [row, behind(own, others)]
    })
    .filter(([, reasons]) => reasons.length > 0)

export const seconds = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

const signed = (mib: number) => (mib > 0 ? `+${mib}` : `${mib}`)

/** The word first: it is what is compared. What an error said is worth its place where it should not have been one. */
export const shownCell = (cell: Cell | undefined, everything = false): ReadonlyArray<string> => {
  if (cell === undefined) return ["–"]
  const { besideMs, detail, honest, ms, overIdleMiB, stallMs, word } = cell
  const stall = stallMs > STALL_SHOWN_MS ? `, loop blocked ${seconds(stallMs)}` : ""
  const beside = besideMs === undefined ? "" : `, beside it ${seconds(besideMs)}`
  return [
    honest ? word : word.toUpperCase(),
    `${seconds(ms)}, ${signed(overIdleMiB)} MiB${stall}${beside}`,
    ...(detail === "" || (honest && !everything) ? [] : [detail])
  ]
}
