/**
 * Finds plain-text credentials in a configuration. A value is fine if it is a `secret://` reference or comes from variables;
 * the word before a token (`Bearer ${TOKEN}`) does not count. Warnings never show a value.
 */
import { soundsLikeCredential } from "../secret/CredentialNames.ts"
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { literalPart } from "./Interpolation.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"

/** The location of a credential, or a limit for model tokens: not credentials themselves. */
const HARMLESS = /(?:[_-](?:file|path|dir)|credentials)$|(?:max|limit)[_-]?tokens?|tokens?[_-]?(?:max|limit)/i
const SCHEME_WORD = /^\s*(?:bearer|basic|token|apikey)\s+/i

export const looksLikeCredential = (name: string, value: string): boolean =>
  soundsLikeCredential(name) && !(HARMLESS.test(name) && /^(?:\d+|[~.]{0,2}\/.*)$/.test(value))

export const isPlaintext = (value: string): boolean => {
  if (value.includes(SECRET_SCHEME) || /^(?:true|false)$/i.test(value)) return false
  const literal = literalPart(value).replace(SCHEME_WORD, "")
  // Between references only words count: the colon of `${USER}:${PASSWORD}` reveals nothing.
  return literalPart(value) === value ? literal.trim() !== "" : /[\p{L}\p{N}]/u.test(literal)
}

/** A value that is a credential whatever its name. */
export const warnOfPlaintext = (report: Report, secret: Located<string> | undefined): void => {
  if (secret === undefined || !isPlaintext(secret.value)) return
  report.warn(secret.path, `is a plaintext credential in config: consider a ${SECRET_SCHEME} reference`, "credentials")
}

/** `place` is a member of the section `secrets`; `always` means that its name need not look like a credential's. */
export const warnOfSecretsCredential = (
  report: Report,
  place: string,
  name: string | "always",
  { path, value }: Located<string>
): void => {
  if (!isPlaintext(value) || (name !== "always" && !looksLikeCredential(name, value))) return
  report.warn(
    path,
    `"secrets" has plaintext credentials in config (${place}): consider ${SECRET_SCHEME} references`,
    "credentials"
  )
}

export const warnOfModelCredentials = (report: Report, apiKey: Located<string>): void => {
  if (!isPlaintext(apiKey.value)) return
  report.warn(
    apiKey.path,
    `the model has a plaintext apiKey in config: consider a ${SECRET_SCHEME} reference`,
    "credentials"
  )
}
