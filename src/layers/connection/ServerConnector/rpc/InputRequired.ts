/**
 * A preliminary result (2026-07-28, Multi Round-Trip Requests): the server needs input from the host, and wants to be asked again with
 * it. It is read with distrust, because it decides what a person is asked.
 */
import { HOST_REQUESTS_MAX } from "../../../../schemas/defaults/HostRequests.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { weightOf } from "../../../../schemas/connection/Weight.ts"

export interface InputRequest {
  readonly key: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The requested input, and the state that is sent back unchanged. */
export interface Demand {
  readonly requests: ReadonlyArray<InputRequest>
  readonly requestState: string | undefined
}

export class InputRequired {
  readonly #result: Readonly<Record<string, unknown>>
  /** The total deadline of the request, in milliseconds of `Deadlines.now()`. */
  readonly totalAt: number
  /** The memory that it takes until it is met. */
  readonly bytes: number

  constructor(result: Readonly<Record<string, unknown>>, totalAt: number) {
    this.#result = result
    this.totalAt = totalAt
    this.bytes = weightOf(result)
  }

  /** Gives the demand, or why it cannot be met, in our own words. */
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
