/**
 * Whether a reference could ever be resolved, judged by its form alone. The providers check it again, with all that they
 * know. Pure.
 */
import type { Reference, SECRET_PROVIDERS } from "./SecretReference.ts"

type Form = Pick<Reference, "path" | "version">

interface Rule {
  /** Why a reference has no version; left out if it may have one. */
  readonly noVersion?: string
  /** Why a reference of this form cannot be resolved; left out if any path can. */
  readonly problem?: (form: Form) => string | undefined
}

const of = (form: string): string => `it is not of the form secret://${form}`
const segmentsOf = (path: string): number => path.split("/").length

const RULES: Readonly<Record<(typeof SECRET_PROVIDERS)[number], Rule>> = {
  env: {
    noVersion: "environment variables have no versions",
    problem: ({ path }) =>
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(path) ? undefined : "that is not the name of an environment variable"
  },
  file: { noVersion: "files have no versions" },
  exec: { noVersion: "commands have no versions" },
  vault: {
    problem: ({ path, version }) => {
      if (segmentsOf(path) < 3) return of("vault/MOUNT/PATH/FIELD")
      return version === undefined || /^[1-9][0-9]{0,9}$/.test(version)
        ? undefined
        : "versions in Vault are numbers from 1 on"
    }
  },
  gcp: {
    problem: ({ path }) =>
      /^(?:projects\/[^/]+\/secrets\/)?[A-Za-z0-9_-]{1,255}$/.test(path)
        ? undefined
        : of("gcp/NAME or secret://gcp/projects/PROJECT/secrets/NAME")
  },
  aws: {},
  op: {
    noVersion: "1Password has no versions to choose from",
    problem: ({ path }) => {
      const segments = segmentsOf(path)
      return segments === 3 || segments === 4
        ? undefined
        : of("op/VAULT/ITEM/FIELD, with a SECTION before FIELD if any; where a name has a blank, write it in braces")
    }
  },
  keychain: {
    noVersion: "keychains have no versions",
    problem: ({ path }) => (segmentsOf(path) === 2 ? undefined : of("keychain/SERVICE/ACCOUNT"))
  }
}

const isBuiltIn = (provider: string): provider is keyof typeof RULES => Object.hasOwn(RULES, provider)

/** Why a reference cannot be resolved; `undefined` if it may be, and for providers that are not built in. */
export const formProblem = ({ path, provider, version }: Reference): string | undefined => {
  if (!isBuiltIn(provider)) return undefined
  const { noVersion, problem } = RULES[provider]
  return (version === undefined ? undefined : noVersion) ?? problem?.({ path, version })
}
