/**
 * Makes connections to allowed addresses only. The addresses of a name are looked up once, all of them are judged, and only these are tried.
 * The address that the socket is connected to is judged again.
 */
import { lookup as systemLookUp, type LookupAddress } from "node:dns"
import type { LookupFunction, Socket } from "node:net"
import { buildConnector } from "undici"
import { kindOfAddress } from "../../../schemas/connection/Address.ts"
import { HOST_MAX_CHARS } from "../../../schemas/defaults/Wire.ts"
import { AddressBlocked } from "../../../schemas/connection/HttpError.ts"
import {
  blockedWords,
  forbiddenHost,
  forbiddenKind,
  ownReach,
  suppliedReach,
  type Forbidden,
  type OwnAddress,
  type Reach
} from "../../../schemas/connection/Reach.ts"

/** Finds all addresses of a name. */
export type LookUp = (
  name: string,
  options: { readonly all: true; readonly family?: number | undefined; readonly hints?: number | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<LookupAddress>) => void
) => void

export type Connect = typeof buildConnector

export interface ConnectOptions {
  readonly server: string
  readonly own: ReadonlyArray<OwnAddress>
  readonly timeoutMs: number
  /** Gets each socket before it is used. */
  readonly watch?: ((socket: Socket) => void) | undefined
  /** Collects the errors of connections that were not made. */
  readonly unconnected: WeakSet<object>
  readonly lookUp?: LookUp | undefined
  readonly connect?: Connect | undefined
}

type Connector = buildConnector.connector

const FAMILIES: Readonly<Record<string, number>> = { IPv4: 4, IPv6: 6 }

const familyOf = (family: number | string | undefined): number | undefined =>
  typeof family === "string" ? FAMILIES[family] : family

/** A look-up for sockets. All addresses are judged before one of them is used. */
const judged =
  (lookUp: LookUp, judge: (address: string) => Error | undefined): LookupFunction =>
  (name, { all, family, hints }, callback) => {
    lookUp(name, { all: true, family: familyOf(family), hints }, (error, addresses) => {
      const first = addresses?.[0]
      if (error !== null) return callback(error, [])
      if (first === undefined) return callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), [])
      for (const { address } of addresses) {
        const refusal = judge(address)
        if (refusal !== undefined) return callback(refusal, [])
      }
      if (all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
  }

export const makeConnect = (options: ConnectOptions): Connector => {
  const { connect = buildConnector, lookUp = systemLookUp, own, server, timeoutMs, unconnected, watch } = options
  /** One per origin: it decides which addresses are allowed, and which TLS sessions are resumed. */
  const gates = new Map<string, Gate>()

  const makeGate = (url: URL): Gate => {
    const trusted = own.find((address) => address.url.origin === url.origin)
    const reach = trusted === undefined ? suppliedReach(url) : ownReach(trusted)
    const host = trusted === undefined ? url.hostname.slice(0, HOST_MAX_CHARS) : null
    const refuse = (forbidden: Forbidden | undefined) =>
      forbidden === undefined ? undefined : new AddressBlocked({ server, host, ...blockedWords(forbidden, trusted) })
    const judge = (address: string) => refuse(forbiddenKind(reach, kindOfAddress(address)))
    return {
      reach,
      refusedHost: refuse(forbiddenHost(reach, url)),
      judge,
      connect: connect({
        timeout: timeoutMs,
        lookup: judged(lookUp, judge),
        autoSelectFamily: true,
        // The framing of HTTP/1.1 is counted (framing.ts).
        allowH2: false,
        // The default, even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
        rejectUnauthorized: true
      })
    }
  }

  return (target, callback) => {
    const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`)
    const gate = gates.get(url.origin) ?? makeGate(url)
    gates.set(url.origin, gate)
    const fail = (error: Error) => {
      unconnected.add(error)
      callback(error, null)
    }
    if (gate.refusedHost !== undefined) return queueMicrotask(() => fail(gate.refusedHost!))
    gate.connect(target, (error, socket) => {
      if (error !== null) return fail(error)
      const { remoteAddress } = socket
      // A socket that was closed in the meantime has no address; its use fails.
      const refusal = remoteAddress === undefined ? undefined : gate.judge(remoteAddress)
      if (refusal === undefined) {
        watch?.(socket)
        return callback(null, socket)
      }
      socket.destroy()
      fail(refusal)
    })
  }
}

interface Gate {
  readonly reach: Reach
  /** Why the name alone is forbidden. */
  readonly refusedHost: AddressBlocked | undefined
  readonly judge: (address: string) => AddressBlocked | undefined
  readonly connect: Connector
}
