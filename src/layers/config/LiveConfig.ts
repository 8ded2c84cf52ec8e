/**
 * The configuration that runs. It is read at the start, when its files change, and by hand; a reading that fails keeps what runs. Whoever
 * starts servers and applies rules follows it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { isAbsolute } from "node:path"
import { changeLines } from "../../schemas/config/ConfigChange.ts"
import { changeBetween, settingsInNeed } from "../../schemas/config/ConfigDifference.ts"
import { ConfigError } from "../../schemas/config/ConfigError.ts"
import { formatIssue } from "../../schemas/config/ConfigIssue.ts"
import { decisiveFiles } from "../../schemas/config/ConfigPlaces.ts"
import { type ConfigState, type Reloaded, unreadLines } from "../../schemas/config/ConfigState.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { DEFAULT_RELOAD } from "../../schemas/config/ReloadConfig.ts"
import { RELOAD_FILES_MAX, RELOAD_LOOK_MS, RELOAD_QUIET_MS } from "../../schemas/defaults/Reload.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { type Apply, LiveConfig } from "../../services/config/LiveConfig.ts"
import { fileChanges } from "../../system/watchFiles.ts"

export interface Options {
  /** What of the configuration counts. */
  readonly narrow?: ((config: GatewayConfig) => GatewayConfig) | undefined
  /** Changes of the files take effect by themselves, unless the configuration switches that off. */
  readonly watch?: boolean | undefined
  /** Whether the file was named; otherwise another one may take its place. */
  readonly isNamed?: boolean | undefined
}

const tell = Effect.fnUntraced(function* (config: GatewayConfig) {
  yield* Effect.logInfo(config.absent === true ? "no configuration" : `configuration: ${config.file}`)
  // That of a server is told by its status.
  const servers = config.agents.flatMap((agent) => agent.servers)
  const ofServers = new Set(servers.flatMap(({ fault }) => (fault === undefined ? [] : formatIssue(fault))))
  const others = (config.faults ?? []).filter((fault) => !ofServers.has(formatIssue(fault)))
  for (const issue of [...config.warnings, ...others]) yield* Effect.logWarning(formatIssue(issue))
})

const otherFile = (file: string, found: string) =>
  new ConfigError({
    issues: [
      { file: found, line: 0, path: "", message: `would be read instead of ${file}: start the gateway again to use it` }
    ]
  })

const make = Effect.fnUntraced(function* ({ isNamed = true, narrow = (config) => config, watch = false }: Options) {
  const source = yield* ConfigSource
  const first = narrow(yield* source.load)
  yield* tell(first)
  const clock = yield* Clock.Clock
  let current = first
  const followers = new Set<Apply>()
  const oneReload = Semaphore.makeUnsafe(1)
  const isFile = isAbsolute(first.file)

  const isWatched = () => watch && isFile && (current.reload ?? DEFAULT_RELOAD).watch
  const states = yield* SubscriptionRef.make<ConfigState>({
    file: first.file,
    readAt: clock.currentTimeMillisUnsafe(),
    watched: isWatched(),
    fault: null,
    pending: [],
    unread: []
  })
  const state = () => SubscriptionRef.getUnsafe(states)

  const read = Effect.gen(function* () {
    const config = narrow(yield* source.load)
    return config.file === current.file ? config : yield* otherFile(current.file, config.file)
  })

  const keepsWhatRuns = (error: ConfigError) =>
    state().fault === error.message
      ? Effect.void
      : Effect.andThen(
          Effect.logError(`the configuration cannot be used; the previous one stays in effect: ${error.message}`),
          SubscriptionRef.update(states, (before) => ({ ...before, fault: error.message }))
        )

  const applied = Effect.fnUntraced(function* (config: GatewayConfig, thorough: boolean) {
    const change = changeBetween(current, config)
    const { fault } = state()
    current = config
    const lines = changeLines(change)
    if (fault !== null) yield* Effect.logInfo("the configuration can be used again")
    if (lines.length > 0) yield* tell(config)
    for (const line of lines) yield* Effect.logInfo(`configuration changed; ${line}`)
    const done = yield* Effect.forEach([...followers], (apply) => apply(config, thorough))
    const renewed = [...new Set(done.flatMap((one) => one.renewed))]
    const pending = [...new Set([...settingsInNeed(first, config), ...done.flatMap((one) => one.pending)])]
    const readAt = clock.currentTimeMillisUnsafe()
    const unread = done.flatMap((one) => one.unread)
    yield* SubscriptionRef.set(states, {
      file: config.file,
      readAt,
      watched: isWatched(),
      fault: null,
      pending,
      unread
    })
    if (renewed.length > 0) yield* Effect.logInfo(`a secret changed; restart: ${renewed.join(", ")}`)
    for (const line of unreadLines(unread)) yield* Effect.logWarning(line)
    return { change, renewed, unread }
  })

  // An interruption between two followers would leave one half of the gateway with the old configuration.
  const reloaded = (thorough: boolean): Effect.Effect<Reloaded, ConfigError> =>
    oneReload.withPermit(
      Effect.flatMap(Effect.tapError(read, keepsWhatRuns), (config) =>
        Effect.uninterruptible(applied(config, thorough))
      )
    )

  if (watch && isFile) {
    const files = () =>
      [...decisiveFiles({ file: current.file, isNamed, cwd: process.cwd() }), ...(current.readFiles ?? [])].slice(
        0,
        RELOAD_FILES_MAX
      )
    const follow = reloaded(false).pipe(
      // It is in the state and in the log.
      Effect.catch(() => Effect.void),
      Effect.catchCause((cause) =>
        Effect.logError("the configuration was not read again: an unexpected failure", cause)
      )
    )
    yield* fileChanges({ files, quietMs: RELOAD_QUIET_MS, lookMs: RELOAD_LOOK_MS }).pipe(
      Stream.runForEach(() => (isWatched() ? follow : Effect.void)),
      Effect.forkScoped
    )
  }

  return LiveConfig.of({
    current: () => current,
    state,
    states: SubscriptionRef.changes(states),
    preview: Effect.map(read, (config) => ({ config, change: changeBetween(current, config) })),
    changeTo: (config) => changeBetween(current, narrow(config)),
    reload: reloaded(true),
    follow: (apply) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => followers.add(apply)),
          () => Effect.sync(() => followers.delete(apply))
        )
      )
  })
})

export const layer = (options: Options = {}): Layer.Layer<LiveConfig, ConfigError, ConfigSource> =>
  Layer.effect(LiveConfig, make(options))
