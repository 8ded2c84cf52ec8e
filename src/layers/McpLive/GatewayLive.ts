/** `McpLive` for programs that stay: the commands of this user can reach them. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { readFile, realpath } from "node:fs/promises"
import { isAbsolute } from "node:path"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { DEFAULT_LOGS } from "../../schemas/config/LogsConfig.ts"
import { DEFAULT_UI } from "../../schemas/config/UiConfig.ts"
import { dataDirectory as ownDataDirectory } from "../../schemas/config/DataDirectory.ts"
import { CONTROL_CONTRACT, type GatewayConfiguration, type GatewayKind } from "../../schemas/control/Gateway.ts"
import { PageUnavailable } from "../../schemas/control/Login.ts"
import { REGISTRY_URL } from "../../schemas/defaults/Bundles.ts"
import { VERSION } from "../../schemas/data/Version.ts"
import { Personal } from "../../schemas/control/Personal.ts"
import { Powers } from "../../schemas/control/Powers.ts"
import { LoginFailed } from "../../schemas/login/Login.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { ControlPage } from "../../services/control/ControlPage.ts"
import { ControlSocket } from "../../services/control/ControlSocket.ts"
import { Desk } from "../../services/control/Desk.ts"
import { PersonalHandlers } from "../../services/control/PersonalHandlers.ts"
import { Visitor } from "../../services/control/Visitor.ts"
import { Joined } from "../../services/fleet/Joined.ts"
import { NodeControl } from "../../services/fleet/NodeControl.ts"
import { makeTransport, makeTransportOf } from "../../system/control/transport.ts"
import { following } from "../../system/rounds.ts"
import { makeDesk, type Desks } from "../control/Desk.ts"
import * as NetworkGuardLayer from "../connection/NetworkGuard.ts"
import * as ServerLivesLayer from "../connection/ServerLives.ts"
import * as ServerLogsLayer from "../connection/ServerLogs.ts"
import { whole } from "../McpLive.ts"
import * as FleetLayer from "./fleet.ts"
import type { McpLiveOptions } from "./options.ts"

export interface GatewayOptions {
  readonly kind: GatewayKind
  /** Not all servers of the configuration run, so that no command means this gateway without naming it. */
  readonly partial?: boolean | undefined
  /** `readOnly`: whether the page only shows, and changes nothing; as configured when left out. `files`: the folder of its files, if not ours. */
  readonly page?: { readonly readOnly?: boolean | undefined; readonly files?: string | undefined } | undefined
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

/** Whether the log about servers is kept in files. */
const keepsLogs = ({ logs = DEFAULT_LOGS }: GatewayConfig): boolean => logs.files

/** Other nodes may look, and ask on behalf of people what these may ask; nothing else. */
const answerNodes = Effect.gen(function* () {
  const node = yield* Joined
  if (node === undefined) return
  const { take } = yield* makeTransport
  const lookOnly = Context.make(Powers, "read-only" as const)
  const { onConnection, onPerson } = Context.get(node.services, NodeControl)
  yield* onConnection((socket) => take(socket, lookOnly))
  const people = yield* Effect.provideContext(makeTransportOf(Personal), yield* PersonalHandlers)
  yield* onPerson((socket, caller) =>
    people.take(
      socket,
      Context.make(Visitor, {
        caller: () => caller,
        isPassedOn: true,
        sessions: () => [],
        servers: () => [],
        connect: ({ name }) => Effect.fail(new LoginFailed({ server: name, passing: false, detail: "it is elsewhere" }))
      })
    )
  )
})

type MadePage = Deferred.Deferred<ControlPage["Service"], PageUnavailable>

