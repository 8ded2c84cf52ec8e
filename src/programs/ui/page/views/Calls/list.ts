/** The records that the view shows, the newest first: what was asked for from the past, and what came since. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { HeardRecord } from "../../../../../schemas/control/Events.ts"
import { isAskedFor } from "../../../../../schemas/control/Past.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { useStore } from "../../store/context.ts"
import type { Filter } from "./filter.ts"

const PAGE = 200
/** Older ones leave the page when newer ones come. */
export const SHOWN_MAX = 10_000

/** Two records with one key are one record. */
export const keyOf = ({ id, record }: HeardRecord): string =>
  id ??
  (record.kind === "call" ? record.callId : undefined) ??
  `${record.time} ${record.kind} ${JSON.stringify(record).length}`

/** Newer ones on top; what is there already is left out. */
export const onTop = (
  shown: ReadonlyArray<HeardRecord>,
  newer: ReadonlyArray<HeardRecord>
): ReadonlyArray<HeardRecord> => {
  const known = new Set(shown.slice(0, PAGE).map(keyOf))
  return [...newer.filter((each) => !known.has(keyOf(each))).toReversed(), ...shown].slice(0, SHOWN_MAX)
}

/** An older page below; what is there already is left out. */
export const below = (
  shown: ReadonlyArray<HeardRecord>,
  older: ReadonlyArray<HeardRecord>
): ReadonlyArray<HeardRecord> => {
  const known = new Set(shown.slice(-PAGE * 2).map(keyOf))
  return [...shown, ...older.filter((each) => !known.has(keyOf(each))).toReversed()].slice(0, SHOWN_MAX)
}

export interface List {
  readonly rows: ReadonlyArray<HeardRecord>
  /** Asks for older ones, if there are some. */
  readonly more: () => void
  readonly isLoading: boolean
  readonly isWhole: boolean
  readonly error: string | undefined
}

interface Kept {
  rows: ReadonlyArray<HeardRecord>
  cursor: string | undefined
  isLoading: boolean
  isWhole: boolean
  error: string | undefined
}

const nothing = (): Kept => ({ rows: [], cursor: undefined, isLoading: false, isWhole: false, error: undefined })

export const useList = (filter: Filter): List => {
  const { gateway, hear, link, revisions } = useStore()
  const kept = useRef(nothing())
  const [, setTurn] = useState(0)
  const draw = () => setTurn((turn) => turn + 1)
  const of = JSON.stringify(filter)
  const isOpen = link.value.state === "open"

  const load = async (into: Kept) => {
    if (into.isLoading || into.isWhole || into.rows.length >= SHOWN_MAX) return
    into.isLoading = true
    try {
      const before = into.cursor === undefined ? {} : { before: into.cursor }
      const { cursor, records } = await gateway.ask("PastCalls", { ...filter, ...before, limit: PAGE })
      into.rows = below(into.rows, records)
      into.cursor = cursor
      into.isWhole = cursor === undefined
      into.error = undefined
    } catch (error) {
      into.error = wordsOf(error)
    }
    into.isLoading = false
    if (into === kept.current) draw()
    // A page may be empty though there are older ones: a search looks at a part at a time.
    if (into === kept.current && into.error === undefined && into.rows.length < PAGE) void load(into)
  }

  useEffect(() => {
    if (!isOpen) return
    kept.current = nothing()
    void load(kept.current)
    draw()
  }, [of, isOpen, revisions.value.all])
  useEffect(
    () =>
      hear("Call", (events) => {
        const wanted = events.filter(({ record }) => isAskedFor(filter, record))
        if (wanted.length === 0) return
        kept.current.rows = onTop(kept.current.rows, wanted)
        draw()
      }),
    [of]
  )
  const { error, isLoading, isWhole, rows } = kept.current
  return { rows, isLoading, isWhole, error, more: () => void load(kept.current) }
}
