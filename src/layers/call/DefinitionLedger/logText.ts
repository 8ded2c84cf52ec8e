/** What the log says of definitions that are not what they were. Names come in cleaned. */
import type { PinChange } from "./review.ts"
import type { PinMode } from "../../../schemas/call/PinMode.ts"
import { diffCommand, statusOf, type ServerPins } from "../../../schemas/call/Pins.ts"

/** Tools that are shown where many are named like others. */
const SHADOWING_SHOWN = 2

type Label = (text: string) => string

const consequence = (mode: PinMode, many = false): string => {
  const [it, is, works] = many ? ["they", "are", "work"] : ["it", "is", "works"]
  return mode === "block"
    ? `${it} ${is} withheld until ${it} ${is} approved`
    : `${it} ${works} all the same (pin: ${mode})`
}

export const wordsFor = (change: PinChange, pins: ServerPins, mode: PinMode, label: Label): string => {
  const server = label(pins.server)
  if (change._tag === "Instructions") {
    return `[${server}] its instructions are not what they were when ${change.tools} of its tools were approved: ${consequence(mode, true)}. Look at them: ${diffCommand(server)}`
  }
  if (change._tag === "Launched") {
    const then = mode === "block" ? consequence(mode, true) : "those that are the same count as approved"
    return `[${server}] is not started in the way in which its tools were approved: ${then}. Look at them: ${diffCommand(server)}`
  }
  const tool = label(change.tool)
  const pin = pins.tools.get(change.tool)
  const rejected = pin !== undefined && statusOf(pin) === "rejected"
  const then = rejected ? "it was rejected, and is withheld until it is approved" : consequence(mode)
  const look = `Look at it: ${diffCommand(server, tool)}`
  switch (change._tag) {
    case "Changed":
      return `[${server}] tool ${tool} is not what was approved (${change.parts.join(", ")}): ${then}. ${look}`
    case "New":
      return `[${server}] tool ${tool} is new: ${then}. ${look}`
    case "Renamed":
      return `[${server}] tool ${tool} is new, and the same as ${label(change.from)}, which is gone: ${then}. ${look}`
    case "Removed":
      return `[${server}] tool ${tool} is gone`
    case "Shadowing":
      return `[${server}] tool ${tool} is named like ${label(change.shadows)}, which was there before: make sure that it does not stand in for it. ${look}`
  }
}

/** Two servers of one program have all of their tools in common: one line tells it. */
export const shadowingWords = (
  { server }: ServerPins,
  changes: ReadonlyArray<PinChange & { readonly _tag: "Shadowing" }>,
  label: Label
): string => {
  const shown = changes.slice(0, SHADOWING_SHOWN).map(({ shadows, tool }) => `${label(tool)} (${label(shadows)})`)
  return `[${label(server)}] ${changes.length} tools are named like others that were there before, such as ${shown.join(" and ")}: make sure that they do not stand in for those. Look at them: ${diffCommand(label(server))}`
}

export const unreadableWords = (server: string, detail: string, mode: PinMode): string =>
  `[${server}] what was approved of its tools cannot be read: ${detail}. None of them counts as approved: ${consequence(mode, true)}`

export const unsavedWords = (server: string, detail: string): string =>
  `[${server}] what is known of its tools cannot be written down: ${detail}. It is tried again; a process that starts meanwhile does not know it`

export const trustedWords = (server: string, count: number, isFirst: boolean): string =>
  isFirst
    ? `[${server}] seen for the first time: its ${count} tools are taken as they are and remembered`
    : `[${server}] lists more for what is offered to it here for the first time: ${count} more tools are taken as they are and remembered`
