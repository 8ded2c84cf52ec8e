/** Listens for MCP clients of every revision: at stdin and stdout, or over HTTP. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LISTENER_CONNECTIONS_MAX } from "../../schemas/defaults/Listener.ts"
import { type Directory, SessionDirectory } from "../../services/listener/SessionDirectory.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { McpListener } from "../../services/listener/McpListener.ts"
import { Places } from "../../system/connectionPlaces.ts"
import { listenHttp } from "./McpListener/http/http.ts"
import { serveStdio } from "./McpListener/stdio/stdio.ts"

/** Long enough for every search of the sanitizer. */
const ANY_TEXT = "A text in plain words that says nothing to anybody."

const make = Effect.gen(function* () {
  const { clean, label } = yield* ContentSanitizer
  // However many ports are listened at.
  let places: Places | undefined
  /** Each session of a node of a fleet may have a stream. Who has no token gets no more places than elsewhere. */
  const placesFor = (directory: Directory | undefined): Places =>
    (places ??= new Places(LISTENER_CONNECTIONS_MAX + (directory?.sessionsMax ?? 0), {
      newcomers: LISTENER_CONNECTIONS_MAX
    }))
  return McpListener.of({
    stdio: Effect.fn("McpListener.stdio")((serve, intake) => serveStdio(serve, label, intake)),
    http: Effect.fn("McpListener.http")((serve, options) => {
      // The sanitizer builds its tables with the first text: here, nobody waits for that.
      clean(ANY_TEXT)
      return Effect.flatMap(SessionDirectory, ({ current }) => listenHttp(serve, options, label, placesFor(current)))
    })
  })
})

export const layer: Layer.Layer<McpListener, never, ContentSanitizer> = Layer.effect(McpListener, make)
