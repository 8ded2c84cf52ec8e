/** Why a client of ours does not get what it asked for, and why we do not get what we asked of it. */
import * as Schema from "effect/Schema"

/** Sent as a JSON-RPC error. Our own words, without secrets. */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  code: Schema.Finite,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {}

/** `unable`: the client cannot be asked that; `refused`: it, or its person, said no; `gone`: nobody is there to answer. */
export class AskRefused extends Schema.TaggedError<AskRefused>()("AskRefused", {
  reason: Schema.Literals(["unable", "refused", "gone"]),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** No port could be listened on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}
