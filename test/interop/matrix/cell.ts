/** One cell of the matrix: a peer over a transport, behind the whole runtime, with a host that answers and remembers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import type { Options as Host } from "../../../src/layers/content/HostFeatures.ts"
import { McpLive } from "../../../src/layers/McpLive.ts"
import type { ElicitationRequest, SamplingRequest } from "../../../src/schemas/content/HostRequest.ts"
import type { Content, ToolResult } from "../../../src/schemas/call/Tool.ts"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import type { Call, Entry, Peer, Transport } from "./peers.ts"
import { inFolder as folder } from "../../support/folder.ts"

export interface Cell {
  readonly peer: Peer
  readonly transport: Transport
  /** What the host was asked so far. */
  readonly elicitations: Array<ElicitationRequest>
  readonly samplings: Array<SamplingRequest>
  readonly logs: Array<string>
}

export const ROOT = { uri: "file:///work/space", name: "the workspace" }
export const ANSWER = "Paris, says the model."

/** Fills every form in as the peer needs it, opens every address, answers every prompt. */
const willing = ({ elicitations, peer, samplings }: Cell): Host => ({
  roots: [ROOT],
  elicit: (request) =>
    Effect.sync(() => {
      elicitations.push(request)
      return request.mode === "url"
        ? { action: "accept" }
        : // A task asks for another form.
          { action: "accept", content: { interpretation: "snake", ...peer.filledIn } }
    }),
  sample: (request) =>
    Effect.sync(() => {
      samplings.push(request)
      return { text: ANSWER, model: "scripted", stopReason: "endTurn" }
    })
})

const remember = (logs: Array<string>) =>
  Logger.layer([
    Logger.make(
      ({ message }) => void logs.push(Array.isArray(message) ? message.map(String).join(" ") : String(message))
    )
  ])

const live = (cell: Cell, entry: Entry, host: Host | undefined) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const started = yield* cell.peer.start[cell.transport]!
      return McpLive({
        host,
        dataDirectory: yield* folder,
        replace: { config: ConfigSourceLayer.layerObject({ mcp: { servers: { peer: { ...started, ...entry } } } }) }
      })
    })
  ).pipe(Layer.provideMerge(remember(cell.logs)), Layer.orDie)

export const makeCell = (peer: Peer, transport: Transport): Cell => ({
  peer,
  transport,
  elicitations: [],
  samplings: [],
  logs: []
})

/** With a host that gives the server all it may ask for. */
export const willingHost = (cell: Cell) => live(cell, { sampling: "allow" }, willing(cell))

/** With nothing configured, and one resource. */
export const silentHost = (cell: Cell) => live(cell, { resourceFilter: [cell.peer.text.uri] }, undefined)

// ---- short words ---------------------------------------------------------------------------------------------------

export const exposed = (tool: string) => `mcp_peer_${tool}`

export const call = (tool: string, args: Readonly<Record<string, unknown>> = {}) =>
  Effect.flatMap(McpRuntime, (runtime) => runtime.call(exposed(tool), args))

export const callOf = ({ args, tool }: Call) => call(tool, args)

export const textOf = (content: ReadonlyArray<Content>) =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n")

export const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)
