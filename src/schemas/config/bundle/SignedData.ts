/**
 * The parts of a CMS signature (RFC 5652, `SignedData` without its content) that are needed to check it: certificates, what was signed,
 * and with what. Reads DER within its bounds, and nothing that it does not need. Pure.
 */

export class Unreadable extends Error {}

interface Element {
  readonly tag: number
  /** With its tag and length. */
  readonly whole: Buffer
  readonly value: Buffer
}

const SEQUENCE = 0x30
const SET = 0x31
const OID = 0x06
const OCTETS = 0x04
const CONTEXT_0 = 0xa0

const elementAt = (bytes: Buffer, from: number): Element => {
  const tag = bytes[from]
  const first = bytes[from + 1]
  if (tag === undefined || first === undefined) throw new Unreadable("it ends in the middle")
  const more = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || more > 4 || from + 2 + more > bytes.length) throw new Unreadable("it has a length that is none")
  const length = more === 0 ? first : bytes.readUIntBE(from + 2, more)
  const begin = from + 2 + more
  if (begin + length > bytes.length) throw new Unreadable("it ends in the middle")
  return { tag, whole: bytes.subarray(from, begin + length), value: bytes.subarray(begin, begin + length) }
}

const childrenOf = (bytes: Buffer): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  for (let at = 0; at < bytes.length;) {
    const element = elementAt(bytes, at)
    found.push(element)
    at += element.whole.length
  }
  return found
}

const expect = (element: Element | undefined, tag: number): Element => {
  if (element?.tag !== tag) throw new Unreadable("it has another form")
  return element
}

const oidOf = (element: Element | undefined): string => expect(element, OID).value.toString("hex")

const SIGNED_DATA = "2a864886f70d010702"
const MESSAGE_DIGEST = "2a864886f70d010904"
const CONTENT_TYPE = "2a864886f70d010903"
const DATA = "2a864886f70d010701"
const DIGESTS: Readonly<Record<string, string>> = {
  "608648016503040201": "sha256",
  "608648016503040202": "sha384",
  "608648016503040203": "sha512"
}

export interface SignedData {
  /** DER, as they stand in it. */
  readonly certificates: ReadonlyArray<Buffer>
  readonly digest: string
  /** The digest of the content that the signer has signed. */
  readonly messageDigest: Buffer
  /** The bytes under the signature. */
  readonly attributes: Buffer
  readonly signature: Buffer
  /** The certificate of the signer: DER of its issuer, and its serial number. */
  readonly issuer: Buffer
  readonly serial: Buffer
}

/** Throws `Unreadable`. */
export const readSignedData = (der: Buffer): SignedData => {
  const [type, wrapped] = childrenOf(expect(elementAt(der, 0), SEQUENCE).value)
  if (oidOf(type) !== SIGNED_DATA) throw new Unreadable("it is no signature")
  const signed = childrenOf(expect(elementAt(expect(wrapped, CONTEXT_0).value, 0), SEQUENCE).value)
  const certificates = signed.find(({ tag }) => tag === CONTEXT_0)
  const [signer, ...others] = childrenOf(expect(signed.at(-1), SET).value)
  if (others.length > 0) throw new Unreadable("it has several signers")
  const [, identity, digest, attributes, , signature] = childrenOf(expect(signer, SEQUENCE).value)
  const [issuer, serial] = childrenOf(expect(identity, SEQUENCE).value)
  const name = DIGESTS[oidOf(childrenOf(expect(digest, SEQUENCE).value)[0])]
  if (name === undefined) throw new Unreadable("it uses a digest that is not safe")
  // Under the signature they stand as a set.
  const own = expect(attributes, CONTEXT_0)
  const all = childrenOf(own.value).map((attribute) => {
    const [kind, values] = childrenOf(expect(attribute, SEQUENCE).value)
    return [oidOf(kind), childrenOf(expect(values, SET).value)] as const
  })
  const valueOf = (kind: string): Element | undefined => {
    const found = all.filter(([each]) => each === kind)
    return found.length === 1 && found[0]![1].length === 1 ? found[0]![1][0] : undefined
  }
  if (oidOf(valueOf(CONTENT_TYPE)) !== DATA) throw new Unreadable("it signs something else")
  const asSet = Buffer.from(own.whole)
  asSet[0] = SET
  if (issuer === undefined || serial === undefined) throw new Unreadable("it names no signer")
  return {
    certificates: certificates === undefined ? [] : childrenOf(certificates.value).map(({ whole }) => whole),
    digest: name,
    messageDigest: expect(valueOf(MESSAGE_DIGEST), OCTETS).value,
    attributes: asSet,
    signature: expect(signature, OCTETS).value,
    issuer: issuer.whole,
    serial: serial.value
  }
}
