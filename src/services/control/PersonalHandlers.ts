/** What answers people on the page. It is apart from what answers the operator: the two contracts have requests of the same names. */
import * as Context from "effect/Context"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import type { Personal } from "../../schemas/control/Personal.ts"
import type { NeedsAll } from "../../schemas/control/Powers.ts"

export type PersonalContext = Rpc.ToHandler<RpcGroup.Rpcs<typeof Personal>> | NeedsAll

export class PersonalHandlers extends Context.Service<PersonalHandlers, Context.Context<PersonalContext>>()(
  "mcp-live/services/PersonalHandlers"
) {}
