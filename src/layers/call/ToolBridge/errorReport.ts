/**
 * What is told about each error: in our own words what happened and what its reader can do, and separately what the server said.
 */
import * as Match from "effect/Match"
import { CUT_MARGIN_CHARS, SHOWN_URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import { DEFINITION_CHANGES, type CallError } from "../../../schemas/call/CallError.ts"
import { loginCommand, type AuthRequired } from "../../../schemas/connection/HttpError.ts"
import { diffCommand, isPlainName } from "../../../schemas/call/Pins.ts"
import {
  authHint,
  CHECK_FIRST,
  denialHint,
  type Hint,
  httpHint,
  inSeconds,
  isServerFault,
  meaningIn,
  refusalHint,
  tellUser,
  whenAvailable
} from "./hints.ts"

export interface Report {
  readonly server: string | undefined
  /** What happened, in our own words. */
  readonly says: string
  /** What the reader can do. */
  readonly hint: Hint
  /** What the server said. It contains nothing of ours, and the other texts contain nothing of it. */
  readonly words?: string
  /** Findings in the server's words before they were cleaned. */
  readonly found?: ReadonlyArray<Finding> | undefined
  readonly maybeExecuted: boolean
}

/** The end of a sentence. */
const because = (why: string | undefined): string =>
  why === undefined || why === "" ? "." : `: ${why}${/[.?!]$/.test(why) ? "" : "."}`

/** What somebody can do about a server that refuses access. */
const refusal = (
  error: Pick<AuthRequired, "brought" | "detail" | "remedy" | "server" | "status">
): Pick<Report, "says" | "hint"> => {
  const { detail, remedy, server, status } = error
  const why = because(detail)
  const hint = authHint(error, loginCommand(server))
  switch (remedy) {
    case "login":
      return { says: `MCP server '${server}' needs a login${why}`, hint }
    case "later":
      return { says: `MCP server '${server}' cannot be authorized now${why}`, hint }
    case "config":
      return { says: `MCP server '${server}' cannot be authorized${why}`, hint }
  }
  return status === 403
    ? { says: `MCP server '${server}' forbids this call (HTTP 403).`, hint }
    : { says: `MCP server '${server}' refused our credentials (HTTP ${status}).`, hint }
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
    AuthRequired: (error): Report => ({
      server: error.server,
      ...refusal(error),
      words: error.words,
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
      hint: tellUser(),
      maybeExecuted: false
    }),
    RedirectBlocked: ({ detail, server, target }): Report => ({
      server,
      says: `MCP server '${server}' sends us to another address, ${detail}: the call was not sent there.`,
      hint: tellUser("Its address may have to be changed where it is configured."),
      words: target,
      maybeExecuted: false
    }),
    ServerUnavailable: ({ cause, detail, needsLogin, retryInMs, server, state, words }): Report => ({
      server,
      ...(needsLogin === true
        ? refusal({ server, status: 401, remedy: "login" })
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
      hint: { model: "Use the name of a tool that you were given.", person: "" },
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
      hint: {
        model: "Do not try to get around this; tell the user if the task needs it.",
        person: "Change the rule if this is to be allowed."
      },
      maybeExecuted: false
    }),
    ApprovalDenied: ({ approvers, message, page, reason, server }): Report => ({
      server,
      says: `${message}.`,
      hint: denialHint(reason, approvers !== undefined, page),
      maybeExecuted: false
    }),
    DefinitionChanged: ({ change, server, tool }): Report => ({
      server,
      // A name that a server made up may be a message, so it is not used in our sentence.
      says: `${isPlainName(tool) ? `Tool '${tool}'` : "This tool"} of MCP server '${server}' is withheld: ${DEFINITION_CHANGES[change]}.`,
      hint: {
        model: `Do not try to get around this: tell the user that its operator has to look at it with: ${diffCommand(server, tool)}`,
        person: `Look at it with: ${diffCommand(server, tool)}`
      },
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
        secret: { model: "Do not send it in another form: tell the user.", person: "Leave it out." },
        mask: "Leave that value out or read the original elsewhere; do not write the mask.",
        unread: { model: "Send less in one call, or tell the user.", person: "Send less in one call." }
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
          : { model: "Do not call it again before that; tell the user when it is possible.", person: "" },
      maybeExecuted: false
    }),
    CircuitOpen: ({ retryInMs, server }): Report => ({
      server,
      says: `MCP server '${server}' has failed several times in a row, so calls to it are paused: this one was not sent.`,
      hint: {
        model: `Call the tool again in ${inSeconds(retryInMs)} at the earliest; go on without it until then, or tell the user.`,
        person: `Call the tool again in ${inSeconds(retryInMs)} at the earliest.`
      },
      maybeExecuted: false
    })
  })
)
