/**
 * What a model is told about each error: in our own words what happened and what it can do, and separately what the server said.
 */
import * as Match from "effect/Match"
import type { DenialReason } from "../../../schemas/call/Approval.ts"
import { CUT_MARGIN_CHARS, SHOWN_URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import { DEFINITION_CHANGES, type CallError } from "../../../schemas/call/CallError.ts"
import { loginCommand, statusMeaning, type AuthRequired } from "../../../schemas/connection/HttpError.ts"
import { diffCommand, isPlainName } from "../../../schemas/call/Pins.ts"

export interface Report {
  readonly server: string | undefined
  /** What happened, in our own words. */
  readonly says: string
  /** What the model can do. */
  readonly hint: string
  /** What the server said. It contains nothing of ours, and the other texts contain nothing of it. */
  readonly words?: string
  /** Findings in the server's words before they were cleaned. */
  readonly found?: ReadonlyArray<Finding> | undefined
  readonly maybeExecuted: boolean
}

/** The end of a sentence. */
const because = (why: string | undefined): string =>
  why === undefined || why === "" ? "." : `: ${why}${/[.?!]$/.test(why) ? "" : "."}`

export const CHECK_FIRST = "It may have been executed all the same: check before you repeat it."
const LATER = "Try again later; if it stays like this, tell the user."
const TELL_USER = "Trying again does not help: tell the user."

const INVALID_PARAMS = -32602

/** Without a code it is not an answer of the server, so other arguments do not help. */
const refusalHint = (code: number | null): string => {
  if (code === null) return "Go on without this tool, or tell the user."
  return code === INVALID_PARAMS
    ? "Correct the arguments and try again."
    : "Other arguments may help; if they do not, tell the user."
}
/** A gateway that timed out, or a server that broke down, may have done the work. */
const isServerFault = (status: number | null) => status !== null && status >= 500
const isPassing = (status: number | null) => status === null || status >= 500 || status === 408 || status === 429

const meaningIn = (status: number): string => {
  const meaning = statusMeaning(status)
  return meaning === "" ? "" : ` (${meaning})`
}

const afterWords = (ms: number) =>
  `It asks to wait for ${Math.max(1, Math.ceil(ms / 1000))} s: call the tool again after that.`

const httpHint = (status: number | null, retryAfterMs: number | undefined): string => {
  const later = retryAfterMs === undefined ? LATER : afterWords(retryAfterMs)
  if (isServerFault(status)) return `${CHECK_FIRST} ${later}`
  return isPassing(status) ? later : TELL_USER
}

/** What somebody can do about a server that refuses access. */
const refusal = (
  server: string,
  status: number,
  remedy: AuthRequired["remedy"],
  detail?: string
): Pick<Report, "says" | "hint"> => {
  const why = because(detail)
  switch (remedy) {
    case "login":
      return {
        says: `MCP server '${server}' needs a login${why}`,
        hint: `Ask the user to run: ${loginCommand(server)} - and call the tool again when they have.`
      }
    case "later":
      return { says: `MCP server '${server}' cannot be authorized now${why}`, hint: LATER }
    case "config":
      return { says: `MCP server '${server}' cannot be authorized${why}`, hint: TELL_USER }
  }
  return status === 403
    ? {
        says: `MCP server '${server}' forbids this call (HTTP 403).`,
        hint: `${TELL_USER} Its credentials in the configuration may not do this.`
      }
    : {
        says: `MCP server '${server}' refused our credentials (HTTP ${status}).`,
        hint: `${TELL_USER} Its credentials in the configuration must be renewed.`
      }
}

const inSeconds = (ms: number) => `${Math.max(1, Math.ceil(ms / 1000))} s`

const whenAvailable = (retryInMs: number | null): string =>
  retryInMs === null
    ? "Go on without this tool, or tell the user."
    : `It is tried again in ${Math.max(1, Math.ceil(retryInMs / 1000))} s: call the tool again after that.`

/** What a model can do about a call that was not approved, without getting around the person. */
const UNAPPROVED: Readonly<Record<DenialReason, string>> = {
  person: "Do not call it again for this, nor do the same in another way: ask the user what they want instead.",
  nobody: `${TELL_USER} It can be approved where a person is asked: in "mcp-live start", "mcp-live call" or "mcp-live ask" on a terminal, or by the program that runs this agent. Whoever may change the configuration can remove the tool from "ask".`,
  timeout: "Ask the user whether they want it, before you call it again.",
  failed: `${TELL_USER} The log of the gateway says more.`,
  changed: "Look at the tool's current definition, and tell the user, before you call it again."
}

/** The same, where rules name who approves: the user cannot. */
const BY_OTHERS: Partial<Readonly<Record<DenialReason, string>>> = {
  nobody: `${TELL_USER} Those who approve it answer on the page of the gateway, or in "mcp-live ask".`,
  timeout: `${TELL_USER} Do not call it again before it can be approved.`
}

export const reportOf = Match.type<CallError>().pipe(
  Match.tagsExhaustive({
    ConnectionLost: ({ detail, maybeExecuted, server }): Report => ({
      server,
      says: `The connection to MCP server '${server}' was lost: ${detail}.`,
      hint: maybeExecuted ? CHECK_FIRST : "The call was not sent. Try again.",
      maybeExecuted
    }),
    ProtocolError: ({ about, code, detail, findings, isOurs, maybeExecuted = false, server, words }): Report => ({
      server,
      says: `${
        code === null
          ? `MCP server '${server}' gave no usable answer`
          : `MCP server '${server}' refused the call (${code})`
      }${because(isOurs === true ? detail : about)}`,
      hint: maybeExecuted ? CHECK_FIRST : refusalHint(code),
      words,
      found: findings,
      maybeExecuted
    }),
    MessageTooLarge: ({ message, server }): Report => ({
      server,
      says: `${message}.`,
      hint: CHECK_FIRST,
      maybeExecuted: true
    }),
    CallTimeout: ({ message, server }): Report => ({
      server,
      says: `${message}.`,
      hint: `${CHECK_FIRST} Ask for less at a time if you can.`,
      maybeExecuted: true
    }),
    CallCancelled: ({ message, server }): Report => ({
      server,
      says: `${message}.`,
      hint: CHECK_FIRST,
      maybeExecuted: true
    }),
    AuthRequired: ({ detail, remedy, server, status, words }): Report => ({
      server,
      ...refusal(server, status, remedy, detail),
      words,
      maybeExecuted: false
    }),
    HttpFailed: ({ detail, findings, isOurs, retryAfterMs, server, status, words }): Report => ({
      server,
      says:
        status === null
          ? `MCP server '${server}' cannot be reached${because(detail)}`
          : `MCP server '${server}' answered HTTP ${status}${meaningIn(status)}${because(isOurs === true ? detail : undefined)}`,
      hint: httpHint(status, retryAfterMs),
      words,
      found: findings,
      maybeExecuted: isServerFault(status)
    }),
    AddressBlocked: ({ server, told, words }): Report => ({
      server,
      says: `${told}.`,
      words,
      hint: TELL_USER,
      maybeExecuted: false
    }),
    RedirectBlocked: ({ detail, server, target }): Report => ({
      server,
      says: `MCP server '${server}' sends us to another address, ${detail}: the call was not sent there.`,
      hint: `${TELL_USER} Its address in the configuration may have to be changed.`,
      words: target,
      maybeExecuted: false
    }),
    ServerUnavailable: ({ cause, detail, needsLogin, retryInMs, server, state, words }): Report => ({
      server,
      ...(needsLogin === true
        ? refusal(server, 401, "login")
        : {
            says: `MCP server '${server}' is not available now (${state})${because(cause?.told ?? detail)}`,
            hint: whenAvailable(retryInMs)
          }),
      words,
      maybeExecuted: false
    }),
    ToolNotFound: ({ message }): Report => ({
      server: undefined,
      says: message,
      hint: "Use the name of a tool that you were given.",
      maybeExecuted: false
    }),
    ResourceNotFound: ({ detail, uri }): Report => ({
      server: undefined,
      says: `Resource '${uri.slice(0, SHOWN_URI_MAX_CHARS + CUT_MARGIN_CHARS)}':`,
      hint: `${detail}.`,
      maybeExecuted: false
    }),
    PolicyDenied: ({ message }): Report => ({
      server: undefined,
      says: `${message}.`,
      hint: "Do not try to get around this; tell the user if the task needs it.",
      maybeExecuted: false
    }),
    ApprovalDenied: ({ approvers, message, reason, server }): Report => ({
      server,
      says: `${message}.`,
      hint: `Nothing was sent. ${(approvers === undefined ? undefined : BY_OTHERS[reason]) ?? UNAPPROVED[reason]}`,
      maybeExecuted: false
    }),
    DefinitionChanged: ({ change, server, tool }): Report => ({
      server,
      // A name that a server made up may be a message, so it is not used in our sentence.
      says: `${isPlainName(tool) ? `Tool '${tool}'` : "This tool"} of MCP server '${server}' is withheld: ${DEFINITION_CHANGES[change]}.`,
      hint: `Do not try to get around this: tell the user that its operator has to look at it with: ${diffCommand(server, tool)}`,
      maybeExecuted: false
    }),
    InvalidArguments: ({ message }): Report => ({
      server: undefined,
      says: `${message}.`,
      hint: "Correct the arguments and try again.",
      maybeExecuted: false
    }),
    SecretInArguments: ({ message, server, what }): Report => ({
      server,
      says: `${message}.`,
      hint: {
        secret: "Do not send it in another form: tell the user.",
        mask: "Leave that value out or read the original elsewhere; do not write the mask.",
        unread: "Send less in one call, or tell the user."
      }[what],
      maybeExecuted: false
    }),
    Overloaded: ({ message, server }): Report => ({
      server,
      says: `${message}.`,
      hint: "Try again when an earlier call has ended.",
      maybeExecuted: false
    }),
    RateLimited: ({ quota, quotaWords, retryInMs, server }): Report => ({
      server,
      says:
        quotaWords === undefined
          ? `MCP server '${server}' has had too many calls from here in a short time: this one was not sent.`
          : `This call was not sent: ${quotaWords}.`,
      hint:
        quota === undefined || quota.period === "minute"
          ? `Call the tool again in ${inSeconds(retryInMs)}.`
          : "Do not call it again before that; tell the user when it is possible.",
      maybeExecuted: false
    }),
    CircuitOpen: ({ retryInMs, server }): Report => ({
      server,
      says: `MCP server '${server}' has failed several times in a row, so calls to it are paused: this one was not sent.`,
      hint: `Call the tool again in ${inSeconds(retryInMs)} at the earliest; go on without it until then, or tell the user.`,
      maybeExecuted: false
    })
  })
)
