/** Asks a registry of MCP servers over its HTTP API, version 0.1, and downloads the files of packages. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { createHash } from "node:crypto"
import { brokenBound } from "../../schemas/config/ConfigBounds.ts"
import { officialOf, RegistryAnswer } from "../../schemas/config/registry/ServerJson.ts"
import { clip } from "../../schemas/content/Rendering.ts"
import { AddressBlocked, RedirectBlocked } from "../../schemas/connection/HttpError.ts"
import {
  BUNDLE_DOWNLOAD_MS,
  BUNDLE_MAX_BYTES,
  REGISTRY_ANSWER_MAX_BYTES,
  REGISTRY_URL,
  REGISTRY_WAIT_MS
} from "../../schemas/defaults/Bundles.ts"
import { type GuardedFetch, NetworkGuard } from "../../services/connection/NetworkGuard.ts"
import { RegistryFailed, ServerRegistry } from "../../services/config/ServerRegistry.ts"

export interface Options {
  /** The address of the registry; the official one when left out. */
  readonly url?: string | undefined
}

type Response = Awaited<ReturnType<GuardedFetch["fetch"]>>

const failed = (detail: string) => new RegistryFailed({ detail })

const CONNECT_TIMEOUT_MS = 15_000
const NAME = "registry"
const ISSUE_MAX_CHARS = 200
const issueText = SchemaIssue.makeFormatterDefault()

/** Reads no more than `maxBytes`, whatever the headers say. */
const bodyOf = async ({ body }: Response, maxBytes: number): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  for await (const piece of body ?? []) {
    const bytes = piece as Uint8Array
    size += bytes.length
    // Leaving the loop ends the transfer.
    if (size > maxBytes) throw failed(`sends more than the ${maxBytes} bytes that are taken`)
    pieces.push(bytes)
  }
  return Buffer.concat(pieces, size)
}

/** What happened to a request, without words of the other side. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof AddressBlocked) return `leads to ${cause.leadsTo}, and is not contacted`
  if (cause instanceof RedirectBlocked) return `redirects elsewhere, ${cause.detail}`
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : ""
  return `does not answer${code}`
}

const decoded = (bytes: Buffer): Result.Result<RegistryAnswer, string> => {
  const text = bytes.toString("utf8")
  const bound = brokenBound(text)
  if (bound !== undefined) return Result.fail(`sends an answer that ${bound.message}`)
  try {
    return Result.mapError(
      Schema.decodeUnknownResult(RegistryAnswer)(JSON.parse(text)),
      ({ issue }) => `sends something else than a server.json: ${clip(issueText(issue), ISSUE_MAX_CHARS)}`
    )
  } catch {
    return Result.fail("sends no JSON")
  }
}

const warningOf = (answer: RegistryAnswer): string | undefined => {
  const { status, statusMessage } = officialOf(answer) ?? {}
  if (status === undefined || status === "active") return undefined
  return `the registry says that it is ${status}${statusMessage === undefined ? "" : `: ${statusMessage}`}`
}

const make = Effect.fnUntraced(function* ({ url = REGISTRY_URL }: Options) {
  const guard = yield* NetworkGuard
  const base = new URL(url.endsWith("/") ? url : `${url}/`)

  /** Anything that does not come from the registry itself may only be at a public address. */
  const request = <A>(
    target: URL,
    anyOrigin: boolean,
    time: number,
    read: (response: Response) => Promise<A>
  ): Effect.Effect<A, RegistryFailed> =>
    Effect.acquireUseRelease(
      Effect.sync(() =>
        guard.open({
          server: NAME,
          own: [{ url: base, allowPrivate: false }],
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          anyOrigin
        })
      ),
      ({ fetch }) =>
        Effect.tryPromise({
          try: async (signal) =>
            read(await fetch(target, { signal, headers: { accept: anyOrigin ? "*/*" : "application/json" } })),
          catch: (error) => (error instanceof RegistryFailed ? error : failed(reasonOf(error)))
        }).pipe(
          Effect.timeoutOrElse({ duration: time, orElse: () => Effect.fail(failed("takes too long to answer")) })
        ),
      ({ close }) => Effect.promise(close)
    ).pipe(Effect.mapError(({ detail }) => failed(`${target.host} ${detail}`)))

  const find = Effect.fn("ServerRegistry.find")(function* (name: string, version: string | undefined) {
    const path = `v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version ?? "latest")}`
    const target = new URL(path, base)
    const answer = yield* request(target, false, REGISTRY_WAIT_MS, async (response) => {
      if (response.status === 404) {
        const which = version === undefined ? "" : ` in version ${version}`
        throw failed(`has no server '${name}'${which}`)
      }
      if (!response.ok) throw failed(`answers with HTTP ${response.status}`)
      return Result.getOrThrowWith(decoded(await bodyOf(response, REGISTRY_ANSWER_MAX_BYTES)), failed)
    })
    const { server } = answer
    if (server.name !== name) return yield* failed(`${base.host} answers with another server than '${name}'`)
    if (version !== undefined && server.version !== version) {
      return yield* failed(`${base.host} answers with another version than ${version}`)
    }
    if (officialOf(answer)?.status === "deleted") return yield* failed(`${base.host} has deleted '${name}'`)
    return { server, warning: warningOf(answer) }
  })

  const download = Effect.fn("ServerRegistry.download")(function* (from: string, sha256: string) {
    const target = new URL(from)
    const file = yield* request(target, true, BUNDLE_DOWNLOAD_MS, async (response) => {
      if (!response.ok) throw failed(`answers with HTTP ${response.status}`)
      return bodyOf(response, BUNDLE_MAX_BYTES)
    })
    const digest = createHash("sha256").update(file).digest("hex")
    if (digest === sha256) return file
    return yield* failed(
      `${target.host} sends another file than the registry describes: its digest is ${digest}, not ${sha256}`
    )
  })
  return ServerRegistry.of({ find, download })
})

export const layer = (options: Options = {}): Layer.Layer<ServerRegistry, never, NetworkGuard> =>
  Layer.effect(ServerRegistry, make(options))
