/** A login at a server that a person begins from elsewhere: the address of the page, then the outcome. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { LoginFailed } from "../../../schemas/login/Login.ts"
import type { LoginEvent } from "../../../schemas/control/Login.ts"
import { UnknownServer } from "../../../schemas/control/ServerView.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { Authorizer } from "../../../services/login/Authorizer.ts"
import type { Masked } from "./masked.ts"

export const makeLogin =
  ({ login }: Authorizer["Service"], masked: Masked) =>
  ({ inspect }: McpRuntimeShape, server: string): Stream.Stream<LoginEvent, UnknownServer | LoginFailed> =>
    Stream.callback<LoginEvent, UnknownServer | LoginFailed>((queue) =>
      Effect.gen(function* () {
        const inspected = yield* inspect(server)
        if (inspected === undefined) return yield* new UnknownServer({ server })
        const { expiresAt, issuer, scopes } = yield* login(inspected.config, {
          show: ({ issuer: at, scopes: wanted, url }) =>
            Effect.sync(() => void Queue.offerUnsafe(queue, masked({ _tag: "Page", url, issuer: at, scopes: wanted })))
        })
        const granted = { _tag: "Granted" as const, issuer, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) }
        Queue.offerUnsafe(queue, masked(granted))
      }).pipe(
        Effect.matchCauseEffect({
          onFailure: (cause) => Queue.failCause(queue, cause),
          onSuccess: () => Queue.end(queue)
        })
      )
    )
