/** Fetches one document from an address that a server supplied, with bounded size and time. */
import { SUPPLIED_BODY_MAX_BYTES, SUPPLIED_TIMEOUT_MS } from "../../../schemas/defaults/Wire.ts"
import type { GuardedFetch, GuardedDownloads } from "../../../services/connection/NetworkGuard.ts"

const NULL_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

const within = (limit: number) => {
  let seen = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      seen += chunk.byteLength
      if (seen <= limit) controller.enqueue(chunk)
      else controller.error(new Error(`the document is larger than ${limit} bytes`))
    }
  })
}

export const supplied = ({ close, fetch }: GuardedFetch): GuardedDownloads => ({
  close,
  fetch: async (url, init = {}) => {
    const time = AbortSignal.timeout(SUPPLIED_TIMEOUT_MS)
    const signal = init.signal ? AbortSignal.any([time, init.signal]) : time
    const response = await fetch(url, { ...init, signal })
    const head = { status: response.status, statusText: response.statusText, headers: [...response.headers.entries()] }
    if (response.body === null || NULL_BODY.has(response.status)) return new Response(null, head)
    const body: ReadableStream<Uint8Array> = response.body.pipeThrough(within(SUPPLIED_BODY_MAX_BYTES))
    return new Response(body, head)
  }
})
