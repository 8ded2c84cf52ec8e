/** What servers may ask of a program that speaks in promises. What it answers is checked where every answer is checked. */
import * as Effect from "effect/Effect"
import { basename, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import {
  type ElicitationRequest,
  type ElicitationResult,
  HostRefusal,
  type SamplingRequest,
  type SamplingResult
} from "../../schemas/HostRequest.ts"
import type { Options as Host } from "../../layers/HostFeatures.ts"

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

export const hostOptions = ({ onElicitationRequest, onSamplingRequest, workspaceDir }: HostCallbacks): Host => ({
  ...(workspaceDir !== undefined && {
    roots: [{ uri: pathToFileURL(resolve(workspaceDir)).href, name: basename(resolve(workspaceDir)) }]
  }),
  ...(onElicitationRequest !== undefined && { elicit: toElicit(onElicitationRequest) }),
  ...(onSamplingRequest !== undefined && { sample: toSample(onSamplingRequest) })
})
