/**
 * What becomes of one message to an agent, phase by phase, for who debugs: names, times, sizes and counts. Never a value: no message,
 * no argument, no word of an answer or of a server.
 */
import type { AgentEvent } from "../agent/AgentEvent.ts"
import { decodedBytes } from "../data/Base64.ts"
import { LABEL_MAX_CHARS } from "../defaults/Texts.ts"
import { clip, formatBytes } from "../content/Rendering.ts"
import type { ToolResult } from "../call/Tool.ts"

export interface MessageTrace {
  /** Anything that is known by its name. */
  readonly say: (what: string) => void
  /** The model is asked: for the first time, or with what tools have said. */
  readonly modelAsked: (step: number) => void
  readonly event: (event: AgentEvent) => void
}

export interface TraceOptions {
  /** What it is, and which: `order 3f2a9c1e`. */
  readonly name: string
  readonly log: (line: string) => void
  /** Milliseconds. */
  readonly now: () => number
}

interface Call {
  readonly shown: string
  readonly at: number
}

const SECOND_MS = 1_000
/** As tools are called; a model may write something else in the place of a name. */
const TOOL_NAME = /^[A-Za-z_][\w./:-]{0,127}$/

const seconds = (ms: number): string => `${(ms / SECOND_MS).toFixed(3)} s`

/** Of one sort: "1 call", "2 calls". */
export const countOf = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

/** Bytes and blocks of a result, with what it was too large to hold. */
const sizeOf = ({ content, details }: ToolResult): string => {
  const originals = "originals" in details ? (details.originals ?? []) : []
  const bytes = content.reduce(
    (sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : decodedBytes(block.data)),
    originals.reduce((sum, original) => sum + original.bytes, 0)
  )
  return `${countOf(content.length + originals.length, "block")}, ${formatBytes(bytes)}`
}

/** Where it came from; nothing for a tool that there is not. */
const originOf = ({ details }: ToolResult): string | undefined => {
  if ("externalContent" in details) return `${details.externalContent.server}/${details.externalContent.tool}`
  if (!("error" in details) || details.error.server === undefined) return undefined
  return `${details.error.server}/${details.error.tool}`
}

const howOf = ({ details, isError }: ToolResult): string =>
  "error" in details ? `failed (${details.error.tag})` : isError ? "failed" : "ok"

export const makeTrace = ({ log, name, now }: TraceOptions): MessageTrace => {
  const startedAt = now()
  const calls = new Map<string, Call>()
  let [steps, textBytes, thoughtBytes, called] = [0, 0, 0, 0]

  const say = (what: string) => log(`${name} +${seconds(now() - startedAt)}: ${clip(what, 4 * LABEL_MAX_CHARS)}`)

  /** Of what has been written since the last time. */
  const written = () => {
    if (textBytes > 0) say(`wrote ${formatBytes(textBytes)} of text`)
    if (thoughtBytes > 0) say(`thought ${formatBytes(thoughtBytes)}`)
    ;[textBytes, thoughtBytes] = [0, 0]
  }

  const event = (event: AgentEvent): void => {
    switch (event._tag) {
      case "Text":
        if (textBytes === 0) say("writes")
        textBytes += Buffer.byteLength(event.delta)
        return
      case "Thought":
        if (thoughtBytes === 0) say("thinks")
        thoughtBytes += Buffer.byteLength(event.delta)
        return
      case "ToolCall": {
        written()
        const shown = `call ${++called} (${TOOL_NAME.test(event.name) ? event.name : "an unknown tool"})`
        calls.set(event.id, { shown, at: now() })
        const bytes = Buffer.byteLength(JSON.stringify(event.args))
        return say(`${shown} begins: ${countOf(Object.keys(event.args).length, "argument")}, ${formatBytes(bytes)}`)
      }
      case "ToolResult": {
        const { at, shown } = calls.get(event.id) ?? { at: now(), shown: "a call" }
        calls.delete(event.id)
        const origin = originOf(event.result)
        const of = origin === undefined ? "" : ` of ${clip(origin, LABEL_MAX_CHARS)}`
        return say(`${shown}${of} ${howOf(event.result)} after ${seconds(now() - at)}: ${sizeOf(event.result)}`)
      }
      case "Media":
        written()
        return say(`gave a medium: ${formatBytes(decodedBytes(event.data))}`)
      case "Notice":
        return say(`a notice of ${formatBytes(Buffer.byteLength(event.text))}`)
      case "Usage":
        written()
        return say(`step ${++steps} took ${event.inputTokens ?? "?"} tokens in, ${event.outputTokens ?? "?"} out`)
      case "Done":
        written()
        return say(`ended (${event.reason}) with ${countOf(called, "call")}`)
      case "ToolProgress":
        return
    }
  }

  return {
    say,
    // Told at once; events come through a queue, so that the last of the step before may follow.
    modelAsked: (step) => say(`model asked (step ${step})`),
    event
  }
}

/** Where nobody debugs. */
export const NO_TRACE: MessageTrace = { say: () => {}, modelAsked: () => {}, event: () => {} }
