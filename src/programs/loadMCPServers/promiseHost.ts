/** Answers requests of servers with the program's callbacks. `HostFeatures` checks the answers. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { basename, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import {
  type ElicitationRequest,
  type ElicitationResult,
  HostRefusal,
  type SamplingRequest,
  type SamplingResult
} from "../../schemas/content/HostRequest.ts"
import type { Options as Host } from "../../layers/content/HostFeatures.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../schemas/call/Approval.ts"
import { LoginFailed, type LoginPage } from "../../schemas/login/Login.ts"
import type { LoginOptions } from "../../services/login/Authorizer.ts"

/**
 * Callbacks for what servers may ask of the program. A feature without a callback is not offered, and a server that uses it
 * is refused.
 */
export interface HostCallbacks {
  /** The one root of the servers: the directory that they may work in. */
  readonly workspaceDir?: string | undefined
  /**
   * Answers a sampling request. If it throws a `HostRefusal`, the server gets that; any other error is logged, and the server
   * only learns that there is no answer. The signal aborts when the server no longer needs the answer.
   */
  readonly onSamplingRequest?: ((request: SamplingRequest, signal: AbortSignal) => Promise<SamplingResult>) | undefined
  /** Asks the person. An error is logged and counts as a dismissed question. */
  readonly onElicitationRequest?:
    | ((request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>)
    | undefined
  /**
   * Asks the person whether a tool may be called that an `ask` rule matches. Show them the arguments, which are ready to
   * show, with secrets masked. Return `"once"`, `"session"` (as long as this provider), `"always"` (stored in the data
   * directory until the tool or its server's launch changes) or `"deny"`. Anything else, an error, and no answer within five
   * minutes deny the call; the signal aborts when nobody waits any more. Without this callback such calls are denied.
   */
  readonly onApproval?: ((question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>) | undefined
  /**
   * Shows the person the login page of a server, as soon as it needs a login (OAuth 2.1). The page redirects to this machine.
   * Where that cannot work, resolve with the address to which the person was redirected. The page's address comes from the
   * server: do not pass it to a shell. Without this callback, calls report that a login is needed.
   */
  readonly onLoginRequired?: ((page: LoginPage, signal: AbortSignal) => Promise<string | void>) | undefined
}

const toElicit =
  (ask: NonNullable<HostCallbacks["onElicitationRequest"]>): NonNullable<Host["elicit"]> =>
  (request) =>
    Effect.promise(async (signal) => ask(request, signal))

const toSample =
  (answer: NonNullable<HostCallbacks["onSamplingRequest"]>): NonNullable<Host["sample"]> =>
  (request) =>
    Effect.promise(async (signal) => answer(request, signal)).pipe(
      Effect.catchDefect((error) => (error instanceof HostRefusal ? Effect.fail(error) : Effect.die(error)))
    )

/** An error is logged, and counts as a page that could not be shown. */
export const toLogin = ({ onLoginRequired: show }: HostCallbacks): LoginOptions["show"] | undefined =>
  show === undefined
    ? undefined
    : (page) =>
        Effect.promise(async (signal) => show(page, signal)).pipe(
          Effect.catchDefect((error) =>
            Effect.andThen(
              Effect.logError("onLoginRequired failed", Cause.die(error)),
              new LoginFailed({ server: page.server, passing: false, detail: "the page could not be shown" })
            )
          )
        )

export const hostOptions = ({ onElicitationRequest, onSamplingRequest, workspaceDir }: HostCallbacks): Host => ({
  ...(workspaceDir !== undefined && {
    roots: [{ uri: pathToFileURL(resolve(workspaceDir)).href, name: basename(resolve(workspaceDir)) }]
  }),
  ...(onElicitationRequest !== undefined && { elicit: toElicit(onElicitationRequest) }),
  ...(onSamplingRequest !== undefined && { sample: toSample(onSamplingRequest) })
})
