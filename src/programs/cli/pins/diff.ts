/**
 * The output of `mcp-live pins diff`: changed ways to start servers, the differences of each definition, and the command that
 * approves them.
 */
import { definitionDiff, startedDiff, type Difference } from "./definitionDiff.ts"
import { isOpen, statusOf, type ServerPins } from "../../../schemas/call/Pins.ts"
import { spelledName } from "../../../schemas/content/SpelledText.ts"
import { hashOf, pathOf, seenHash, type Chosen } from "./choice.ts"
import { dateOf, noteOf, renderDifferences, shortHash, type View } from "./text.ts"

export const diffOf = ({ pin, pins }: Chosen) =>
  pin.pending === undefined ? { differences: [], more: 0 } : definitionDiff(pins, pin.approved, pin.pending)

// ---- how servers are started ---------------------------------------------------------------------------------------

interface Launched {
  readonly pins: ServerPins
  /** The tools that were approved when it was started in the other way. */
  readonly rows: ReadonlyArray<Chosen>
  /** `undefined` when the other way is not stored. */
  readonly differences: ReadonlyArray<Difference> | undefined
}

/** For each way in which a server was started when its tools were approved: the differences from now. */
export const launchesOf = (rows: ReadonlyArray<Chosen>): ReadonlyArray<Launched> =>
  [...Map.groupBy(rows, ({ pins }) => pins)].flatMap(([pins, ofServer]) => {
    const now = pins.launches.get(pins.launch)
    return [...Map.groupBy(ofServer, ({ pin }) => pin.approved?.launch)].flatMap(([launch, ofLaunch]) => {
      if (launch === undefined) return []
      const before = pins.launches.get(launch)
      const differences = before === undefined || now === undefined ? undefined : startedDiff(before, now)
      return [{ pins, rows: ofLaunch, differences }]
    })
  })

const NAMES_MAX = 12

const namesOf = (rows: ReadonlyArray<Chosen>): string => {
  const names = rows.map(({ pin }) => spelledName(pin.name))
  const more = names.length - NAMES_MAX
  return more > 1 ? `${names.slice(0, NAMES_MAX).join(", ")} and ${more} more` : names.join(", ")
}

const isOnlyLaunched = (row: Chosen): boolean =>
  row.pin.approved?.launch !== undefined &&
  row.pin.shadows === undefined &&
  !row.pin.rejected &&
  !row.pin.gone &&
  diffOf(row).differences.length === 0

const renderLaunch = ({ differences, rows }: Launched, server: string, view: View): string => {
  const same = rows.filter(isOnlyLaunched)
  return [
    `${server}: started in another way than when ${rows.length === 1 ? "this tool was" : `${rows.length} of its tools were`} approved`,
    differences === undefined
      ? "  the way in which it was started then is not stored"
      : differences.length === 0
        ? "  the difference is not shown: it is a credential or the value of a variable"
        : renderDifferences(differences, 0, view),
    ...(same.length === 0 ? [] : [`  no other difference: ${namesOf(same)}`])
  ].join("\n")
}

// ---- definitions ---------------------------------------------------------------------------------------------------

const headOf = ({ pin }: Chosen, server: string): string => {
  const note = noteOf(pin)
  const approved = pin.approved === undefined ? "never approved" : `approved ${dateOf(pin.approved.at)}`
  const hashes = [pin.approved, pin.pending].flatMap((one) => (one === undefined ? [] : [shortHash(one.hash)]))
  return `${server}/${spelledName(pin.name)}: ${statusOf(pin)}, ${approved}, ${hashes.join(" → ")}${note === "" ? "" : `\n  ${note}`}`
}

const renderRow = (row: Chosen, server: string, view: View): string => {
  const { differences, more } = diffOf(row)
  const { approved, gone, pending } = row.pin
  const isUnseen = approved !== undefined && approved.launch === undefined && pending !== undefined
  return [
    headOf(row, server),
    ...(differences.length === 0 ? [] : [renderDifferences(differences, more, view)]),
    ...(isUnseen && differences.length === 0
      ? ["  the difference is not stored: it is a known secret, or in a text that is too long to store"]
      : []),
    ...(pending === undefined && gone ? [] : [`  to approve it: ${approving(row)}`])
  ].join("\n")
}

// ---- the commands that approve ---------------------------------------------------------------------------------------

/** Quotes a word unless it means nothing special to a shell, so that it is safe to copy. */
const shellWord = (word: string): string => (/^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const approving = (row: Chosen): string =>
  `mcp-live pins approve ${shellWord(pathOf(row))} --hash ${shortHash(hashOf(row.pin))}`

/** Approves exactly the rows of one server that were shown. Rejected tools are left out: they are decided. */
const settlingServer = (rows: ReadonlyArray<Chosen>): ReadonlyArray<string> => {
  const [first] = rows
  const waiting = rows.filter(({ pin }) => statusOf(pin) !== "rejected")
  if (first === undefined || waiting.length === 0) return []
  const isWhole = waiting.length === rows.length && rows.length > 1 && isEverythingOf(rows)
  if (!isWhole) return waiting.map(approving)
  return [
    `mcp-live pins approve ${shellWord(spelledName(first.pins.server))} --all --hash ${shortHash(seenHash(rows))}`
  ]
}

const isEverythingOf = (rows: ReadonlyArray<Chosen>): boolean =>
  [...Map.groupBy(rows, ({ pins }) => pins)].every(
    ([pins, shown]) => shown.length === [...pins.tools.values()].filter(isOpen).length
  )

/** One line for a shell; `undefined` when nothing is waiting. */
export const settling = (rows: ReadonlyArray<Chosen>): string | undefined => {
  const commands = [...Map.groupBy(rows, ({ pins }) => pins.server).values()].flatMap(settlingServer)
  return commands.length === 0 ? undefined : commands.join(" && ")
}

export const renderDiff = (rows: ReadonlyArray<Chosen>, nameOf: (pins: ServerPins) => string, view: View): string => {
  const single = rows.length === 1 && !isOnlyLaunched(rows[0]!)
  const settle = single ? undefined : settling(rows)
  return [
    ...launchesOf(rows).map((launched) => renderLaunch(launched, nameOf(launched.pins), view)),
    ...rows.filter((row) => !isOnlyLaunched(row)).map((row) => renderRow(row, nameOf(row.pins), view)),
    ...(settle === undefined ? [] : [`to approve ${rows.length === 1 ? "it" : "all of this"}: ${settle}`])
  ].join("\n\n")
}
