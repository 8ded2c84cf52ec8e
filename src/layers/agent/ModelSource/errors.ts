/**
 * Turns an error of a model provider into one sentence that says what to do. Errors are examined by their shape, because they
 * come from several packages, some of them optional, and from the network. The provider's own words are quoted, cut and
 * cleaned.
 */
import { certificateProblem } from "../../../schemas/connection/Certificates.ts"
import type { ModelFailure } from "../../../services/agent/ModelSource.ts"
import type { ModelPlan } from "./providers.ts"

export interface ProviderFailure extends ModelFailure {
  readonly keyRefused: boolean
}

/** Nothing listens at the address; repeating the request at once is pointless. */
export class Unreachable extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Codes of connections that were never made. Others (a reset, a timeout) may be temporary and are retried. */
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"])

const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && key in value ? Reflect.get(value, key) : undefined

/** The error itself, then its causes. */
function* causes(error: unknown): Generator<unknown> {
  let current = error
  for (let depth = 0; depth < 8 && current !== undefined && current !== null; depth++) {
    yield current
    current = property(current, "lastError") ?? property(current, "cause")
  }
}

const firstOf = <A>(error: unknown, read: (cause: unknown) => A | undefined): A | undefined => {
  for (const cause of causes(error)) {
    const found = read(cause)
    if (found !== undefined) return found
  }
  return undefined
}

const connectionCode = (error: unknown): string | undefined =>
  firstOf(error, (cause) => {
    const code = property(cause, "code")
    return typeof code === "string" && (NEVER_CONNECTED.has(code) || certificateProblem(code) !== undefined)
      ? code
      : undefined
  })

/** A `fetch` that fails at once, with a specific error, when nothing listens. */
export const fetchOrUnreachable: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (error) {
    const code = connectionCode(error)
    throw code === undefined ? error : new Unreachable(code)
  }
}

const words = (error: unknown): string => {
  const text = firstOf(error, (cause) => {
    if (typeof cause === "string") return cause
    // A retry error only says that there were several; the errors in it say which.
    const message = property(cause, "lastError") === undefined ? property(cause, "message") : undefined
    return typeof message === "string" && message !== "" ? message : undefined
  })
  return text ?? "no reason given"
}

const headerOf = (error: unknown, name: string): string | undefined =>
  firstOf(error, (cause) => {
    const value = property(property(cause, "responseHeaders"), name)
    return typeof value === "string" ? value : undefined
  })

export const explain = (error: unknown, plan: ModelPlan, clean: (text: string) => string): ProviderFailure => {
  const { provider, model } = plan
  const said = clean(words(error))
  const status = firstOf(error, (cause) => {
    const code = property(cause, "statusCode")
    return typeof code === "number" ? code : undefined
  })
  const failure = (sentence: string, traits: Partial<ProviderFailure> = {}): ProviderFailure => ({
    sentence,
    keyRefused: false,
    passing: false,
    ...traits
  })
  const unreachable = firstOf(error, (cause) => (cause instanceof Unreachable ? cause.reason : undefined))
  if (unreachable !== undefined) {
    const advice = provider === "ollama" ? " Start it with 'ollama serve'." : ""
    return failure(`Cannot reach ${plan.baseUrl ?? provider} (${unreachable}).${advice}`, { passing: true })
  }
  if (status === undefined) return failure(`The answer of ${provider} broke off: ${said}`, { passing: true })
  if (status === 401 || status === 403) {
    const where =
      plan.keys.length === 0
        ? 'set "apiKey" of the model in the config'
        : `check ${plan.keys[0]} or the model's "apiKey"`
    return failure(`${provider} refused the API key (HTTP ${status}): ${said}; ${where}`, { keyRefused: true })
  }
  if (status === 404) {
    return failure(
      `${provider} does not know the model '${model}' (HTTP 404): ${said}; check the model's id and baseUrl`
    )
  }
  if (status === 429) {
    const after = headerOf(error, "retry-after")
    const when = after !== undefined && /^\d+$/.test(after) ? `again in ${after} s` : "again later"
    return failure(`${provider} has rate limited us (HTTP 429): ${said}; try ${when}`, { passing: true })
  }
  if (status >= 500) {
    return failure(`${provider} has a problem (HTTP ${status}): ${said}; try again later`, { passing: true })
  }
  return failure(
    `${provider} rejected the request (HTTP ${status}): ${said}. If the conversation has grown too long, /new starts over`
  )
}
