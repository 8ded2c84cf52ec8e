/**
 * The headers of a request that a node of the fleet passes on: those of its client, but who that is comes from the node that has checked
 * it. They count only on a connection between nodes; what a client sends under their names is dropped.
 */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { Identity } from "../../../../../schemas/login/Identity.ts"
import { makeRecent } from "../../../../../schemas/data/Newest.ts"
import type { Bearer } from "../tokens.ts"
import type { NodeId } from "../../../../../schemas/fleet/Node.ts"

/** What is known of its client. A token of the configuration has no identity, and its agent is that of the node that answers. */
const PassedWho = Schema.Struct({
  principal: Schema.String,
  agent: Schema.optional(Schema.String),
  identity: Schema.optional(Identity)
})
type PassedWho = typeof PassedWho.Type
const asText = Schema.fromJsonString(PassedWho)
const encodeWho = Schema.encodeSync(asText)
const decodeWho = Schema.decodeUnknownOption(asText)

/** The access token, and until when it is good. Nodes talk to each other in secret, and the one that answers may need it for an exchange. */
const PassedBearer = Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.Finite]))
const encodeBearer = Schema.encodeSync(PassedBearer)
const decodeBearer = Schema.decodeUnknownOption(PassedBearer)

/** How many are remembered. */
const WHO_KEPT_MAX = 1_024

const OWN = "x-mcp-live-"
const WHO = `${OWN}who`
const NODE = `${OWN}node`
const TAKE = `${OWN}take`
const BEARER = `${OWN}bearer`

/** They concern one connection, or are for the first node alone. */
const DROPPED = new Set([
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "origin",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const kept = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || DROPPED.has(name) || name.startsWith(OWN)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]]
    )
  )

const encoded = (text: string): string => Buffer.from(text).toString("base64url")

const nameOf = ({ incarnation, name }: NodeId): string => encoded(JSON.stringify([name, incarnation]))

/** For a request to this node. `take`: it may take the session over, or open a new one. */
export const passedHeaders = (
  { headers }: IncomingMessage,
  who: PassedWho,
  node: NodeId,
  take: boolean,
  bearer?: Bearer
): Record<string, string> => ({
  ...kept(headers),
  host: "fleet",
  [WHO]: encoded(encodeWho({ principal: who.principal, agent: who.agent, identity: who.identity })),
  [NODE]: nameOf(node),
  ...(take ? { [TAKE]: "1" } : {}),
  ...(bearer === undefined
    ? {}
    : { [BEARER]: encoded(encodeBearer([Redacted.value(bearer.token) as string, bearer.expiresAt])) })
})

/** The headers of an answer that its client gets. */
export const answerHeaders = ({ headers }: IncomingMessage): Record<string, string> => {
  const length = headers["content-length"]
  return { ...kept(headers), ...(length === undefined ? {} : { "content-length": length }) }
}

export interface Passed {
  readonly who: PassedWho
  readonly take: boolean
  readonly bearer?: Bearer | undefined
}

const decoded = (said: string): string => Buffer.from(said, "base64url").toString()

const bearerIn = (said: unknown): Bearer | undefined => {
  const found = typeof said === "string" ? Option.getOrUndefined(decodeBearer(decoded(said))) : undefined
  return found === undefined ? undefined : { token: Redacted.make(found[0]), expiresAt: found[1] }
}

/**
 * Of a request that another node has passed on; nothing if it means another node, or another life of this one. Who it is for is the same object
 * for each request with the same token, as at the first node: rules judge it once, and lists stay the same.
 */
export const makePassedIn = (): ((incoming: IncomingMessage, self: NodeId) => Passed | undefined) => {
  const known = makeRecent<Option.Option<PassedWho>>(WHO_KEPT_MAX)
  return ({ headers }, self) => {
    const said = headers[WHO]
    if (typeof said !== "string" || headers[NODE] !== nameOf(self)) return undefined
    const who = Option.getOrUndefined(known(said, () => decodeWho(decoded(said))))
    return who === undefined ? undefined : { who, take: headers[TAKE] === "1", bearer: bearerIn(headers[BEARER]) }
  }
}
