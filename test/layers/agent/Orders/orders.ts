/** Orders over an agent that does as it is told. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerScripted, type Script } from "../../../../src/layers/agent/AgentGateway.ts"
import * as OrdersLayer from "../../../../src/layers/agent/Orders.ts"
import * as SessionTools from "../../../../src/layers/agent/SessionTools.ts"
import type { OrderAnswer } from "../../../../src/schemas/agent/OrderAnswer.ts"
import type { OrderConfig } from "../../../../src/schemas/agent/OrderConfig.ts"
import type { OrderInput } from "../../../../src/schemas/agent/OrderInput.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { ResultStore } from "../../../../src/services/call/ResultStore.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import { toolRuntime, type TestTool } from "../../../support/toolRuntime.ts"

interface Setup {
  readonly tools?: Readonly<Record<string, TestTool>>
  readonly config?: Partial<OrderConfig>
  readonly heldMax?: number
  readonly clients?: number
  /** By handle. */
  readonly kept?: Readonly<Record<string, string>>
}

const storeOf = (kept: Readonly<Record<string, string>>) => {
  const read = (handle: string) => {
    const text = kept[handle]
    return Effect.succeed(text === undefined ? undefined : { origin: { server: "s" }, length: text.length, text })
  }
  const open = () => Effect.die("not here")
  return Layer.succeed(ResultStore, {
    keep: () => undefined,
    open,
    read,
    readAny: read,
    settled: Effect.void,
    part: Effect.die("not here")
  })
}

export const live = (script: Script, { clients, config = {}, heldMax, kept = {}, tools = {} }: Setup = {}) =>
  OrdersLayer.layerWith(config, { clients, heldMax }).pipe(
    Layer.provideMerge(layerScripted(script)),
    Layer.provideMerge(SessionTools.layer),
    Layer.provideMerge(Layer.succeed(McpRuntime, toolRuntime(tools))),
    Layer.provideMerge(storeOf(kept)),
    Layer.provideMerge(sanitizer)
  )

export const order = (message: string, sessionKey?: string, more: Partial<OrderInput> = {}): OrderInput => ({
  message,
  sessionKey,
  attachments: [],
  ...more
})

export const ada = { principal: "ada" }
export const bob = { principal: "bob" }

/** Words, and names of media. */
export const brief = ({ parts }: Pick<OrderAnswer, "parts">) =>
  parts.map((part) => (part.type === "text" ? part.text : part.name))
