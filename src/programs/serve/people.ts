/** People on the page of `serve --http`: who they are by the rules, which of their clients are connected, and which servers they have. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { callerWith, type Caller } from "../../schemas/call/Caller.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { personIdOf } from "../../schemas/login/Identity.ts"
import { LoginFailed } from "../../schemas/login/Login.ts"
import type { OpenSession, PersonVisit } from "../../services/control/Visitor.ts"
import type { PeoplePage } from "../../services/control/ControlPage.ts"
import type { McpClient, McpOffer, Pages, Serve } from "../../services/listener/McpListener.ts"
import type { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import type { AccountLogins } from "../../services/login/AccountLogins.ts"
import type { Verified } from "../../services/login/TokenVerifier.ts"
import type { Service } from "./serve.ts"

export const makePeople = (
  service: Pick<Service, "admits" | "serversOf">,
  logins: AccountLogins["Service"] | undefined
) => {
  const open = new Map<McpClient, OpenSession & { readonly personId: string }>()

  /** Remembers a client as long as it is connected. */
  const remembering =
    (serve: Serve): Serve =>
    (client): Effect.Effect<McpOffer, RequestRefused, Scope.Scope> => {
      const { identity, name } = client
      const person = identity?.person
      if (identity === undefined || person === undefined) return serve(client)
      const come = Effect.map(Clock.currentTimeMillis, (since) => {
        const program = name === undefined ? {} : { program: name }
        open.set(client, { personId: personIdOf(person), client: identity.client, ...program, since })
      })
      const leave = Effect.sync(() => void open.delete(client))
      return Effect.andThen(
        Effect.acquireRelease(come, () => leave),
        serve(client)
      )
    }

  const visitOf = ({ agent, identity, principal }: Verified): PersonVisit => {
    const holder = { principal, agent, identity }
    const caller: Caller = callerWith(principal, identity)
    const personId = identity.person === undefined ? "" : personIdOf(identity.person)
    return {
      caller: () => (service.admits(holder) === undefined ? undefined : caller),
      sessions: () =>
        [...open.values()].flatMap(({ personId: whose, ...session }) => (whose === personId ? [session] : [])),
      servers: () => service.serversOf(holder),
      connect: (server: ServerConfig) =>
        logins === undefined
          ? Effect.fail(new LoginFailed({ server: server.name, passing: false, detail: "there is no page for it" }))
          : Effect.map(logins.page(server), ({ url }) => url)
    }
  }
  return { remembering, visitOf }
}

/** The pages of a listener as one. */
export const pagesOf = (
  origin: string,
  accounts: AccountLogins["Service"] | undefined,
  people: PeoplePage | undefined
): Pages | undefined => {
  const passedCookies = accounts === undefined ? [] : [accounts.cookie]
  if (people === undefined) return accounts && { ...accounts, passedCookies }
  return {
    passedCookies,
    origin,
    // Every node has the page for people.
    nameIn: (incoming) => accounts?.nameIn(incoming),
    answers: (incoming, response) =>
      people.answers(incoming, response) || accounts?.answers(incoming, response) === true,
    upgrades: people.upgrades
  }
}
