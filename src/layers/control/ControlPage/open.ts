/** Opens the door of the page: reads its files and its sessions, listens on the loopback address, and connects sockets to the contract. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { join } from "node:path"
import type { UiConfig } from "../../../schemas/config/UiConfig.ts"
import {
  PAGE_CONNECTIONS_MAX,
  PAGE_PING_MS,
  PAGE_REQUEST_MS,
  PAGE_SOCKETS_MAX
} from "../../../schemas/defaults/Page.ts"
import { Places } from "../../../system/connectionPlaces.ts"
import { makeTransport } from "../../../system/control/transport.ts"
import { listenAt, LOOPBACK, type Listening, type NoPort } from "../../../system/httpServer.ts"
import { makeAnswers } from "./answers.ts"
import { readPage } from "./files.ts"
import { openSessions } from "./sessions.ts"
import { makeSockets } from "./sockets.ts"
import { makeTokens } from "./tokens.ts"

export interface DoorOptions {
  /** The data directory. */
  readonly directory: string
  /** The path of the configuration. Browsers stay let in when a gateway of the same one is started again. */
  readonly configuration: string | undefined
  /** The settings that count when the door is opened. */
  readonly settings: () => UiConfig
  /** The folder of the page's files. */
  readonly files: string
}

export interface Door {
  /** An address for one use. */
  readonly address: (readOnly: boolean) => string
}

/** One for each configuration: a page that is open finds the gateway that comes after the one that it knew. */
const sessionsFile = (directory: string, configuration = ""): string => {
  const name = createHash("sha256").update(configuration).digest("hex").slice(0, 16)
  return join(directory, "page", `${name}.json`)
}

/** At the first of the ports that is free. */
const listenAtOneOf = (
  places: Places,
  [port = 0, ...others]: ReadonlyArray<number>
): Effect.Effect<Listening, NoPort, Scope.Scope> => {
  const limits = { headMs: PAGE_REQUEST_MS, receiveMs: PAGE_REQUEST_MS }
  const listening = listenAt({ address: LOOPBACK, port, places, ...limits })
  return others.length === 0 ? listening : listening.pipe(Effect.catch(() => listenAtOneOf(places, others)))
}

/** For the caller's Scope. Fails with words. */
export const openDoor = Effect.fnUntraced(function* ({ configuration, directory, files, settings }: DoorOptions) {
  const { port: asked, readOnly: onlyReading } = settings()
  const clock = yield* Clock.Clock
  const page = yield* readPage(files)
  const sessions = yield* openSessions(sessionsFile(directory, configuration), clock)
  const tokens = makeTokens(clock)
  const transport = yield* makeTransport
  const places = new Places(PAGE_CONNECTIONS_MAX)
  const { port, server } = yield* listenAtOneOf(places, asked === 0 ? [...sessions.ports, 0] : [asked]).pipe(
    Effect.mapError((reason) => `port ${asked} of this machine ${reason.message}`)
  )
  // Before the server is closed, which waits for them.
  yield* Effect.addFinalizer(() => Effect.sync(transport.hangUp))
  const sockets = yield* makeSockets({ take: transport.take, clock, max: PAGE_SOCKETS_MAX, checkMs: PAGE_PING_MS })
  const { request, upgrade } = yield* makeAnswers({ onlyReading, port, page, sessions, tokens, places, sockets })
  server.on("request", request).on("upgrade", upgrade)
  return {
    address: (readOnly) => `http://${LOOPBACK}:${port}/${sessions.path}/?token=${tokens.make(readOnly)}`
  } satisfies Door
})
