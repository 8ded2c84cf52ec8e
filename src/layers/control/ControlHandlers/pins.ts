/** The definitions that wait for a decision, as a page shows them. */
import {
  isOpen,
  olderLaunches,
  type Pinned,
  type ServerPins,
  statusOf,
  type ToolPin,
  withoutClaimed
} from "../../../schemas/call/Pins.ts"
import { spelled, spelledJson, spelledName } from "../../../schemas/content/SpelledText.ts"
import type { DefinitionText, PinsChange, PinsChangesValue } from "../../../schemas/control/PinsChange.ts"
import { PINS_ANSWER_MAX_CHARS, PINS_TEXT_MAX_CHARS } from "../../../schemas/defaults/Control.ts"
import type { Kept } from "../../../services/call/DefinitionLedger.ts"
import type { Masked } from "./masked.ts"

/** What a definition holds, in the order in which a person reads it. */
const textOf = ({ at, definition, hash, instructions }: Pinned, pins: ServerPins, masked: Masked): DefinitionText => {
  const { annotations, description, inputSchema, name, outputSchema, title } = definition
  // Before it is cut: of a secret at the end, a part would be left that nobody knows.
  const spoken = masked(pins.instructions.get(instructions))
  const json = spelledJson(masked({ name, title, description, inputSchema, outputSchema, annotations }))
  return {
    hash,
    at,
    json: json.slice(0, PINS_TEXT_MAX_CHARS),
    ...(spoken === undefined || spoken === "" ? {} : { instructions: spelled(spoken).slice(0, PINS_TEXT_MAX_CHARS) })
  }
}

const isCut = (text: DefinitionText | undefined): boolean =>
  text !== undefined &&
  (text.json.length >= PINS_TEXT_MAX_CHARS || (text.instructions?.length ?? 0) >= PINS_TEXT_MAX_CHARS)

const launchesOf = ({ approved }: ToolPin, { launch, launches }: ServerPins): PinsChange["launches"] => {
  if (approved?.launch === undefined) return undefined
  const [kept, current] = [approved.launch, launch].map((hash) => spelledJson(launches.get(hash) ?? null))
  return { kept: kept!, current: current! }
}

const changeOf = (pin: ToolPin, pins: ServerPins, isOlder: boolean, masked: Masked): PinsChange => {
  const { approved, name, pending, renamedFrom, shadows } = pin
  const [kept, current] = [approved, pending].map((pinned) => pinned && textOf(pinned, pins, masked))
  const launches = launchesOf(pin, pins)
  const hash = (pending ?? approved)?.hash
  return {
    server: pins.server,
    launch: pins.launch,
    ...(pins.configuration === undefined ? {} : { configuration: pins.configuration }),
    tool: name,
    ...(hash === undefined ? {} : { hash }),
    shownServer: spelledName(pins.server),
    shownTool: spelledName(name),
    status: statusOf(pin),
    ...(kept === undefined ? {} : { kept }),
    ...(current === undefined ? {} : { current }),
    ...(renamedFrom === undefined ? {} : { renamedFrom: spelledName(renamedFrom) }),
    ...(shadows === undefined ? {} : { shadows: spelledName(shadows) }),
    ...(launches === undefined ? {} : { launches }),
    isOlder,
    isCut: isCut(kept) || isCut(current)
  }
}

/** Newest definitions count first; what does not fit into one answer is counted. */
export const pinsChanges = (all: ReadonlyArray<Kept>, masked: Masked): PinsChangesValue => {
  const readable = withoutClaimed(all.flatMap((one) => (one._tag === "Pins" ? [one.pins] : [])))
  const older = olderLaunches(readable)
  const open = readable.flatMap((pins) => [...pins.tools.values()].filter(isOpen).map((pin) => ({ pin, pins })))
  const changes: Array<PinsChange> = []
  let chars = 0
  for (const { pin, pins } of open) {
    const change = changeOf(pin, pins, older.has(pins), masked)
    chars += JSON.stringify(change).length
    if (chars > PINS_ANSWER_MAX_CHARS && changes.length > 0) break
    changes.push(change)
  }
  return {
    changes,
    more: open.length - changes.length,
    unreadable: all.flatMap((one) => (one._tag === "Unreadable" ? [{ file: one.file, detail: one.detail }] : []))
  }
}
