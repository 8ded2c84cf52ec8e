/** What calls used as a table that fits the terminal. Pure. */
import { tokensOf, type Usage, type UsageFigures, type UsagePart, type UsageRow } from "../../../schemas/call/Usage.ts"
import { clip, table } from "../../../schemas/content/Rendering.ts"

const NAME_MIN_CHARS = 8
/** With less room for each name, there are fewer figures. */
const NAME_ENOUGH_CHARS = 12
const DAY_CHARS = 10
const NAME_MAX_CHARS = 40
const ID_SHOWN = 6
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu
const FIGURES = ["CALLS", "ERRORS", "TIME", "CHARS", "~TOKENS"]
/** The last ones are needed least; so many stay in any case. */
const FIGURES_MIN = 2

const counted = (value: number): string =>
  value < 100_000
    ? String(value)
    : value < 1_000_000
      ? `${Math.round(value / 1_000)}k`
      : `${(value / 1_000_000).toFixed(1)}M`

const time = (ms: number): string =>
  ms < 1_000
    ? `${Math.round(ms)} ms`
    : ms < 60_000
      ? `${(ms / 1_000).toFixed(1)} s`
      : ms < 3_600_000
        ? `${(ms / 60_000).toFixed(1)} min`
        : `${(ms / 3_600_000).toFixed(1)} h`

const figuresOf = ({ calls, durationMs, errors, resultChars }: UsageFigures): ReadonlyArray<string> => [
  counted(calls),
  counted(errors),
  time(durationMs),
  counted(resultChars),
  counted(tokensOf(resultChars))
]

/** Two people of one name are said apart by the beginnings of their ids. */
const namerOf = (rows: ReadonlyArray<UsageRow>) => {
  const ids = new Map<string, Set<string>>()
  for (const { of, personId } of rows) {
    if (of.person == null) continue
    ids.set(of.person, (ids.get(of.person) ?? new Set()).add(personId ?? ""))
  }
  return ({ of, personId }: UsageRow, part: UsagePart): string => {
    const name = of[part]
    if (name == null) return "-"
    const shown = name.replace(HIDDEN, "\ufffd")
    const isOneOfSeveral = part === "person" && personId != null && (ids.get(name)?.size ?? 0) > 1
    return isOneOfSeveral ? `${shown} (${personId.slice(0, ID_SHOWN)})` : shown
  }
}

const widest = (rows: ReadonlyArray<ReadonlyArray<string>>): number =>
  rows.reduce(
    (most, row) =>
      Math.max(
        most,
        row.reduce((sum, cell) => sum + cell.length, 0)
      ),
    0
  )

/** `shown`: so many of the rows. */
export const renderUsage = (
  { rows, total }: Usage,
  by: ReadonlyArray<UsagePart>,
  columns: number,
  shown: number
): string => {
  const nameOf = namerOf(rows)
  const kept = rows.slice(0, shown)
  const figures = [...kept.map(figuresOf), figuresOf(total), FIGURES]
  // Widths of the columns of figures at their widest, each.
  const widths = FIGURES.map((_, at) => widest(figures.map((row) => [row[at]!])))
  const days = by.includes("day") ? 1 : 0
  const names = by.length - days
  const roomWith = (count: number): number => {
    const taken = widths.slice(0, count).reduce((sum, one) => sum + one, 0) + days * DAY_CHARS
    return Math.floor((columns - taken - 2 * (by.length + count - 1)) / Math.max(names, 1))
  }
  const count =
    FIGURES.slice(FIGURES_MIN - 1)
      .map((_, at) => FIGURES.length - at)
      .find((some) => names === 0 || roomWith(some) >= NAME_ENOUGH_CHARS) ?? FIGURES_MIN
  const room = Math.max(NAME_MIN_CHARS, Math.min(roomWith(count), NAME_MAX_CHARS))
  const cell = (row: UsageRow) => (part: UsagePart) => clip(nameOf(row, part), part === "day" ? DAY_CHARS : room)
  const shownOf = (some: UsageFigures): ReadonlyArray<string> => figuresOf(some).slice(0, count)
  const cells = kept.map((row) => [...by.map(cell(row)), ...shownOf(row)])
  const sum = ["total", ...by.slice(1).map(() => ""), ...shownOf(total)]
  const more = rows.length - kept.length
  return [
    table([
      [...by.map((part) => part.toUpperCase()), ...FIGURES.slice(0, count)],
      ...cells,
      ...(by.length === 0 ? [] : [sum])
    ]),
    ...(more === 0 ? [] : [`${more} more rows: --limit ${rows.length} shows them`])
  ].join("\n")
}
