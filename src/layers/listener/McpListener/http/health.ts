/** What anybody may ask, without a token: whether the program runs, and whether a load balancer should send it requests. */
import type { ServerResponse } from "node:http"
import type { Directory } from "../../../../services/listener/SessionDirectory.ts"
import { SAFE_HEADERS } from "../../../../system/httpServer.ts"

const said = (status: string) => JSON.stringify({ status })

const say = (response: ServerResponse, code: number, status: string): void => {
  const text = said(status)
  const headers = { ...SAFE_HEADERS, "content-type": "application/json", "content-length": String(text.length) }
  response.writeHead(code, { ...headers, connection: "close" }).end(text)
}

/** Somebody without a token is told nothing else. */
export const sayAlive = (response: ServerResponse): void => say(response, 200, "ok")

/**
 * `waiting`: the node has to be confirmed by the others of its fleet. `full`: it gives new sessions to other nodes, and answers for all that there
 * are: so requests may still come.
 */
type Readiness = "ok" | "draining" | "waiting" | "full"

export const readiness = (directory: Directory | undefined, isFull: boolean): Readiness => {
  if (directory === undefined) return "ok"
  return directory.isDraining() ? "draining" : !directory.isCurrent() ? "waiting" : isFull ? "full" : "ok"
}

export const sayReady = (response: ServerResponse, state: Readiness): void =>
  say(response, state === "ok" || state === "full" ? 200 : 503, state)
