/**
 * The content of a file of credentials: plain, or encrypted with AES-256-GCM. Encrypted credentials are bound to one server; in the file of
 * another one they cannot be decrypted.
 */
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import {
  identityKey,
  readCredentials,
  type Credentials,
  type ServerIdentity
} from "../../../schemas/login/Credentials.ts"
import { ifValid, reader } from "../../../schemas/data/Lenient.ts"

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

const Sealed = Schema.Struct({ iv: Schema.String, tag: Schema.String, data: Schema.String })
type Sealed = typeof Sealed.Type

const readFile = reader(
  Schema.fromJsonString(
    Schema.Struct({
      version: Schema.optionalKey(Schema.Unknown),
      server: ifValid(Schema.String),
      resource: ifValid(Schema.String),
      account: ifValid(Schema.String),
      sealed: ifValid(Sealed),
      credentials: Schema.optionalKey(Schema.Unknown)
    })
  )
)
const readJson = reader(Schema.fromJsonString(Schema.Unknown))

export type Opened =
  | { readonly _tag: "Plain"; readonly credentials: Credentials }
  | { readonly _tag: "Sealed"; readonly open: (key: Buffer) => Credentials | undefined }
  /** Not written for this server by this version. */
  | { readonly _tag: "Foreign"; readonly detail: string }

const boundTo = (identity: ServerIdentity): Buffer => Buffer.from(`mcp-live credentials ${identityKey(identity)}`)

const seal = (text: string, identity: ServerIdentity, key: Buffer): Sealed => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(identity))
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return { iv: iv.toString("base64"), tag: cipher.getAuthTag().toString("base64"), data: data.toString("base64") }
}

const unseal = ({ data, iv, tag }: Sealed, identity: ServerIdentity, key: Buffer): Credentials | undefined => {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64"), { authTagLength: TAG_BYTES })
    decipher.setAAD(boundTo(identity)).setAuthTag(Buffer.from(tag, "base64"))
    const text = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8")
    return readCredentials(readJson(text))
  } catch {
    return undefined
  }
}

export const write = (credentials: Credentials, identity: ServerIdentity, key: Buffer | undefined): string => {
  const { account, resource, server } = identity
  const about = { version: VERSION, server, resource, ...(account === undefined ? {} : { account }) }
  return JSON.stringify(
    key === undefined
      ? { ...about, credentials }
      : { ...about, sealed: seal(JSON.stringify(credentials), identity, key) },
    null,
    2
  )
}

export const read = (text: string, identity: ServerIdentity): Opened => {
  const file = readFile(text)
  if (file === undefined) return { _tag: "Foreign", detail: "the file is damaged" }
  const { account, resource, sealed, server, version } = file
  if (version !== VERSION) return { _tag: "Foreign", detail: "the file was written by another version" }
  if (server !== identity.server || resource !== identity.resource) {
    return { _tag: "Foreign", detail: "the file is another server's" }
  }
  if (account !== identity.account) return { _tag: "Foreign", detail: "the file is another person's" }
  if (sealed !== undefined) return { _tag: "Sealed", open: (key) => unseal(sealed, identity, key) }
  const credentials = readCredentials(file.credentials)
  return credentials === undefined ? { _tag: "Foreign", detail: "the file is damaged" } : { _tag: "Plain", credentials }
}
