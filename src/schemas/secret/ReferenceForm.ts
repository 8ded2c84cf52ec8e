/**
 * Whether a reference could ever be resolved, judged by its form alone. The providers check it again, with all that they
 * know. Pure.
 */
import type { Reference } from "./SecretReference.ts"

type Form = Pick<Reference, "path" | "version">

const NO_VERSION: Readonly<Record<string, string>> = {
  env: "environment variables have no versions",
  file: "files have no versions",
  exec: "commands have no versions",
  op: "1Password has no versions to choose from",
  keychain: "keychains have no versions"
}

const of = (form: string): string => `it is not of the form secret://${form}`
const segmentsOf = (path: string): number => path.split("/").length

const FORMS: Readonly<Record<string, (form: Form) => string | undefined>> = {
  env: ({ path }) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(path) ? undefined : "that is not the name of an environment variable",
  vault: ({ path, version }) => {
    if (segmentsOf(path) < 3) return of("vault/MOUNT/PATH/FIELD")
    return version === undefined || /^[1-9][0-9]{0,9}$/.test(version)
      ? undefined
      : "versions in Vault are numbers from 1 on"
  },
  gcp: ({ path }) =>
    /^(?:projects\/[^/]+\/secrets\/)?[A-Za-z0-9_-]{1,255}$/.test(path)
      ? undefined
      : of("gcp/NAME or secret://gcp/projects/PROJECT/secrets/NAME"),
  op: ({ path }) => {
    const segments = segmentsOf(path)
    return segments === 3 || segments === 4
      ? undefined
      : of("op/VAULT/ITEM/FIELD, with a SECTION before FIELD if any; where a name has a blank, write it in braces")
  },
  keychain: ({ path }) => (segmentsOf(path) === 2 ? undefined : of("keychain/SERVICE/ACCOUNT"))
}

const own = <A>(table: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** Why it cannot; `undefined` when it may, and for providers that are not built in. */
export const formProblem = ({ path, provider, version }: Reference): string | undefined =>
  (version === undefined ? undefined : own(NO_VERSION, provider)) ?? own(FORMS, provider)?.({ path, version })
