/**
 * Reads a secret with Google's SDK, over its REST transport: its requests can be cancelled and can use proxies. The client is made once, and
 * kept if it could be set up.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SECRET_RETRIES, SECRET_RETRY_MS, SECRET_TIMEOUT_MS } from "../../../schemas/defaults/Secrets.ts"
import { crc32c } from "./crc32c.ts"
import { inWords, noCredentials, noProject } from "./gcpFailure.ts"
import { type GcpTarget, isProject } from "./gcpTarget.ts"
import { property } from "./jsonField.ts"
import { networkReason } from "./networkReason.ts"

/** The part of the SDK that is used. */
export interface GcpModule {
  readonly SecretManagerServiceClient: new (options: { readonly fallback: true }) => GcpClient
}

interface GcpClient {
  initialize(): Promise<unknown>
  getProjectId(): Promise<string>
  accessSecretVersion(
    request: { readonly name: string },
    options: { readonly timeout: number; readonly signal: AbortSignal; readonly retry: { readonly retryCodes: [] } }
  ): Promise<ReadonlyArray<unknown>>
}

interface GcpFailure {
  readonly detail: string
  readonly passing: boolean
}

const lasting = (detail: string): GcpFailure => ({ detail, passing: false })

export const make = () => {
  let kept: GcpClient | undefined

  /**
   * Sets the client up before the first call: if a call finds no credentials, the SDK throws where nobody can catch it, and never tries
   * again.
   */
  const clientOf = Effect.fnUntraced(function* ({ SecretManagerServiceClient }: GcpModule) {
    const client = kept ?? (yield* attempt(() => new SecretManagerServiceClient({ fallback: true })))
    yield* attempt(() => client.initialize())
    kept = client
    return client
  })

  const read = Effect.fnUntraced(function* (module: GcpModule, target: GcpTarget) {
    const client = yield* clientOf(module)
    const project = target.project ?? (yield* attempt(() => client.getProjectId(), noProject))
    if (!isProject(project)) return yield* Effect.fail(lasting(noProject))
    const name = `projects/${project}/secrets/${target.name}/versions/${target.version}`
    const answer = yield* Effect.tryPromise({
      try: (signal) =>
        client.accessSecretVersion({ name }, { timeout: SECRET_TIMEOUT_MS, signal, retry: { retryCodes: [] } }),
      catch: (error) => failureOf(error, { ...target, project })
    })
    return yield* textOf(property(answer[0], "payload"))
  })

  return (module: GcpModule, target: GcpTarget): Effect.Effect<string, string> =>
    read(module, target).pipe(
      Effect.retry({
        times: SECRET_RETRIES,
        while: ({ passing }) => passing,
        schedule: Schedule.spaced(SECRET_RETRY_MS)
      }),
      Effect.mapError(({ detail }) => detail)
    )
}

/** A step before the request: it fails if the SDK lacks something in its environment. */
const attempt = <A>(step: () => A | Promise<A>, otherwise = noCredentials): Effect.Effect<A, GcpFailure> =>
  Effect.tryPromise({
    try: async () => await step(),
    catch: () => lasting(otherwise)
  })

const textOf = (payload: unknown): Effect.Effect<string, GcpFailure> => {
  const data = property(payload, "data")
  if (!(data instanceof Uint8Array)) return Effect.fail(lasting("the secret has no value"))
  const checksum = property(payload, "dataCrc32c") ?? undefined
  if (checksum !== undefined && String(checksum) !== String(crc32c(data))) {
    return Effect.fail({ detail: "the value arrived damaged: its checksum does not match", passing: true })
  }
  return Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data),
    catch: () => lasting("the secret is binary, not UTF-8 text")
  })
}

// ---- errors -----------------------------------------------------------------------------------------------

/** The codes of gRPC into which the SDK translates those of HTTP. */
const STATUS: Readonly<Record<number, string>> = {
  2: "UNKNOWN",
  3: "INVALID_ARGUMENT",
  4: "DEADLINE_EXCEEDED",
  5: "NOT_FOUND",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  10: "ABORTED",
  13: "INTERNAL",
  14: "UNAVAILABLE",
  16: "UNAUTHENTICATED"
}

const PASSING: ReadonlySet<string> = new Set(["UNKNOWN", "ABORTED", "INTERNAL", "UNAVAILABLE", "RESOURCE_EXHAUSTED"])

const failureOf = (error: unknown, target: GcpTarget): GcpFailure => {
  const network = networkReason(error)
  if (network !== undefined) {
    return { detail: `Google's Secret Manager ${network.detail}`, passing: !network.certificate }
  }
  const code = property(error, "code")
  const status = typeof code === "number" ? (STATUS[code] ?? "") : ""
  const isDisabled = status === "PERMISSION_DENIED" && property(error, "reason") === "SERVICE_DISABLED"
  const detail = inWords(isDisabled ? "SERVICE_DISABLED" : status, target)
  return { detail: detail ?? "Google's SDK failed for a reason that is not known here", passing: PASSING.has(status) }
}
