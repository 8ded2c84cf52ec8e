/** The files of `deploy/`, as they are. */
import { readFileSync } from "node:fs"
import { parse, parseAllDocuments } from "yaml"

export const deployed = (name: string): string =>
  readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), "utf8")

/** Compose reads `<<` as its readers do. */
export const composeFile = (): Record<string, unknown> => parse(deployed("compose.yaml"), { merge: true })

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [key: string]: unknown
}

export const manifestsIn = (name: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(deployed(`kubernetes/${name}`)).map((document) => document.toJS() as Manifest)
