/** The first line of a connection on behalf of a person: who they are, as the node says at which they have logged in. */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Duplex } from "node:stream"
import { callerWith, type Caller } from "../../../schemas/call/Caller.ts"
import { INTRODUCTION_MAX_BYTES } from "../../../schemas/defaults/FleetNodes.ts"
import { Identity } from "../../../schemas/login/Identity.ts"

const Introduction = Schema.Struct({ principal: Schema.String, identity: Identity })

const decode = Schema.decodeUnknownExit(Schema.fromJsonString(Introduction))

const NEWLINE = 10

/** Without claims: nobody judges them by rules at the other node. */
export const introductionOf = ({ client = "", groups, identity, person, roles, scopes }: Caller): string =>
  `${JSON.stringify({ principal: client, identity: { client: identity?.client ?? client, person, groups, roles, scopes } })}\n`

/** Reads it, and leaves the rest in the socket; `undefined` for something else. */
export const introduced = (socket: Duplex, found: (caller: Caller | undefined) => void): void => {
  let head = Buffer.alloc(0)
  const done = (caller: Caller | undefined, rest?: Buffer): void => {
    socket.off("data", take).off("close", ended).pause()
    if (rest !== undefined && rest.byteLength > 0) socket.unshift(rest)
    found(caller)
  }
  const take = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf(NEWLINE)
    if (end === -1) return head.byteLength > INTRODUCTION_MAX_BYTES ? done(undefined) : undefined
    const read = decode(head.subarray(0, end).toString("utf8"))
    return done(
      Exit.isSuccess(read) ? callerWith(read.value.principal, read.value.identity) : undefined,
      head.subarray(end + 1)
    )
  }
  const ended = (): void => done(undefined)
  socket.on("data", take).once("close", ended)
}
