/**
 * The media in a gateway agent's answer: pictures, sounds and files. The gateway stores them and returns them inline, or at a
 * URL of its own that is valid for some minutes. Nothing is downloaded from elsewhere or without a limit, and every type is
 * verified.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentEvent } from "../../../../schemas/agent/AgentEvent.ts"
import { decodeBase64, decodedBytes, toBase64 } from "../../../../schemas/data/Base64.ts"
import {
  GATEWAY_ASIDE_MS,
  GATEWAY_MEDIA_ITEM_MAX_BYTES,
  GATEWAY_MEDIA_MAX,
  GATEWAY_MEDIA_MAX_BYTES,
  GATEWAY_MEDIA_PAUSE_MS,
  GATEWAY_MEDIA_WAIT_MS
} from "../../../../schemas/defaults/Gateway.ts"
import { ORIGIN_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import { eachValid, ifValid, reader } from "../../../../schemas/data/Lenient.ts"
import { looksLike, plainType } from "../../../../schemas/content/Media.ts"
import type { ContentSanitizer } from "../../../../services/content/ContentSanitizer.ts"
import type { GatewayLink } from "../../../../services/agent/GatewayLink.ts"

interface Artifact {
  readonly id: string
  readonly title: string
  readonly mediaType: string
  readonly bytes: number | undefined
}

const ID_MAX_CHARS = 512
const UNKNOWN_TYPE = "application/octet-stream"
const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,127}$/
const MEBIBYTE = 1024 * 1024

const typeOf = (given: string): string => {
  const type = plainType(given)
  return MEDIA_TYPE.test(type) ? type : UNKNOWN_TYPE
}

const readList = reader(Schema.Struct({ artifacts: Schema.Array(Schema.Unknown) }))
const readArtifact = reader(
  Schema.Struct({
    id: Schema.NonEmptyString.check(Schema.isMaxLength(ID_MAX_CHARS)),
    title: ifValid(Schema.NonEmptyString),
    type: ifValid(Schema.NonEmptyString),
    mimeType: ifValid(Schema.NonEmptyString),
    sizeBytes: ifValid(Schema.Number.check(Schema.isGreaterThanOrEqualTo(0)))
  })
)
const readDownload = reader(
  Schema.Union([
    Schema.Struct({ encoding: Schema.Literal("base64"), data: Schema.String }),
    Schema.Struct({ url: Schema.String })
  ])
)

/** The files that a gateway lists. */
export const readArtifacts = (payload: unknown): ReadonlyArray<Artifact> =>
  eachValid(readList(payload)?.artifacts, readArtifact, GATEWAY_MEDIA_MAX).map(
    ({ id, mimeType = UNKNOWN_TYPE, sizeBytes, title, type }) => ({
      id,
      title: title ?? type ?? "a file",
      mediaType: typeOf(mimeType),
      bytes: sizeBytes
    })
  )

const overItem = (bytes: number) => `it has ${bytes} bytes, and ${GATEWAY_MEDIA_ITEM_MAX_BYTES / MEBIBYTE} MB are taken`

const failed = (detail: string) => new GatewayError({ detail })

export interface MediaOptions {
  readonly link: GatewayLink["Service"]["operator"]
  readonly download: GatewayLink["Service"]["download"]
  readonly label: ContentSanitizer["Service"]["label"]
  readonly sessionKey: string
  readonly runId: string
  /** The number that the answer's text mentions; when it is 0, the gateway is not asked. */
  readonly expected: number
}

/**
 * The media of one run, in the gateway's order; a sentence stands for each unavailable one. Empty if the gateway knows
 * nothing of the run.
 */
export const replyMedia = Effect.fnUntraced(function* (
  options: MediaOptions
): Effect.fn.Return<ReadonlyArray<AgentEvent>> {
  const { download, expected, label, link, runId, sessionKey } = options
  if (expected === 0) return []
  const scope = { sessionKey, runId, messageRole: "assistant" }
  const ask = (method: string, params: Readonly<Record<string, unknown>>) =>
    link.request(method, params, { timeoutMs: GATEWAY_ASIDE_MS })
  /** They are stored shortly after the answer has ended. */
  const settled = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + GATEWAY_MEDIA_WAIT_MS
    for (;;) {
      const artifacts = readArtifacts(yield* ask("artifacts.list", scope))
      if (artifacts.length >= expected || (yield* Clock.currentTimeMillis) >= until) return artifacts
      yield* Effect.sleep(GATEWAY_MEDIA_PAUSE_MS)
    }
  })
  const artifacts = yield* Effect.orElseSucceed(settled, (): ReadonlyArray<Artifact> => [])
  let left = GATEWAY_MEDIA_MAX_BYTES

  const bytesOf = Effect.fnUntraced(function* ({ bytes = 0, id }: Artifact) {
    const most = Math.min(GATEWAY_MEDIA_ITEM_MAX_BYTES, left)
    if (bytes > GATEWAY_MEDIA_ITEM_MAX_BYTES) return yield* failed(overItem(bytes))
    if (bytes > left) return yield* failed("the whole answer has become too large")
    const answer = yield* ask("artifacts.download", { ...scope, artifactId: id })
    const given = readDownload(answer)
    if (given === undefined) return yield* failed("the gateway does not provide it")
    if ("url" in given) return yield* download(given.url, most)
    if (decodedBytes(given.data) > most) return yield* failed(overItem(decodedBytes(given.data)))
    const decoded = decodeBase64(given.data)
    return "bytes" in decoded ? decoded.bytes : yield* failed("its data is not base64")
  })

  const eventOf = (artifact: Artifact): Effect.Effect<AgentEvent> => {
    const name = label(artifact.title, ORIGIN_MAX_CHARS)
    return bytesOf(artifact).pipe(
      Effect.flatMap((bytes) =>
        looksLike(artifact.mediaType, bytes) === false
          ? failed(`its bytes are not ${artifact.mediaType}`)
          : Effect.sync((): AgentEvent => {
              left -= bytes.length
              const data = toBase64(bytes)
              return { _tag: "Media", mediaType: artifact.mediaType, data, name }
            })
      ),
      Effect.catch(({ detail }) =>
        Effect.succeed<AgentEvent>({ _tag: "Notice", text: `${JSON.stringify(name)} is not available: ${detail}` })
      )
    )
  }

  const events = yield* Effect.forEach(artifacts, eventOf)
  const missing = expected - artifacts.length
  if (missing <= 0) return events
  const words = missing === 1 ? "A file that the answer names is" : `${missing} files that the answer names are`
  return [...events, { _tag: "Notice", text: `${words} not to be had from the gateway.` }]
})
