/** `mcp-live plan --as`: somebody as the rules of clients would see them, from the command line. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { callerWith, type Caller } from "../../../schemas/call/Caller.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { DEFAULT_CLAIMS, DEFAULT_CLIENTS } from "../../../schemas/login/ClientsConfig.ts"
import type { Identity } from "../../../schemas/login/Identity.ts"
import { makeJudge } from "../../../schemas/login/Standing.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { root, UsageError } from "../command.ts"
import { complain, visible } from "../output.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("NAME"), Flag.withDescription(description), Flag.atLeast(0))

export const clientFlags = {
  as: text("as", "PERSON", "What a client of this person would get over HTTP, by the rules of clients"),
  client: text("client", "NAME", "The client, as rules name it; without --as a program that acts for itself"),
  group: several("group", "A group of the person; may be repeated"),
  role: several("role", "A role of the person; may be repeated"),
  scope: several("scope", "A scope of the token; may be repeated"),
  claims: text("claims", "JSON", "What else the token says, as an object")
}

interface Chosen {
  readonly as: Option.Option<string>
  readonly client: Option.Option<string>
  readonly group: ReadonlyArray<string>
  readonly role: ReadonlyArray<string>
  readonly scope: ReadonlyArray<string>
  readonly claims: Option.Option<string>
}

const claimsIn = (written: Option.Option<string>): Effect.Effect<Identity["claims"], UsageError> =>
  Option.match(written, {
    onNone: () => Effect.succeed({}),
    onSome: (json) =>
      Effect.try({
        try: () => JSON.parse(json) as unknown,
        catch: () => new UsageError({ message: "--claims: this is not JSON" })
      }).pipe(
        Effect.flatMap((value) =>
          isObject(value)
            ? Effect.succeed(value as Identity["claims"])
            : new UsageError({ message: '--claims takes an object, such as {"department":"research"}' })
        )
      )
  })

export interface PlannedFor {
  readonly caller: Caller
  /** That of the first rule that has one, or of the issuer. */
  readonly agent: string | undefined
}

/** What rules ask of the person that nobody has said, in words. */
const unknownTo = (
  { clients = DEFAULT_CLIENTS }: GatewayConfig,
  { claims, name }: { readonly claims: Identity["claims"]; readonly name: string },
  knowsSubject: boolean
): string | undefined => {
  const asked = clients.rules.map(({ if: condition = "" }) => condition).join(" ")
  const lacking = [
    ...(!knowsSubject && asked.includes("person.subject") ? ["sub"] : []),
    ...(clients.issuers.length > 1 && claims?.["iss"] === undefined && asked.includes("person.issuer") ? ["iss"] : [])
  ]
  return lacking.length === 0
    ? undefined
    : `rules ask for what the plan does not know of ${visible(name)}: give ${lacking.map((each) => `"${each}"`).join(" and ")} in --claims`
}

const standingIn = ({ clients = DEFAULT_CLIENTS }: GatewayConfig, identity: Identity) =>
  makeJudge(() => clients.rules)(identity)

/** `undefined` when the plan is for nobody in particular. */
export const plannedFor = Effect.fnUntraced(function* (chosen: Chosen) {
  const { as, client, group, role, scope } = chosen
  const isSaid = Option.isSome(chosen.claims) || group.length + role.length + scope.length > 0
  if (Option.isNone(as) && Option.isNone(client)) {
    return isSaid
      ? yield* new UsageError({ message: "--group, --role, --scope and --claims are for --as or --client" })
      : undefined
  }
  const name = Option.getOrUndefined(as)
  if (name?.trim() === "") return yield* new UsageError({ message: "--as: give the name of a person" })
  const claims = yield* claimsIn(chosen.claims)
  const { config } = yield* root
  const { layer } = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  const loaded = yield* ConfigSource.use(({ load }) => load).pipe(
    Effect.provide(layer({ path: Option.getOrUndefined(config) }))
  )
  const { issuers } = loaded.clients ?? DEFAULT_CLIENTS
  const issuer = issuers.find((one) => one.issuer === claims?.["iss"]) ?? issuers[0]
  const { sub } = claims ?? {}
  // The name is the subject where no other claim is the name.
  const subject = typeof sub === "string" ? sub : (issuer?.claims ?? DEFAULT_CLAIMS).person === "sub" ? name : undefined
  const lacking = name === undefined ? undefined : unknownTo(loaded, { claims, name }, subject !== undefined)
  if (lacking !== undefined) yield* complain(lacking)
  const identity: Identity = {
    client: Option.getOrElse(client, () => "unknown"),
    person: name === undefined ? undefined : { issuer: issuer?.issuer ?? "", subject: subject ?? "", name },
    groups: group,
    roles: role,
    scopes: scope,
    claims
  }
  const agent = standingIn(loaded, identity)?.agent ?? issuer?.agent
  return { caller: callerWith(undefined, identity), agent } satisfies PlannedFor
})
