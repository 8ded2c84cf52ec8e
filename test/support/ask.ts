/** Requests as they are written: every header is up to the test. */
import { request, type Agent } from "node:http"
import { request as requestOverTls } from "node:https"
import { TO_LOOPBACK } from "./toLoopback.ts"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** A request as it is written; `host` and `cookie` are up to us. Over https, every host is this machine. */
export const ask = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  agent: Agent | false = false,
  body = ""
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const isSecure = url.startsWith("https:")
    const options = { method, headers, agent, ...(isSecure ? TO_LOOPBACK : {}) }
    const sent = (isSecure ? requestOverTls : request)(url, options, (got) => {
      let text = ""
      got.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      got.on("error", reject)
      got.on("end", () => resolve({ status: got.statusCode ?? 0, headers: got.headers, text }))
    })
    sent.on("error", reject).end(body)
  })
