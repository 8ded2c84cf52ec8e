/** What is asked about a call that needs approval, and the error of one that does not get it. Pure. */
import type { ApprovalRequest, ApprovalSubject } from "../../../schemas/call/Approval.ts"
import { ApprovalDenied } from "../../../schemas/call/CallError.ts"
import { loggedInId } from "../../../schemas/call/Caller.ts"
import { launchIdentity, sha256 } from "../../../schemas/call/DefinitionHash.ts"
import { canonical } from "../../../schemas/data/Json.ts"
import type { Call } from "./record.ts"

/** An approval for good holds for exactly this tool, as it is defined and started now. */
const subjectOf = ({ route }: Call): Omit<ApprovalSubject, "agent"> => {
  const { server, tool } = route.agentTool
  if (route._tag === "ServerRoute") {
    const { config } = route.server
    return { server: config.name, launch: launchIdentity(config), tool, definition: route.standing.hash }
  }
  const { description, name, parameters } = route.agentTool
  const launch = route.server === undefined ? "" : launchIdentity(route.server.config)
  return { server, launch, tool, definition: sha256(canonical({ name, description, parameters })) }
}

export const approvalRequest = (agent: string, call: Call): ApprovalRequest => {
  const {
    args,
    decision: { approvers, rule },
    options: { caller },
    route: { exposed }
  } = call
  return {
    agent,
    ...subjectOf(call),
    person: caller?.person,
    personId: loggedInId(caller),
    client: caller?.client,
    approvers,
    exposed,
    rule,
    args
  }
}

export const denial = (
  { decision: { approvers, rule }, options: { page }, route }: Call,
  reason: ApprovalDenied["reason"]
): ApprovalDenied =>
  new ApprovalDenied({
    server: route.agentTool.server,
    tool: route.exposed,
    rule,
    reason,
    ...(approvers && { approvers }),
    // Nobody else can approve there what the person of the call could.
    ...(page !== undefined && (page.isOwn || approvers !== undefined) ? { page: page.url } : {})
  })
