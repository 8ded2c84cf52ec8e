/**
 * A result that is none yet (2026-07-28, Multi Round-Trip Requests): the server wants something of the host, and to be
 * asked again with it. Read with distrust, because it decides what a person is asked.
 */
import { HOST_REQUESTS_MAX } from "../../../../schemas/defaults/HostRequests.ts"
import { isObject } from "../../../../schemas/data/Json.ts"

export interface InputRequest {
  readonly key: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** What is asked for, and what is to be sent back as it is. */
export interface Demand {
  readonly requests: ReadonlyArray<InputRequest>
  readonly requestState: string | undefined
}

export class InputRequired {
  readonly #result: Readonly<Record<string, unknown>>
  /** The total deadline of the request that this answers, as milliseconds of `Deadlines.now()`. */
  readonly totalAt: number

  constructor(result: Readonly<Record<string, unknown>>, totalAt: number) {
    this.#result = result
    this.totalAt = totalAt
  }

  /** Or why it cannot be met, in our own words. */
  read(): Demand | string {
    const { inputRequests, requestState } = this.#result
    if (requestState !== undefined && typeof requestState !== "string") return "its state is not text"
    if (inputRequests === undefined) {
      return requestState === undefined ? "it does not say which" : { requests: [], requestState }
    }
    if (!isObject(inputRequests)) return "it does not say which"
    const entries = Object.entries(inputRequests)
    if (entries.length > HOST_REQUESTS_MAX) return `for ${entries.length} things at once`
    const requests: Array<InputRequest> = []
    for (const [key, request] of entries) {
      if (!isObject(request) || typeof request["method"] !== "string") return "it does not say which"
      requests.push({ key, method: request["method"], params: isObject(request["params"]) ? request["params"] : {} })
    }
    return { requests, requestState }
  }
}
