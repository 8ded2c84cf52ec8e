/** Requests as they are written: every header is up to the test. */
import { request, type Agent } from "node:http"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** A request as it is written; `host` and `cookie` are up to us. */
export const ask = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  agent: Agent | false = false
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (got) => {
      let text = ""
      got.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      got.on("error", reject)
      got.on("end", () => resolve({ status: got.statusCode ?? 0, headers: got.headers, text }))
    })
    sent.on("error", reject).end()
  })
