/** The ways to get a server that a `server.json` offers, and why the others are not taken. Pure. */
import type * as Result from "effect/Result"
import { type Answers, type Question, Refused, refusable } from "../Question.ts"
import { blockedWords, forbiddenHost, suppliedReach } from "../../connection/Reach.ts"
import { makeAsking, namedOf, templateOf } from "./Inputs.ts"
import type { OfferKind } from "./OfferKinds.ts"
import { recipeOf } from "./Packages.ts"
import type { Package, ServerJson, Transport } from "./ServerJson.ts"

type Entry = Readonly<Record<string, unknown>>

/** A command or an address. */
export interface LaunchOffer {
  readonly _tag: "Launch"
  readonly kind: Exclude<OfferKind, "mcpb">
  readonly label: string
  readonly questions: ReadonlyArray<Question>
  readonly unusual: ReadonlyArray<string>
  readonly remarks: ReadonlyArray<string>
  readonly build: (answers: Answers) => Result.Result<Entry, string>
}

/** A file to download; it is looked into before anybody is asked. */
export interface BundleOffer {
  readonly _tag: "Bundle"
  readonly kind: "mcpb"
  readonly label: string
  readonly url: string
  readonly sha256: string
}

export type Offer = LaunchOffer | BundleOffer

export interface Offers {
  readonly offers: ReadonlyArray<Offer>
  readonly refused: ReadonlyArray<{ readonly label: string; readonly reason: string }>
}

const labelOf = ({ identifier, registryType, version }: Package): string =>
  `${registryType} ${identifier}${version === undefined ? "" : ` ${version}`}`

const bundleOf = (one: Package): BundleOffer => {
  const { fileSha256, identifier } = one
  const url = URL.parse(identifier)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Refused("names no address of its bundle")
  if (url.username !== "" || url.password !== "") throw new Refused("has a password in the address of its bundle")
  if (fileSha256 === undefined)
    throw new Refused("gives no digest of its bundle, so nobody can tell whether it is the one that is meant")
  return { _tag: "Bundle", kind: "mcpb", label: labelOf(one), url: url.href, sha256: fileSha256 }
}

const packageOf = (one: Package): Offer => {
  if (one.registryType === "mcpb") return bundleOf(one)
  const asking = makeAsking()
  const { build, remarks, unusual } = recipeOf(asking, one)
  return {
    _tag: "Launch",
    kind: one.registryType as "npm" | "pypi" | "oci",
    label: labelOf(one),
    questions: asking.questions(),
    unusual,
    remarks,
    build: (answers) => refusable(() => build(answers))
  }
}

/** A stranger's address should be a public one, also with the author's own values; what a person fills in is their choice. */
const unusualAddress = (template: string, variables: Transport["variables"] = {}): ReadonlyArray<string> => {
  const ownText = (name: string): string => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return variable?.value ?? variable?.default ?? "x"
  }
  const url = URL.parse(template.replace(/\{([^}]*)\}/g, (_, name: string) => ownText(name)))
  if (url === null || !/^https?:$/.test(url.protocol)) {
    if (template.startsWith("{")) return []
    throw new Refused("names no address")
  }
  const forbidden = forbiddenHost(suppliedReach(url), url)
  return forbidden === undefined ? [] : [`is at ${url.host}, which leads to ${blockedWords(forbidden).leadsTo}`]
}

const HEADER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const remoteOf = ({ headers = [], type, url, variables }: Transport): LaunchOffer => {
  if (!/^(?:streamable-http|sse)$/.test(type))
    throw new Refused(`is reached over ${JSON.stringify(type.slice(0, 40))}, which mcp-live cannot do`)
  if (url === undefined) throw new Refused("names no address")
  for (const { name } of headers) if (!HEADER.test(name)) throw new Refused("sets a header whose name is none")
  const asking = makeAsking()
  const [address, fields] = [templateOf(asking, url, variables, "the address"), namedOf(asking, headers, "the header")]
  return {
    _tag: "Launch",
    kind: "remote",
    label: `remote ${url}`,
    questions: asking.questions(),
    unusual: unusualAddress(url, variables),
    remarks: [],
    build: (answers) =>
      refusable(() => {
        const sent = fields(answers)
        return {
          url: address(answers),
          ...(type === "sse" && { transport: "sse" }),
          ...(Object.keys(sent).length > 0 && { headers: sent })
        }
      })
  }
}

export const offersOf = ({ packages = [], remotes = [] }: ServerJson): Offers => {
  const tried = [
    ...packages.map((one) => [labelOf(one), refusable(() => packageOf(one))] as const),
    ...remotes.map((one) => [`remote ${one.url ?? ""}`, refusable(() => remoteOf(one))] as const)
  ]
  return {
    offers: tried.flatMap(([, made]) => (made._tag === "Success" ? [made.success] : [])),
    refused: tried.flatMap(([label, made]) => (made._tag === "Failure" ? [{ label, reason: made.failure }] : []))
  }
}
