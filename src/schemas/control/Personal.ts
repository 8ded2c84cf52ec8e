/**
 * What a person may ask a gateway who has logged in on its page: the requests of the control contract that are named here, each of which answers
 * with what is theirs, and some of their own. Whatever is not in this group is not answered: a new request of the contract is the operator's.
 */
import * as Schema from "effect/Schema"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import { QUOTA_PERIODS } from "../call/Quota.ts"
import { Control } from "./Control.ts"

export const FOR_PEOPLE = ["Hello", "Events", "PastCalls", "Trace", "AnswerQuestion"] as const

type OfControl = Extract<RpcGroup.Rpcs<typeof Control>, { readonly _tag: (typeof FOR_PEOPLE)[number] }>

const ofControl = RpcGroup.make(
  ...FOR_PEOPLE.map((tag) => Control.requests.get(tag)! as Rpc.Any)
) as unknown as RpcGroup.RpcGroup<OfControl>

/** What a gateway knows of the person who asks. */
export const MineValue = Schema.Struct({
  /** The clients of theirs that are connected. */
  sessions: Schema.Array(
    Schema.Struct({ client: Schema.String, program: Schema.optionalKey(Schema.String), since: Schema.Finite })
  ),
  quotas: Schema.Array(
    Schema.Struct({
      counts: Schema.String,
      period: Schema.Literals(QUOTA_PERIODS),
      limit: Schema.Finite,
      used: Schema.Finite,
      /** Milliseconds since the epoch. */
      endsAt: Schema.Finite
    })
  ),
  /** Their calls of this month (UTC), by tool. */
  usage: Schema.Array(
    Schema.Struct({ tool: Schema.String, calls: Schema.Finite, errors: Schema.Finite, durationMs: Schema.Finite })
  ),
  /** Servers at which each person has an account of their own; `null` if it cannot be found out whether theirs is connected. */
  accounts: Schema.Array(Schema.Struct({ server: Schema.String, isConnected: Schema.NullOr(Schema.Boolean) }))
})
export type MineValue = typeof MineValue.Type

/** An account cannot be connected or disconnected. */
export class AccountFailed extends Schema.TaggedError<AccountFailed>()("AccountFailed", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

const account = { payload: { server: Schema.String }, error: AccountFailed }

/** The requests that only people have. */
export class OwnRequests extends RpcGroup.make(
  Rpc.make("Mine", { success: MineValue }),
  /** The address of a page at which the person who asks connects their account; it is for nobody else, and works once. */
  Rpc.make("ConnectAccount", { ...account, success: Schema.Struct({ url: Schema.String }) }),
  /** Whether there was anything to delete. */
  Rpc.make("DisconnectAccount", { ...account, success: Schema.Boolean })
) {}

export const Personal = ofControl.merge(OwnRequests)

/** What the page may ask, whoever has it open. */
export const PageRequests = Control.merge(OwnRequests)
