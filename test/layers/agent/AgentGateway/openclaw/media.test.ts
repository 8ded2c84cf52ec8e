import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { readArtifacts, replyMedia } from "../../../../../src/layers/agent/AgentGateway/openclaw/media.ts"
import type { AgentEvent } from "../../../../../src/schemas/agent/AgentEvent.ts"
import {
  GATEWAY_MEDIA_ITEM_MAX_BYTES,
  GATEWAY_MEDIA_MAX,
  GATEWAY_MEDIA_PAUSE_MS,
  GATEWAY_MEDIA_WAIT_MS
} from "../../../../../src/schemas/defaults/Gateway.ts"
import { GatewayError } from "../../../../../src/schemas/agent/GatewayError.ts"
import { ContentSanitizer } from "../../../../../src/services/content/ContentSanitizer.ts"
import { base64, PDF, PNG } from "../../../../support/media.ts"
import { sanitizer } from "../../../../support/sanitizer.ts"

interface Fake {
  readonly artifacts: unknown
  readonly downloads?: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, Buffer>>
  /** How often there is nothing yet. */
  readonly late?: number
  readonly expected?: number
}

const fetched = Effect.fnUntraced(function* ({ artifacts, downloads = {}, expected, files = {}, late = 0 }: Fake) {
  const asked: Array<readonly [string, Readonly<Record<string, unknown>>]> = []
  let looks = 0
  const request = (method: string, params: Readonly<Record<string, unknown>>) =>
    Effect.suspend(() => {
      asked.push([method, params])
      if (method === "artifacts.list") {
        return artifacts === undefined
          ? new GatewayError({ detail: "unknown method" })
          : Effect.succeed<unknown>({ artifacts: looks++ < late ? [] : artifacts })
      }
      return Effect.succeed(downloads[String(params["artifactId"])])
    })
  const download = (address: string, maxBytes: number) => {
    const file = files[address]
    return file === undefined || file.length > maxBytes
      ? Effect.fail(new GatewayError({ detail: "it is not at the gateway" }))
      : Effect.succeed<Uint8Array>(file)
  }
  const { label } = yield* ContentSanitizer
  const count = expected ?? (Array.isArray(artifacts) ? artifacts.length : 1)
  const link = {
    request,
    events: Effect.die("none"),
    hello: Effect.die("none"),
    connected: Stream.empty,
    trouble: Effect.undefined
  }
  const events = yield* replyMedia({ link, download, label, sessionKey: "agent:main:k", runId: "run", expected: count })
  return { asked, events, brief: events.map(briefly) }
}, Effect.provide(sanitizer))

const briefly = (event: AgentEvent) =>
  event._tag === "Media"
    ? `${event.name} ${event.mediaType} ${event.data.length}`
    : event._tag === "Notice"
      ? event.text
      : event._tag

const png = { id: "a", title: "pic.png", mimeType: "image/png", sizeBytes: PNG.length }
const pdf = { id: "b", title: "report.pdf", mimeType: "application/pdf" }

