/** `McpLive` for programs that stay: the commands of this user can reach them. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { readFile, realpath } from "node:fs/promises"
import { isAbsolute } from "node:path"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { DEFAULT_LOGS } from "../../schemas/config/LogsConfig.ts"
import { dataDirectory as ownDataDirectory } from "../../schemas/config/DataDirectory.ts"
import { CONTROL_CONTRACT, type GatewayConfiguration, type GatewayKind } from "../../schemas/control/Gateway.ts"
import { VERSION } from "../../schemas/data/Version.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { ControlSocket } from "../../services/control/ControlSocket.ts"
import { Desk } from "../../services/control/Desk.ts"
import { makeDesk, type Desks } from "../control/Desk.ts"
import * as ServerLogsLayer from "../connection/ServerLogs.ts"
import { whole } from "../McpLive.ts"
import type { McpLiveOptions } from "./options.ts"

export interface GatewayOptions {
  readonly kind: GatewayKind
  /** Not all servers of the configuration run, so that no command means this gateway without naming it. */
  readonly partial?: boolean | undefined
}

/** `null` for a configuration that is no file. */
const configurationOf = async ({ absent, file }: GatewayConfig): Promise<GatewayConfiguration | null> => {
  if (absent === true || !isAbsolute(file)) return null
  try {
    const [path, text] = await Promise.all([realpath(file), readFile(file)])
    return { path, hash: createHash("sha256").update(text).digest("hex") }
  } catch {
    return null
  }
}

const openSocket = Effect.fnUntraced(function* ({ dataDirectory }: McpLiveOptions, { kind, partial }: GatewayOptions) {
  const live = yield* LiveConfig
  const configuration = Effect.suspend(() =>
    partial === true ? Effect.succeed(null) : Effect.promise(() => configurationOf(live.current()))
  )
  const { readAt: firstReadAt } = live.state()
  const self = {
    contract: CONTROL_CONTRACT,
    version: VERSION,
    kind,
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    configuration: yield* configuration
  }
  const [handlers, { open }] = yield* Effect.promise(() =>
    Promise.all([import("../control/ControlHandlers.ts"), import("../control/ControlSocket.ts")])
  )
  const context = yield* Layer.build(handlers.layer(self))
  const announce = yield* open(self, dataDirectory ?? ownDataDirectory()).pipe(Effect.provide(context))
  // Commands see whether the file is still the one that runs.
  const read = live.states.pipe(
    Stream.map(({ readAt }) => readAt),
    Stream.changes,
    Stream.dropWhile((readAt) => readAt === firstReadAt),
    Stream.mapEffect(() => configuration)
  )
  yield* Stream.concat(Stream.succeed(self.configuration), read).pipe(
    Stream.changes,
    Stream.drop(1),
    Stream.runForEach((now) => announce({ ...self, configuration: now })),
    Effect.forkScoped
  )
})

/** In the background: the code for it is loaded while servers start. */
const control = (options: McpLiveOptions, gateway: GatewayOptions) =>
  Layer.effect(
    ControlSocket,
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      yield* openSocket(options, gateway).pipe(
        Effect.catchCause((cause) => Effect.logWarning("commands cannot reach this gateway", cause)),
        Effect.ensuring(Deferred.succeed(opened, undefined)),
        Effect.forkScoped
      )
      return { opened: Deferred.await(opened) }
    })
  )

const serverLogs = ({ dataDirectory: directory }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.map(LiveConfig, ({ current }) =>
      ServerLogsLayer.layer({ directory, isKept: () => (current().logs ?? DEFAULT_LOGS).files })
    )
  )

/** What the program asks its person is also asked at the desk. */
const withDesk = (options: McpLiveOptions, { approving, eliciting }: Desks): McpLiveOptions => ({
  ...options,
  approve: approving(options.approve),
  ...(options.host?.elicit === undefined ? {} : { host: { ...options.host, elicit: eliciting(options.host.elicit) } })
})

/** The same as `McpLive`, with a log about servers, a desk for questions, and a socket for commands. */
export const GatewayLive = (options: McpLiveOptions, gateway: GatewayOptions) =>
  Layer.unwrap(
    Effect.map(makeDesk, (desk) =>
      control(options, gateway).pipe(
        Layer.provideMerge(whole(withDesk(options, desk), true, serverLogs(options))),
        Layer.provideMerge(Layer.succeed(Desk, desk.service))
      )
    )
  )
