/**
 * A table of any length: only the rows in sight are in the document. The table is one stop of the Tab key; within it the arrow keys,
 * Page Up and Down, Home and End move from row to row, and Enter opens one.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { rowsInSight, stepTo } from "./rows.ts"

export interface Column<Row> {
  readonly key: string
  readonly title: string
  /** A track of a CSS grid: `8rem`, `minmax(0, 1fr)`. */
  readonly width: string
  readonly cell: (row: Row) => ComponentChildren
  /** Figures stand at the right. */
  readonly isFigure?: boolean
  /** Where it is left out: in a table below 760 px, or below 480 px. */
  readonly hides?: "narrow" | "tiny"
}

export interface TableProps<Row> {
  /** For screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row, index: number) => string | number
  readonly onOpen?: (row: Row) => void
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void
  /** The key of the row that is open. */
  readonly opened?: string | number | undefined
  readonly empty: ComponentChildren
  /** `bad`, `warn`: marks the row. */
  readonly toneOf?: (row: Row) => "bad" | "warn" | undefined
}

/** As `--row` in `tokens.css`. */
const ROW_PX = 30
const STEP_PX = 6 * ROW_PX
/** More than rows fit on any screen. */
const SLOTS = 256

export const Table = <Row,>(props: TableProps<Row>) => {
  const { columns, empty, keyOf, label, onEnd, onOpen, opened, rows, toneOf } = props
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ top: 0, height: 600 })
  const [active, setActive] = useState(-1)
  // Keys may come faster than the table is drawn.
  const latest = useRef(-1)
  const activate = (index: number) => {
    latest.current = index
    setActive(index)
  }
  // Draws again after some rows, not after each pixel: there are rows beyond the edges.
  const look = ({ clientHeight: height, scrollTop }: HTMLElement) => {
    const top = Math.floor(scrollTop / STEP_PX) * STEP_PX
    setSight((before) => (before.top === top && before.height === height ? before : { top, height }))
  }
  useLayoutEffect(() => {
    const element = box.current!
    const watcher = new ResizeObserver(() => look(element))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])

  const { from, to } = rowsInSight({ count: rows.length, rowPx: ROW_PX, ...sight })
  const isAtEnd = to === rows.length
  useEffect(() => {
    if (isAtEnd) onEnd?.()
  }, [isAtEnd, rows.length])
  const current = Math.min(active, rows.length - 1)
  const idOf = (index: number) => `${label.replace(/\W+/g, "-")}-row-${index}`
  const tracks = (shown: ReadonlyArray<Column<Row>>) => shown.map(({ width }) => width).join(" ")

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current) return
    const at = Math.min(latest.current, rows.length - 1)
    if (event.key === "Enter" && at >= 0) {
      event.preventDefault()
      return onOpen?.(rows[at]!)
    }
    const next = stepTo(event.key, at, rows.length, Math.floor(sight.height / ROW_PX) - 2)
    if (next === undefined) return
    event.preventDefault()
    activate(next)
    const element = box.current!
    const head = element.firstElementChild!.clientHeight
    const place = next * ROW_PX
    if (place < element.scrollTop) element.scrollTop = place
    else if (place + ROW_PX > element.scrollTop + element.clientHeight - head) {
      element.scrollTop = place + ROW_PX - element.clientHeight + head
    }
  }

  const hidesClass = ({ hides, isFigure }: Column<Row>) => `${hides ?? ""}${isFigure === true ? " figure" : ""}`
  return (
    <div
      class="table"
      ref={box}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={current >= from && current < to ? idOf(current) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => look(currentTarget)}
      style={{
        "--tracks": tracks(columns),
        "--tracks-narrow": tracks(columns.filter(({ hides }) => hides !== "narrow")),
        "--tracks-tiny": tracks(columns.filter(({ hides }) => hides === undefined))
      }}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <div key={column.key} role="columnheader" class={hidesClass(column)}>
            {column.title}
          </div>
        ))}
      </div>
      {rows.length === 0 ? (
        <div class="table-empty" role="row">
          <div role="gridcell">{empty}</div>
        </div>
      ) : (
        <div class="table-rows" role="rowgroup" style={{ height: `${rows.length * ROW_PX}px` }}>
          {rows.slice(from, to).map((row, place) => {
            const index = from + place
            const key = keyOf(row, index)
            return (
              <div
                // Rows that scroll out of sight become those that come: nothing is made anew.
                key={index % SLOTS}
                id={idOf(index)}
                class="table-row"
                role="row"
                aria-rowindex={index + 2}
                aria-selected={opened === key}
                data-active={index === current}
                data-tone={toneOf?.(row)}
                data-opens={onOpen !== undefined}
                style={{ transform: `translateY(${index * ROW_PX}px)` }}
                onClick={() => {
                  activate(index)
                  onOpen?.(row)
                }}
              >
                {columns.map((column) => (
                  <div key={column.key} role="gridcell" class={hidesClass(column)}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      )}
    </div>
  )
}
