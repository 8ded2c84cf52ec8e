/** Log messages about definitions that differ from the approved ones. Names are cleaned by the caller. */
import type { PinChange } from "./review.ts"
import type { PinMode } from "../../../schemas/call/PinMode.ts"
import { diffCommand, statusOf, type ServerPins } from "../../../schemas/call/Pins.ts"

/** How many tools are shown when many have names of others. */
const SHADOWING_SHOWN = 2

type Label = (text: string) => string

const consequence = (mode: PinMode, many = false): string => {
  const [it, is, works] = many ? ["they", "are", "work"] : ["it", "is", "works"]
  return mode === "block" ? `${it} ${is} withheld until ${it} ${is} approved` : `${it} ${works} anyway (pin: ${mode})`
}

export const wordsFor = (change: PinChange, pins: ServerPins, mode: PinMode, label: Label): string => {
  const server = label(pins.server)
  if (change._tag === "Instructions") {
    return `[${server}] its instructions have changed since ${change.tools} of its tools were approved: ${consequence(mode, true)}. Look at them: ${diffCommand(server)}`
  }
  if (change._tag === "Launched") {
    const then = mode === "block" ? consequence(mode, true) : "those that are the same count as approved"
    return `[${server}] is started in another way than when its tools were approved: ${then}. Look at them: ${diffCommand(server)}`
  }
  const tool = label(change.tool)
  const pin = pins.tools.get(change.tool)
  const rejected = pin !== undefined && statusOf(pin) === "rejected"
  const then = rejected ? "it was rejected, and is withheld until it is approved" : consequence(mode)
  const look = `Look at it: ${diffCommand(server, tool)}`
  switch (change._tag) {
    case "Changed":
      return `[${server}] tool ${tool} differs from its approved definition (${change.parts.join(", ")}): ${then}. ${look}`
    case "New":
      return `[${server}] tool ${tool} is new: ${then}. ${look}`
    case "Renamed":
      return `[${server}] tool ${tool} is ${label(change.from)} under a new name: ${then}. ${look}`
    case "Removed":
      return `[${server}] tool ${tool} is gone`
    case "Shadowing":
      return `[${server}] tool ${tool} has the name of ${label(change.shadows)}, which was there before: make sure that it is not an imitation. ${look}`
  }
}

/** Two instances of one program share all tool names: one line reports it. */
export const shadowingWords = (
  { server }: ServerPins,
  changes: ReadonlyArray<PinChange & { readonly _tag: "Shadowing" }>,
  label: Label
): string => {
  const shown = changes.slice(0, SHADOWING_SHOWN).map(({ shadows, tool }) => `${label(tool)} (${label(shadows)})`)
  return `[${label(server)}] ${changes.length} tools have names of others that were there before, such as ${shown.join(" and ")}: make sure that they are not imitations. Look at them: ${diffCommand(label(server))}`
}

export const unreadableWords = (server: string, detail: string, mode: PinMode): string =>
  `[${server}] the pins of its tools cannot be read: ${detail}. None of them counts as approved: ${consequence(mode, true)}`

export const unsavedWords = (server: string, detail: string): string =>
  `[${server}] the pins of its tools cannot be written: ${detail}. This is tried again; a process that starts before then does not know them`

export const trustedWords = (server: string, count: number, isFirst: boolean): string =>
  isFirst
    ? `[${server}] seen for the first time: its ${count} tools are trusted and remembered as they are`
    : `[${server}] lists ${count} more tools for features that are offered to it here for the first time: they are trusted and remembered as they are`
