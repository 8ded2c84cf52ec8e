/** Processes that keep their conversations in a data directory, one after the other or at the same time. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { layerScripted, type Script } from "../../../../src/layers/agent/AgentGateway.ts"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import * as SessionTools from "../../../../src/layers/agent/SessionTools.ts"
import type { UserMessage } from "../../../../src/schemas/agent/UserMessage.ts"
import { AgentGateway } from "../../../../src/services/agent/AgentGateway.ts"
import { McpRuntime, type McpRuntimeShape } from "../../../../src/services/call/McpRuntime.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { result, runtimeOf } from "./gateway.ts"

export { inFolder as folder } from "../../../support/folder.ts"

export const SECRET = "canary-7hQ2-secret"

export const keepingLog = (logged: Array<string>) =>
  Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])

/** One process: what it keeps in memory is gone afterwards. */
export const inProcess =
  (
    directory: string,
    script: Script = [[{ say: "yes" }]],
    runtime: McpRuntimeShape = runtimeOf(() => Effect.succeed(result(`the token is ${SECRET}`))),
    logged: Array<string> = [],
    backend?: string
  ) =>
  <A, E>(work: Effect.Effect<A, E, AgentGateway>) =>
    work.pipe(
      Effect.provide(
        layerScripted(script, { directory, backend }).pipe(
          Layer.provide(SessionTools.layer),
          Layer.provide(Layer.succeed(McpRuntime, runtime)),
          Layer.provide(
            Layer.effect(
              Redactor,
              Effect.map(Redactor, (redactor) => {
                redactor.register(SECRET)
                return redactor
              })
            ).pipe(Layer.provide(RedactorLayer.layer))
          ),
          Layer.provideMerge(keepingLog(logged))
        )
      )
    )

export const gateway = Effect.serviceOption(AgentGateway).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
export const say = (message: UserMessage, key = "s") =>
  AgentGateway.use(({ send }) => Stream.runCollect(send(key, message)))
export const begin = (key = "s", cwd = "/work") => AgentGateway.use((agent) => agent.begin(key, { cwd }))
export const load = (key = "s") => AgentGateway.use((agent) => agent.load(key))
export const list = AgentGateway.use((agent) => agent.list)

export const filesIn = (directory: string) =>
  readdirSync(join(directory, "conversations")).map((name) => join(directory, "conversations", name))
