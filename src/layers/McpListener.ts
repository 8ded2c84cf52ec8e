/** Listens with the MCP SDK, for clients of both of its eras: at stdin and stdout, or on this machine's loopback. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { McpListener } from "../services/McpListener.ts"
import { listenHttp } from "./McpListener/http.ts"
import { serveStdio } from "./McpListener/stdio.ts"

const make = Effect.gen(function* () {
  const { label } = yield* ContentSanitizer
  return McpListener.of({
    stdio: Effect.fn("McpListener.stdio")((serve, intake) => serveStdio(serve, label, intake)),
    http: Effect.fn("McpListener.http")((serve, options) => listenHttp(serve, options, label))
  })
})

export const layer: Layer.Layer<McpListener, never, ContentSanitizer> = Layer.effect(McpListener, make)
