/** Listens with the MCP SDK, for clients of both of its eras: at stdin and stdout, or on this machine's loopback. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { McpListener } from "../../services/listener/McpListener.ts"
import { listenHttp } from "./McpListener/http/http.ts"
import { serveStdio } from "./McpListener/stdio/stdio.ts"

/** Long enough to be looked through for everything. */
const ANY_TEXT = "A text in plain words that says nothing to anybody."

const make = Effect.gen(function* () {
  const { clean, label } = yield* ContentSanitizer
  return McpListener.of({
    stdio: Effect.fn("McpListener.stdio")((serve, intake) => serveStdio(serve, label, intake)),
    http: Effect.fn("McpListener.http")((serve, options) => {
      // Its tables are built for the first text: while nobody waits.
      clean(ANY_TEXT)
      return listenHttp(serve, options, label)
    })
  })
})

export const layer: Layer.Layer<McpListener, never, ContentSanitizer> = Layer.effect(McpListener, make)
