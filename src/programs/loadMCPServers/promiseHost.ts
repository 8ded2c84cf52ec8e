/** What servers may ask of a program that speaks in promises. What it answers is checked where every answer is checked. */
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
 * What servers may ask of the program. What is left out is not offered to them: a server that asks all the same gets
 * a refusal.
 */
export interface HostCallbacks {
  /** The directory that servers may regard as theirs to work on: their one root. */
  readonly workspaceDir?: string | undefined
  /**
   * Answers a server that asks for a completion. A `HostRefusal` that it throws goes to the server; any other error is
   * logged, and the server only learns that there is no answer. The signal says that the server needs none any more.
   */
  readonly onSamplingRequest?: ((request: SamplingRequest, signal: AbortSignal) => Promise<SamplingResult>) | undefined
  /** Asks the person. What it throws is logged, and counts as a question that was dismissed. */
  readonly onElicitationRequest?:
    | ((request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>)
    | undefined
  /**
   * Asks the person whether a tool may be called that an `ask` rule is about. Show them the arguments: they are ready to be
   * shown, the secrets in them masked. `"once"`, `"session"` (as long as this provider), `"always"` (kept in the data
   * directory, until the tool or what its server runs is another) or `"deny"`. Anything else, what it throws, and no
   * answer in five minutes is a no; the signal says that nobody waits for the answer any more. Without this such calls
   * are denied.
   */
  readonly onApproval?: ((question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>) | undefined
  /**
   * Shows the person a page where they log in at a server, as soon as it wants that (OAuth 2.1): it leads back to this
   * machine by itself. Where that cannot work, resolve with the address that they were sent to. The page's address is a
   * server's word: hand it to no shell. Without this, calls say that a login is needed.
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

/** What it throws is logged, and counts as a page that nobody saw. */
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
