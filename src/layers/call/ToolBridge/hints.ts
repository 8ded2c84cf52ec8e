/** What a reader can do about an error: words for a model, which has a user, and words for a person, who made the call themselves. */
import type { DenialReason } from "../../../schemas/call/Approval.ts"
import type { Reader } from "../../../schemas/call/Look.ts"
import type { AuthRequired } from "../../../schemas/connection/HttpError.ts"
import { statusMeaning } from "../../../schemas/connection/HttpError.ts"

/** One text where it says the same to both. */
export type Hint = string | Readonly<Record<Reader, string>>

export const hintFor = (hint: Hint, reader: Reader): string => (typeof hint === "string" ? hint : hint[reader])

export const CHECK_FIRST = "It may have been executed all the same: check before you repeat it."
const NO_USE = "Trying again does not help"

export const LATER: Hint = {
  model: "Try again later; if it stays like this, tell the user.",
  person: "Try again later."
}

/** `then` says what helps, to both. */
export const tellUser = (then = ""): Hint => ({
  model: `${NO_USE}: tell the user.${then === "" ? "" : ` ${then}`}`,
  person: then === "" ? `${NO_USE}.` : then
})

const INVALID_PARAMS = -32602

/** Without a code it is not an answer of the server, so other arguments do not help. */
export const refusalHint = (code: number | null): Hint => {
  if (code === null) {
    return {
      model: "Go on without this tool, or tell the user.",
      person: "The server has a fault; its log may say more."
    }
  }
  return code === INVALID_PARAMS
    ? "Correct the arguments and try again."
    : { model: "Other arguments may help; if they do not, tell the user.", person: "Other arguments may help." }
}

/** A gateway that timed out, or a server that broke down, may have done the work. */
export const isServerFault = (status: number | null) => status !== null && status >= 500
const isPassing = (status: number | null) => status === null || status >= 500 || status === 408 || status === 429

export const meaningIn = (status: number): string => {
  const meaning = statusMeaning(status)
  return meaning === "" ? "" : ` (${meaning})`
}

export const inSeconds = (ms: number) => `${Math.max(1, Math.ceil(ms / 1000))} s`

export const httpHint = (status: number | null, retryAfterMs: number | undefined): Hint => {
  const later =
    retryAfterMs === undefined
      ? LATER
      : `It asks to wait for ${inSeconds(retryAfterMs)}: call the tool again after that.`
  if (isServerFault(status)) return afterwards(CHECK_FIRST, later)
  return isPassing(status) ? later : tellUser()
}

export const afterwards = (first: string, hint: Hint): Hint => ({
  model: `${first} ${hintFor(hint, "model")}`.trimEnd(),
  person: `${first} ${hintFor(hint, "person")}`.trimEnd()
})

/** What somebody can do about a server that waits for its authorization. */
export const authHint = (
  { brought, remedy, status }: Pick<AuthRequired, "brought" | "remedy" | "status">,
  command: string
): Hint => {
  switch (remedy) {
    case "login":
      return {
        model: `Ask the user to run: ${command} - and call the tool again when they have.`,
        person: `Run: ${command} - and call the tool again.`
      }
    case "later":
      return LATER
    case "config":
      return tellUser()
  }
  // Whoever has brought a server with their session has no entry for it in our configuration.
  const where = brought === true ? "where this session has it from" : "in the configuration"
  return status === 403
    ? tellUser(`Its credentials ${where} may not do this.`)
    : tellUser(`Its credentials ${where} must be renewed.`)
}

export const whenAvailable = (retryInMs: number | null): Hint =>
  retryInMs === null
    ? { model: "Go on without this tool, or tell the user.", person: "It is not started again by itself." }
    : `It is tried again in ${inSeconds(retryInMs)}: call the tool again after that.`

/** What a reader can do about a call that was not approved; a model without getting around the person. */
const UNAPPROVED: Readonly<Record<DenialReason, Hint>> = {
  person: {
    model: "Do not call it again for this, nor do the same in another way: ask the user what they want instead.",
    person: ""
  },
  nobody: {
    model: `${NO_USE}: tell the user. It can be approved where a person is asked: in "mcp-live start", "mcp-live call" or "mcp-live ask" on a terminal, or by the program that runs this agent. Whoever may change the configuration can remove the tool from "ask".`,
    person: `It can be approved where a person is asked: in "mcp-live start", "mcp-live call" or "mcp-live ask" on a terminal. "mcp-live call --yes" approves it without a question.`
  },
  timeout: {
    model: "Ask the user whether they want it, before you call it again.",
    person: "Call it again to be asked again."
  },
  failed: tellUser("The log of the gateway says more."),
  changed: {
    model: "Look at the tool's current definition, and tell the user, before you call it again.",
    person: "Look at the tool's current definition before you call it again."
  }
}

/** The person of the call is asked on a page of theirs, if nowhere else. */
const onPage = (page: string): Hint => ({
  model: `Ask the user to open ${page}, where they are asked, and to leave it open: then call the tool again.`,
  person: `Open ${page}, where you are asked, and call the tool again.`
})

/** The same, where rules name who approves: whoever made the call cannot. */
const byOthers = (page: string | undefined): Partial<Readonly<Record<DenialReason, Hint>>> => ({
  nobody: tellUser(
    `Those who approve it answer on the page of the gateway${page === undefined ? "" : ` (${page})`}, or in "mcp-live ask".`
  ),
  timeout: {
    model: `${NO_USE}: tell the user. Do not call it again before it can be approved.`,
    person: "Call it again when one of them can answer."
  }
})

const denialOf = (reason: DenialReason, isByOthers: boolean, page: string | undefined): Hint | undefined => {
  if (isByOthers) return byOthers(page)[reason]
  return reason === "nobody" && page !== undefined ? onPage(page) : undefined
}

/** `page`: where it can be approved, if somewhere. */
export const denialHint = (reason: DenialReason, isByOthers: boolean, page?: string): Hint =>
  afterwards("Nothing was sent.", denialOf(reason, isByOthers, page) ?? UNAPPROVED[reason])
