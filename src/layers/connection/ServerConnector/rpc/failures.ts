/** Converts failures: a lost link becomes the error of its requests, a failed request becomes the error of the attempt to connect. */
import {
  ConnectTimeout,
  HandshakeFailed,
  type ConnectError,
  type ServerExited
} from "../../../../schemas/connection/ConnectError.ts"
import { ConnectionLost, type RequestError } from "../../../../schemas/connection/RequestError.ts"

const DETAIL_CHARS = 300

/** The error of a request whose link has ended. */
export const toConnectionLost = (
  server: string,
  reason: ServerExited | ConnectionLost | undefined,
  maybeExecuted: boolean
): ConnectionLost => {
  const detail =
    reason === undefined
      ? "closed"
      : reason._tag === "ConnectionLost"
        ? reason.detail
        : reason.signal === null
          ? `the server exited with code ${reason.code}`
          : `the server was ended by ${reason.signal}`
  return new ConnectionLost({ server, detail, maybeExecuted })
}

export interface Circumstances {
  readonly server: string
  /** The phase that failed. */
  readonly phase: string
  readonly stderr: string
  readonly tidy: (text: string, maxChars: number) => string
  /** Why the link is gone, if it is gone. */
  readonly lost: ServerExited | ConnectionLost | undefined
}

export const toConnectError = (
  error: ConnectError | RequestError,
  { lost, phase, server, stderr, tidy }: Circumstances
): ConnectError => {
  switch (error._tag) {
    case "ConnectionLost":
      // The error is about the connection: there was no call.
      return lost ?? new ConnectionLost({ server, detail: error.detail, maybeExecuted: false })
    case "ProtocolError": {
      const { about, detail, isOurs } = error
      const words = tidy(detail, DETAIL_CHARS)
      return isOurs === true
        ? new HandshakeFailed({ server, detail: `${phase} failed: ${words}`, stderr })
        : new HandshakeFailed({
            server,
            detail: `${phase} failed${about === undefined ? "" : `: ${about}`}`,
            said: words,
            stderr
          })
    }
    case "MessageTooLarge":
      return new HandshakeFailed({ server, detail: `its answer to ${phase} is too large`, stderr })
    case "CallTimeout":
      return new ConnectTimeout({ server, timeoutMs: error.timeoutMs, phase, stderr })
    case "CallCancelled":
      return new HandshakeFailed({ server, detail: `${phase} was cancelled`, stderr })
    default:
      return error
  }
}
