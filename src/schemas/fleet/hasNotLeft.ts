/** Whether a failed use of a server has certainly not reached it, so that it may go elsewhere. */
import { ServerUnavailable } from "../call/CallError.ts"
import { ConnectionLost } from "../connection/RequestError.ts"

export const hasNotLeft = (error: unknown): boolean =>
  error instanceof ServerUnavailable || (error instanceof ConnectionLost && !error.maybeExecuted)
