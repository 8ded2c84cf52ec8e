/** Downloads one file of a gateway from its own URL only. The content is not examined, only its size. */
import * as Effect from "effect/Effect"
import { GATEWAY_DOWNLOAD_MS } from "../../../schemas/defaults/Gateway.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { GuardedFetch } from "../../../services/connection/NetworkGuard.ts"

const failed = (detail: string) => new GatewayError({ detail })

/** The URL; `undefined` when it is not the gateway's own. */
export const ownUrl = (gateway: URL, given: string): URL | undefined => {
  if (!URL.canParse(given, gateway.href)) return undefined
  const url = new URL(given, gateway)
  return url.origin === gateway.origin && url.username === "" && url.password === "" ? url : undefined
}

const read = async (response: Awaited<ReturnType<GuardedFetch["fetch"]>>, maxBytes: number): Promise<Uint8Array> => {
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw failed(`the gateway answers ${response.status}`)
  }
  const pieces: Array<Uint8Array> = []
  let size = 0
  for await (const piece of response.body) {
    size += (piece as Uint8Array).length
    // Leaving the loop ends the transfer.
    if (size > maxBytes) throw failed(`it has more than the ${maxBytes} bytes that are taken`)
    pieces.push(piece as Uint8Array)
  }
  return Buffer.concat(pieces, size)
}

/** Sends no token: the link in an answer contains its own permission. */
export const downloadFrom = (gateway: URL, open: () => GuardedFetch) =>
  Effect.fn("GatewayLink.download")(function* (given: string, maxBytes: number) {
    const url = ownUrl(gateway, given)
    if (url === undefined) return yield* failed("it is not at the gateway, and nothing is downloaded from elsewhere")
    return yield* Effect.acquireUseRelease(
      Effect.sync(open),
      (door) =>
        Effect.tryPromise({
          try: async (signal) =>
            read(await door.fetch(url, { signal, headers: { "accept-encoding": "identity" } }), maxBytes),
          catch: (error) => (error instanceof GatewayError ? error : failed("the gateway does not answer"))
        }).pipe(
          Effect.timeoutOrElse({
            duration: GATEWAY_DOWNLOAD_MS,
            orElse: () => Effect.fail(failed("the gateway takes too long"))
          })
        ),
      (door) => Effect.promise(() => door.close())
    )
  })