const openSocket = Effect.fnUntraced(function* (
  { dataDirectory: directory = ownDataDirectory() }: McpLiveOptions,
  { kind, page: { files, readOnly } = {}, partial }: GatewayOptions,
  madePage: MadePage
) {
  const live = yield* LiveConfig
  const configuration = Effect.suspend(() =>
    partial === true ? Effect.succeed(null) : Effect.promise(() => configurationOf(live.current()))
  )
  const { readAt: firstReadAt } = live.state()
  const node = yield* Joined
  const self = {
    contract: CONTROL_CONTRACT,
    version: VERSION,
    kind,
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    configuration: yield* configuration,
    ...(node === undefined ? {} : { node: node.self.name })
  }
  const [handlers, { open }, { make: makePage }, audit, logs, editor, clients, registry] = yield* Effect.promise(() =>
    Promise.all([
      import("../control/ControlHandlers.ts"),
      import("../control/ControlSocket.ts"),
      import("../control/ControlPage.ts"),
      import("../call/AuditTrail.ts"),
      import("../connection/ServerLogTrail.ts"),
      import("../config/ConfigEditor.ts"),
      import("../config/ClientFiles.ts"),
      import("../config/ServerRegistry.ts")
    ])
  )
  const page = yield* makePage({
    directory,
    configuration: self.configuration?.path,
    files,
    settings: () => {
      const settings = live.current().ui ?? DEFAULT_UI
      return { ...settings, readOnly: readOnly ?? settings.readOnly }
    }
  })
  const url = process.env["MCP_LIVE_REGISTRY"] || REGISTRY_URL
  const editing = editor.layer.pipe(
    Layer.provide([clients.layer(), Layer.provide(registry.layer({ url }), NetworkGuardLayer.layer())])
  )
  const trails = Layer.merge(
    FleetLayer.sharedOr(({ auditTrail }) => auditTrail, audit.layer({ directory })),
    logs.layer({ directory })
  )
  const context = yield* Layer.build(
    Layer.provide(handlers.layer(self), [trails, editing, Layer.succeed(ControlPage, page.service)])
  )
  yield* page.answerWith(context)
  yield* answerNodes.pipe(Effect.provide(context))
  yield* Deferred.succeed(madePage, page.service)
  const told = (now: GatewayConfiguration | null) => ({
    ...self,
    configuration: now,
    logFiles: keepsLogs(live.current())
  })
  const announce = yield* open(told(self.configuration), directory).pipe(Effect.provide(context))
  // Commands see whether the file is still the one that runs.
  const read = live.states.pipe(
    Stream.map(({ readAt }) => readAt),
    Stream.changes,
    Stream.dropWhile((readAt) => readAt === firstReadAt),
    Stream.mapEffect(() => configuration)
  )
  const changed = Stream.concat(Stream.succeed(self.configuration), read).pipe(Stream.changes, Stream.drop(1))
  yield* Effect.forkScoped(
    following("telling commands of the configuration that runs", changed, (now) => announce(told(now)))
  )
})

/** In the background: the code for it is loaded while servers start. */
const control = (options: McpLiveOptions, gateway: GatewayOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      const page: MadePage = yield* Deferred.make<ControlPage["Service"], PageUnavailable>()
      yield* openSocket(options, gateway, page).pipe(
        Effect.catchCause((cause) => Effect.logWarning("commands cannot reach this gateway", cause)),
        Effect.ensuring(Deferred.fail(page, new PageUnavailable({ detail: "the log of this gateway says why" }))),
        Effect.ensuring(Deferred.succeed(opened, undefined)),
        Effect.forkScoped
      )
      return Context.make(ControlSocket, { opened: Deferred.await(opened) }).pipe(
        Context.add(ControlPage, {
          address: (asked) => Effect.flatMap(Deferred.await(page), ({ address }) => address(asked)),
          forPeople: (given) => Effect.flatMap(Deferred.await(page), ({ forPeople }) => forPeople(given))
        })
      )
    })
  )

const serverLogs = ({ dataDirectory: directory }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.map(LiveConfig, ({ current }) => ServerLogsLayer.layer({ directory, isKept: () => keepsLogs(current()) }))
  )

/** What the program asks its person is also asked at the desk; with a page, also what it has no means of its own to ask. */
const withDesk = (
  options: McpLiveOptions,
  { page }: GatewayOptions,
  { approving, eliciting }: Desks
): McpLiveOptions => ({
  ...options,
  approve: approving(options.approve),
  ...(options.host?.elicit === undefined && page === undefined
    ? {}
    : { host: { ...options.host, elicit: eliciting(options.host?.elicit) } })
})

/** The same as `McpLive`, with a log about servers, a desk for questions, a socket for commands, and a page for browsers. */
export const GatewayLive = (options: McpLiveOptions, gateway: GatewayOptions) =>
  Layer.unwrap(
    Effect.map(makeDesk, (desk) =>
      control(options, gateway).pipe(
        Layer.provideMerge(
          whole(withDesk(options, gateway, desk), true, Layer.merge(serverLogs(options), ServerLivesLayer.layer))
        ),
        Layer.provideMerge(Layer.succeed(Desk, desk.service))
      )
    )
  )