describe("media in an answer of an OpenClaw gateway", () => {
  it.effect("are fetched for this run and the assistant's messages, in order", () =>
    Effect.gen(function* () {
      const { asked, events } = yield* fetched({
        artifacts: [png, pdf],
        downloads: { a: { url: "/api/media/a?sig=1" }, b: { encoding: "base64", data: base64(PDF) } },
        files: { "/api/media/a?sig=1": PNG }
      })
      assert.deepStrictEqual(events, [
        { _tag: "Media", mediaType: "image/png", data: base64(PNG), name: "pic.png" },
        { _tag: "Media", mediaType: "application/pdf", data: base64(PDF), name: "report.pdf" }
      ])
      for (const [, params] of asked) {
        assert.deepInclude(params, { sessionKey: "agent:main:k", runId: "run", messageRole: "assistant" })
      }
    })
  )

  it.effect("are not requested when the answer names none", () =>
    Effect.gen(function* () {
      const { asked, events } = yield* fetched({ artifacts: [png], expected: 0 })
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(events, [])
    })
  )

  it.effect("are waited for up to a limit, and the missing ones are counted", () =>
    Effect.gen(function* () {
      const downloads = { a: { encoding: "base64", data: base64(PNG) } }
      const soon = yield* Effect.forkChild(fetched({ artifacts: [png], downloads, late: 4 }))
      yield* TestClock.adjust(4 * GATEWAY_MEDIA_PAUSE_MS)
      assert.deepStrictEqual((yield* Fiber.join(soon)).brief, [`pic.png image/png ${base64(PNG).length}`])
      const never = yield* Effect.forkChild(fetched({ artifacts: [png], downloads, expected: 3 }))
      yield* TestClock.adjust(GATEWAY_MEDIA_WAIT_MS)
      assert.deepStrictEqual((yield* Fiber.join(never)).brief, [
        `pic.png image/png ${base64(PNG).length}`,
        "2 files that the answer names are not to be had from the gateway."
      ])
    })
  )

  it.effect("are reported as missing when the gateway has none or gives malformed data", () =>
    Effect.gen(function* () {
      for (const artifacts of [
        undefined,
        null,
        "x",
        {},
        [null, 1, "x", {}, { id: "" }, { id: 5 }, { id: "x".repeat(600) }]
      ]) {
        const fiber = yield* Effect.forkChild(fetched({ artifacts, expected: 1 }))
        yield* TestClock.adjust(GATEWAY_MEDIA_WAIT_MS)
        assert.deepStrictEqual((yield* Fiber.join(fiber)).brief, [
          "A file that the answer names is not to be had from the gateway."
        ])
      }
    })
  )

  it.effect("are reported by name when they are not available, and the others are fetched", () =>
    Effect.gen(function* () {
      const { brief } = yield* fetched({
        artifacts: [
          { ...png, id: "large", sizeBytes: GATEWAY_MEDIA_ITEM_MAX_BYTES + 1 },
          { ...png, id: "elsewhere", title: "a\u202e\u001b[31mb.png" },
          { ...png, id: "none" },
          { ...png, id: "odd" },
          { ...png, id: "liar", mimeType: "image/jpeg" },
          { ...png, id: "fine", mimeType: "Image/PNG" }
        ],
        downloads: {
          elsewhere: { url: "http://169.254.169.254/" },
          odd: { encoding: "base64", data: "AB==" },
          liar: { encoding: "base64", data: base64(PNG) },
          fine: { encoding: "base64", data: base64(PNG) }
        }
      })
      assert.deepStrictEqual(brief, [
        '"pic.png" is not available: it has 20971521 bytes, and 20 MB are taken',
        '"ab.png" is not available: it is not at the gateway',
        '"pic.png" is not available: the gateway does not provide it',
        '"pic.png" is not available: its data is not base64',
        '"pic.png" is not available: its bytes are not image/jpeg',
        `pic.png image/png ${base64(PNG).length}`
      ])
    })
  )

  it.effect("are limited in size and number", () =>
    Effect.gen(function* () {
      const file = Buffer.alloc(GATEWAY_MEDIA_ITEM_MAX_BYTES, "x")
      const { brief } = yield* fetched({
        artifacts: [1, 2, 3].map((id) => ({ id: `${id}`, title: `${id}`, mimeType: "x/y" })),
        downloads: Object.fromEntries([1, 2, 3].map((id) => [id, { url: "/f" }])),
        files: { "/f": file }
      })
      assert.deepStrictEqual(brief.slice(2), ['"3" is not available: it is not at the gateway'])
      assert.lengthOf(brief, 3)
      const many = Array.from({ length: 100 }, (_, index) => ({ ...png, id: `${index}` }))
      assert.lengthOf(readArtifacts({ artifacts: many }), GATEWAY_MEDIA_MAX)
    })
  )
})
