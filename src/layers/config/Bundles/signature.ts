/**
 * Checks the signature of a bundle: that the content is what was signed, that the signature belongs to the certificate in it, and whether this
 * system trusts who has issued that certificate for signing code.
 */
import { createHash, verify, X509Certificate } from "node:crypto"
import { getCACertificates } from "node:tls"
import { readSignedData, type SignedData, Unreadable } from "../../../schemas/config/bundle/SignedData.ts"
import type { Signature } from "../../../services/config/Bundles.ts"

const CODE_SIGNING = "1.3.6.1.5.5.7.3.3"
const CHAIN_MAX = 6

class Wrong extends Error {}

const certificatesOf = (signed: SignedData): ReadonlyArray<X509Certificate> => {
  try {
    return signed.certificates.slice(0, CHAIN_MAX).map((der) => new X509Certificate(der))
  } catch {
    throw new Wrong("one of its certificates cannot be read")
  }
}

const serialOf = ({ serialNumber }: X509Certificate): string => serialNumber.toLowerCase().replace(/^0+/, "")

const signerOf = (signed: SignedData, certificates: ReadonlyArray<X509Certificate>): X509Certificate => {
  const serial = signed.serial.toString("hex").replace(/^0+/, "")
  // The issuer is a part of the certificate, in the same bytes.
  const signer = certificates.find((one) => serialOf(one) === serial && one.raw.includes(signed.issuer))
  if (signer === undefined) throw new Wrong("it does not hold the certificate of its signer")
  return signer
}

const check = (content: Buffer, signed: SignedData, signer: X509Certificate): void => {
  if (!createHash(signed.digest).update(content).digest().equals(signed.messageDigest)) {
    throw new Wrong("the bundle was changed after it was signed")
  }
  const { asymmetricKeyType } = signer.publicKey
  if (asymmetricKeyType !== "rsa" && asymmetricKeyType !== "ec") throw new Wrong("its key is of an unknown kind")
  if (!verify(signed.digest, signed.attributes, signer.publicKey, signed.signature)) {
    throw new Wrong("its certificate does not belong to it")
  }
}

const isValidNow = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now <= validToDate.getTime()

const issued = (issuer: X509Certificate, one: X509Certificate): boolean =>
  one.checkIssued(issuer) && one.verify(issuer.publicKey)

const rootsOf = (): ReadonlyArray<X509Certificate> =>
  getCACertificates("system").flatMap((pem) => {
    try {
      return [new X509Certificate(pem)]
    } catch {
      return []
    }
  })

/** Whom to trust, and when. */
export interface Trust {
  readonly roots: ReadonlyArray<X509Certificate>
  readonly now: number
}

const ofSystem = (): Trust => ({ roots: rootsOf(), now: Date.now() })

/** Whether a chain of valid certificates leads from the signer to one that the system trusts. */
const isTrusted = (signer: X509Certificate, others: ReadonlyArray<X509Certificate>, { now, roots }: Trust): boolean => {
  if (!(signer.keyUsage as ReadonlyArray<string> | undefined)?.includes(CODE_SIGNING)) return false
  let one = signer
  for (let length = 0; length < CHAIN_MAX; length++) {
    if (!isValidNow(one, now)) return false
    const current = one
    if (roots.some((root) => root.fingerprint256 === current.fingerprint256)) return true
    if (roots.some((root) => isValidNow(root, now) && issued(root, current))) return true
    const next = others.find((other) => other.ca && other !== current && issued(other, current))
    if (next === undefined) return false
    one = next
  }
  return false
}

/** The common name, or all of it. */
const nameIn = (subject: string): string => (/(?:^|\n)CN=(.+)/.exec(subject)?.[1] ?? subject).replaceAll("\n", ", ")

export const signatureOf = (
  content: Buffer,
  signature: Buffer | "malformed" | undefined,
  trust: () => Trust = ofSystem
): Signature => {
  if (signature === undefined) return { _tag: "Unsigned" }
  if (signature === "malformed") return { _tag: "Invalid", detail: "its form is none" }
  try {
    const signed = readSignedData(signature)
    const certificates = certificatesOf(signed)
    const signer = signerOf(signed, certificates)
    check(content, signed, signer)
    return {
      _tag: "Signed",
      signer: nameIn(signer.subject),
      issuer: nameIn(signer.issuer),
      isTrusted: isTrusted(signer, certificates, trust())
    }
  } catch (error) {
    if (error instanceof Wrong || error instanceof Unreadable) return { _tag: "Invalid", detail: error.message }
    return { _tag: "Invalid", detail: "it cannot be read" }
  }
}
