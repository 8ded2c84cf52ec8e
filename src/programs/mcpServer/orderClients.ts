/** Parses the file of clients that may send agent requests over HTTP. Each line has a name, a token and optionally an agent. */
import * as Result from "effect/Result"
import { isUsableToken, USABLE_TOKEN } from "../../schemas/listener/ClientToken.ts"
import { ORDER_HTTP_CLIENTS_MAX } from "../../schemas/defaults/Orders.ts"

export interface HttpClient {
  readonly name: string
  readonly token: string
  readonly agent: string | undefined
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Fails with a sentence that contains nothing of a token. */
export const readClients = (text: string): Result.Result<ReadonlyArray<HttpClient>, string> => {
  const lines = text.split(/\r?\n/).map((line, index) => ({ number: index + 1, line: line.trim() }))
  const clients: Array<HttpClient> = []
  for (const { line, number } of lines) {
    if (line === "" || line.startsWith("#")) continue
    const [name = "", token = "", agent, ...more] = line.split(/\s+/)
    if (!NAME.test(name)) return Result.fail(`line ${number}: the name of a client has letters, digits and . _ -`)
    if (!isUsableToken(token) || more.length > 0) {
      return Result.fail(`line ${number}: after the name comes its token, ${USABLE_TOKEN}, then optionally its agent`)
    }
    if (clients.some((one) => one.name === name))
      return Result.fail(`line ${number}: there is a client of that name already`)
    if (clients.some((one) => one.token === token)) {
      return Result.fail(`line ${number}: another client has the same token`)
    }
    clients.push({ name, token, agent })
  }
  if (clients.length === 0) return Result.fail("there is no client in it")
  return clients.length > ORDER_HTTP_CLIENTS_MAX
    ? Result.fail(`there are ${clients.length} clients in it, and there may be ${ORDER_HTTP_CLIENTS_MAX}`)
    : Result.succeed(clients)
}
