/**
 * Whoever is told what happens: the exports that the configuration and the environment name, where the program wants them; else the tracer
 * that the program provides. Without both there is nobody, and none of the code for it is loaded.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import type { TelemetryConfig } from "../../schemas/telemetry/TelemetryConfig.ts"
import { telemetrySettings } from "../../schemas/telemetry/TelemetrySettings.ts"
import { AuditFeed } from "../../services/call/AuditFeed.ts"
import { Telemetry, type Recording } from "../../services/telemetry/Telemetry.ts"

const loaded = Effect.promise(() => import("../telemetry/Telemetry.ts"))

/** With `config`, the exports of the process: MCP clients are served outside of these layers. */
const recorded = Effect.fnUntraced(function* (config: TelemetryConfig | undefined) {
  const recording = yield* Telemetry
  const tracer = yield* Tracer.Tracer
  const settings = config === undefined ? undefined : telemetrySettings(config, process.env)
  if (settings === undefined) {
    if (tracer === Tracer.nativeTracer) return recording
    const { ownTracer } = yield* loaded
    return { current: yield* ownTracer(tracer) } satisfies Recording
  }
  const { exporting } = yield* loaded
  const before = recording.current
  const recorder = yield* exporting(settings)
  yield* Effect.acquireRelease(
    Effect.sync(() => void (recording.current = recorder)),
    () => Effect.sync(() => void (recording.current = before))
  )
  return recording
})

/** `config` is that of a program that wants its exports. */
export const layer = <E, R>(config: Effect.Effect<TelemetryConfig | undefined, E, R>) =>
  Layer.effect(Telemetry, Effect.flatMap(config, recorded))

/** Tells of each call that ends. */
export const layerCalls = Layer.effectDiscard(
  Effect.gen(function* () {
    const { current } = yield* Telemetry
    if (current !== undefined) yield* (yield* AuditFeed).onCall(current.called)
  })
)
