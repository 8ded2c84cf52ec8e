/**
 * The lines of one server under one filter: those that come, and older ones page by page. It is read anew when the connection is there again,
 * and ends with `stop`.
 */
import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals"
import type { ServerLogLine } from "../../../../../schemas/connection/ServerLogLine.ts"
import { wordsOf } from "../../store/Gateway.ts"
import type { Store } from "../../store/Store.ts"
import { joined, type LogFilter, matches } from "./logLines.ts"

const PAGE_LINES = 200
/** The oldest are dropped behind it. */
export const KEPT_LINES_MAX = 2_000
/** Lines that come fast are shown together. */
const TOGETHER_MS = 100
/** A search looks through this many pages before it asks whether to go on. */
const PAGES_AT_ONCE = 10
const RECENT_LINES_MAX = 200

export interface NumberedLine {
  readonly id: number
  readonly line: ServerLogLine
}

export interface LogState {
  readonly lines: ReadonlyArray<NumberedLine>
  readonly isReading: boolean
  /** Whether older lines can be asked for. */
  readonly hasOlder: boolean
  readonly fault: string | undefined
}

export interface LogModel {
  readonly state: ReadonlySignal<LogState>
  readonly older: () => void
  readonly stop: () => void
}

const EMPTY: LogState = { lines: [], isReading: true, hasOlder: false, fault: undefined }

/** `recent`: the last lines of the server that were heard under any filter. The files have them only a moment later. */
export const makeLogModel = (
  { gateway, link }: Pick<Store, "gateway" | "link">,
  filter: LogFilter,
  recent: Array<ServerLogLine> = []
): LogModel => {
  const state = signal(EMPTY)
  let ids = 0
  let cursor: string | undefined
  /** What came since the connection was opened, and is not in `lines` yet. */
  let live: Array<ServerLogLine> = []
  /** A page that was asked for before belongs to an earlier reading. */
  let reading = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const numbered = (lines: ReadonlyArray<ServerLogLine>) => lines.map((line) => ({ id: ids++, line }))
  const change = (next: Partial<LogState>) => {
    state.value = { ...state.value, ...next }
  }
  const showLive = () => {
    timer = undefined
    if (state.value.isReading || live.length === 0) return
    const all = [...state.value.lines, ...numbered(live)]
    live = []
    // Behind a gap, older lines begin at the newest again.
    if (all.length > KEPT_LINES_MAX) cursor = undefined
    change({ lines: all.slice(-KEPT_LINES_MAX), hasOlder: state.value.hasOlder || all.length > KEPT_LINES_MAX })
  }
  const heard = (line: ServerLogLine) => {
    recent.push(line)
    if (recent.length > RECENT_LINES_MAX) recent.shift()
    if (!matches(line, filter)) return
    live.push(line)
    if (live.length > KEPT_LINES_MAX) live.shift()
    timer ??= setTimeout(showLive, TOGETHER_MS)
  }

  const pages = async (mine: number): Promise<ReadonlyArray<ServerLogLine>> => {
    let lines: ReadonlyArray<ServerLogLine> = []
    for (let page = 0; page < PAGES_AT_ONCE && lines.length < PAGE_LINES; page++) {
      const { level, server, source, text } = filter
      const found = await gateway.ask("PastLogs", {
        server,
        level,
        ...(source === undefined ? {} : { source }),
        ...(text === "" ? {} : { text }),
        ...(cursor === undefined ? {} : { before: cursor }),
        limit: PAGE_LINES
      })
      if (mine !== reading) return []
      lines = found.lines.concat(lines)
      cursor = found.cursor
      if (cursor === undefined) break
    }
    return lines
  }
  const read = async (isFirst: boolean) => {
    const mine = isFirst ? ++reading : reading
    change({ isReading: true, fault: undefined })
    try {
      const past = await pages(mine)
      if (mine !== reading) return
      // What is older than the page, and passes the filter, comes with the pages before it.
      const [oldest] = past
      const fresh = oldest === undefined ? live : live.filter(({ time }) => time >= oldest.time)
      const lines = isFirst ? numbered(joined(past, fresh)) : [...numbered(past), ...state.value.lines]
      if (isFirst) live = []
      change({ lines, isReading: false, hasOlder: cursor !== undefined })
    } catch (error) {
      if (mine === reading) change({ isReading: false, fault: wordsOf(error) })
    }
    showLive()
  }
  const begin = () => {
    live = recent.filter((line) => matches(line, filter))
    cursor = undefined
    void read(true)
  }

  let unfollow = () => {}
  const isOpen = signal(false)
  const stopLink = effect(() => {
    isOpen.value = link.value.state === "open"
  })
  const stopLife = effect(() => {
    if (!isOpen.value) return
    unfollow = gateway.follow("Logs", { server: filter.server }, { each: heard })
    untracked(begin)
    return () => unfollow()
  })
  return {
    state,
    older: () => {
      if (state.value.isReading) return
      if (cursor === undefined) begin()
      else void read(false)
    },
    stop: () => {
      reading++
      clearTimeout(timer)
      stopLife()
      stopLink()
    }
  }
}
