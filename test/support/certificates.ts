/**
 * X.509 certificates, made on the spot: an authority, and what it signs for whom and for how long. As much DER as that
 * needs, so that no test depends on a program or on files that expire.
 */
import { createSign, generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto"
import { isIPv4 } from "node:net"

const der = (tag: number, ...contents: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(contents)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const sequence = (...contents: ReadonlyArray<Buffer>) => der(0x30, ...contents)
const integer = (bytes: Buffer) => der(0x02, bytes)
const octets = (...contents: ReadonlyArray<Buffer>) => der(0x04, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const YES = der(0x01, Buffer.from([0xff]))

const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"))
const COMMON_NAME = oid("550403")
const SUBJECT_ALT_NAME = oid("551d11")
const BASIC_CONSTRAINTS = oid("551d13")

const nameOf = (text: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))))

const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`))

const altName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host))

const pem = (certificate: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`

interface Content {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signedWith: KeyObject
  readonly from: Date
  readonly to: Date
  readonly extension: Buffer
}

const certificate = ({ extension, from, issuer, publicKey, signedWith, subject, to }: Content): string => {
  const serial = randomBytes(8)
  serial[0] = 1
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(time(from), time(to)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension))
  )
  const signature = createSign("SHA256").update(body).sign(signedWith)
  return pem(sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature)))
}

const DAY_MS = 24 * 60 * 60 * 1000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })

export interface Identity {
  readonly key: string
  readonly cert: string
}

export interface IdentityOptions {
  /** Names and IPv4 addresses. */
  readonly hosts: ReadonlyArray<string>
  readonly fromDays?: number
  readonly toDays?: number
}

/** An authority that nobody trusts yet, and what it signs. */
export const makeAuthority = (name: string) => {
  const authority = newKeys()
  const cert = certificate({
    subject: name,
    issuer: name,
    publicKey: authority.publicKey,
    signedWith: authority.privateKey,
    from: inDays(-400),
    to: inDays(400),
    extension: sequence(BASIC_CONSTRAINTS, YES, octets(sequence(YES)))
  })
  const sign = ({ fromDays = -1, hosts, toDays = 1 }: IdentityOptions): Identity => {
    const own = newKeys()
    return {
      key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      cert: certificate({
        subject: "a server",
        issuer: name,
        publicKey: own.publicKey,
        signedWith: authority.privateKey,
        from: inDays(fromDays),
        to: inDays(toDays),
        extension: sequence(SUBJECT_ALT_NAME, octets(sequence(...hosts.map(altName))))
      })
    }
  }
  return { cert, sign }
}

/** A certificate that nobody but itself has signed. */
export const selfSigned = (hosts: ReadonlyArray<string>): Identity => {
  const own = newKeys()
  return {
    key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: certificate({
      subject: "itself",
      issuer: "itself",
      publicKey: own.publicKey,
      signedWith: own.privateKey,
      from: inDays(-1),
      to: inDays(1),
      extension: sequence(SUBJECT_ALT_NAME, octets(sequence(...hosts.map(altName))))
    })
  }
}
