/** What calls used as a table that fits the terminal. Pure. */
import { tokensOf, type Usage, type UsageFigures, type UsagePart, type UsageRow } from "../../../schemas/call/Usage.ts"
import { clip, table } from "../../../schemas/content/Rendering.ts"

const NAME_MIN_CHARS = 8
const NAME_MAX_CHARS = 40
const ID_SHOWN = 6
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu
const FIGURES = ["CALLS", "ERRORS", "TIME", "CHARS", "~TOKENS"]

const count = (value: number): string =>
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
  count(calls),
  count(errors),
  time(durationMs),
  count(resultChars),
  count(tokensOf(resultChars))
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
  const gaps = 2 * (by.length + FIGURES.length - 1)
  // Widths of the columns of figures at their widest, each.
  const taken = FIGURES.reduce((sum, _, at) => sum + widest(figures.map((row) => [row[at]!])), 0)
  const room = Math.floor((columns - taken - gaps) / Math.max(by.length, 1))
  const name = (text: string) => clip(text, Math.max(NAME_MIN_CHARS, Math.min(room, NAME_MAX_CHARS)))
  const cells = kept.map((row) => [...by.map((part) => name(nameOf(row, part))), ...figuresOf(row)])
  const sum = ["total", ...by.slice(1).map(() => ""), ...figuresOf(total)]
  const more = rows.length - kept.length
  return [
    table([[...by.map((part) => part.toUpperCase()), ...FIGURES], ...cells, ...(by.length === 0 ? [] : [sum])]),
    ...(more === 0 ? [] : [`${more} more rows: --limit ${rows.length} shows them`])
  ].join("\n")
}
