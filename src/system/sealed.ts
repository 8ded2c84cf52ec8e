/** Texts that others keep for us and can neither read nor change: encrypted with AES-256-GCM, for one purpose each. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"

export const SEAL_KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Each purpose has its own keys, and the cipher another one than the numbers. */
const derived = (key: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), info, SEAL_KEY_BYTES))

/** A number that is used once: random, or for `alike` made of the text, so that equal texts are sealed alike. */
const nonceFor = (key: Buffer, text: string, alike: boolean): Buffer =>
  alike ? createHmac("sha256", key).update(text).digest().subarray(0, IV_BYTES) : randomBytes(IV_BYTES)

export interface Sealer {
  readonly seal: (text: string) => string
  /** `undefined` for what was not sealed with this key for this purpose. */
  readonly open: (sealed: string) => string | undefined
}

/** `alike`: equal texts are sealed alike, so that others can tell that they are the same. */
export const makeSealer = (secret: Buffer, purpose: string, alike = false): Sealer => {
  const bound = Buffer.from(`mcp-live ${purpose}`)
  const key = derived(secret, `${bound}: cipher`)
  const ofNonces = derived(secret, `${bound}: nonce`)
  return {
    seal: (text) => {
      const iv = nonceFor(ofNonces, text, alike)
      const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES }).setAAD(bound)
      return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url")
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, "base64url")
      // Other characters would decode to the same bytes: each sealed text has one form, so that it can be told apart from others.
      if (bytes.byteLength < IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed) return undefined
      try {
        const iv = bytes.subarray(0, IV_BYTES)
        const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES })
        decipher.setAAD(bound).setAuthTag(bytes.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8")
      } catch {
        return undefined
      }
    }
  }
}
