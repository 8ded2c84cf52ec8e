/** Texts that others keep for us and can neither read nor change: encrypted with AES-256-GCM, for one purpose each. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

export const SEAL_KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

export interface Sealer {
  readonly seal: (text: string) => string
  /** `undefined` for what was not sealed with this key for this purpose. */
  readonly open: (sealed: string) => string | undefined
}

export const makeSealer = (key: Buffer, purpose: string): Sealer => {
  const bound = Buffer.from(`mcp-live ${purpose}`)
  return {
    seal: (text) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES }).setAAD(bound)
      return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url")
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, "base64url")
      if (bytes.byteLength < IV_BYTES + TAG_BYTES) return undefined
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
