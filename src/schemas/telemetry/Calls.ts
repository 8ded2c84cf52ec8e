/** How calls of tools are told: the stage that refused one, and how one ended. */
import { type Person, personIdOf } from "../login/Identity.ts"
import type { CallError } from "../call/CallError.ts"
import type { ToolResult } from "../call/Tool.ts"
import { AGENT, EXECUTE_TOOL, OPERATION, OUTCOME, PERSON, PERSON_ID, SERVER, TOOL, TOOL_ERROR } from "./Names.ts"
import type { Attributes, Ended } from "./Operation.ts"

export type Stage = "resolve" | "authorize" | "approve" | "admit" | "dispatch"

/** The stages that refuse calls before they are sent, by the tags of their errors. */
const REFUSALS: Readonly<Partial<Record<CallError["_tag"], Stage>>> = {
  ToolNotFound: "resolve",
  ResourceNotFound: "resolve",
  PolicyDenied: "authorize",
  DefinitionChanged: "authorize",
  InvalidArguments: "authorize",
  SecretInArguments: "authorize",
  ApprovalDenied: "approve",
  RateLimited: "admit",
  Overloaded: "admit",
  CircuitOpen: "admit",
  ServerUnavailable: "dispatch"
}

/** The stage that ended a call with this outcome before it was sent; `undefined` if none did. */
export const refusalStage = (outcome: string): Stage | undefined =>
  Object.hasOwn(REFUSALS, outcome) ? REFUSALS[outcome as CallError["_tag"]] : undefined

/** The span of a call, in the words of the conventions for tools of agents; `tool` is the exposed name. `person`: if it may say whose the call is. */
export const callSpan = (tool: string, agent: string, person?: Person) => ({
  name: `${EXECUTE_TOOL} ${tool}`,
  attributes: {
    [OPERATION]: EXECUTE_TOOL,
    [TOOL]: tool,
    [AGENT]: agent,
    ...(person === undefined ? {} : { [PERSON]: person.name, [PERSON_ID]: personIdOf(person) })
  },
  endedWith: callEnded
})

/** How a call ended, for its span. */
export const callEnded = ({ details, isError }: ToolResult): Ended & { readonly attributes: Attributes } => {
  if ("error" in details) {
    const { server, tag } = details.error
    return {
      errorType: tag,
      unknownName: tag === "ToolNotFound",
      attributes: { [OUTCOME]: tag, ...(server === undefined ? {} : { [SERVER]: server }) }
    }
  }
  const { server } = details.externalContent
  return isError
    ? { errorType: TOOL_ERROR, attributes: { [OUTCOME]: "isError", [SERVER]: server } }
    : { attributes: { [OUTCOME]: "ok", [SERVER]: server } }
}
