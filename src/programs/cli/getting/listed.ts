/** A server that a registry describes. */
import * as Effect from "effect/Effect"
import { NAMED } from "../../../schemas/config/registry/ServerJson.ts"
import type { OfferKind } from "../../../schemas/config/registry/OfferKinds.ts"
import { type Offer, offersOf } from "../../../schemas/config/registry/Offers.ts"
import { listedName, listedTitle, otherKinds } from "../../../schemas/config/registry/Listing.ts"
import { ServerRegistry } from "../../../services/config/ServerRegistry.ts"
import { shown } from "../clients/shown.ts"
import { UsageError } from "../command.ts"
import { tellingWait } from "../servers/waiting.ts"
import { bundled } from "./bundle.ts"
import type { Prepared } from "./prepared.ts"
import { refuse } from "./writing.ts"

const chosen = Effect.fnUntraced(function* (
  name: string,
  offers: ReadonlyArray<Offer>,
  wanted: OfferKind | undefined,
  none: string
) {
  const found = wanted === undefined ? offers[0] : offers.find(({ kind }) => kind === wanted)
  if (found !== undefined) return found
  if (offers.length === 0) {
    return yield* refuse(`'${name}' offers nothing that mcp-live can start${none}`)
  }
  const kinds = offers.map(({ kind }) => kind).join(", ")
  return yield* new UsageError({ message: `'${name}' is not offered as ${wanted}, but as ${kinds}${none}` })
})

export const fromRegistry = Effect.fnUntraced(function* (text: string, wanted: OfferKind | undefined) {
  const { download, find } = yield* ServerRegistry
  const { name = "", version: written } = NAMED.exec(text)?.groups ?? {}
  // As npm has it; the entry gets the exact version.
  const version = written === "latest" ? undefined : written
  const { server, warning } = yield* tellingWait(find(name, version), Effect.succeed(`Asking the registry for ${name}`))
  const { offers, refused } = offersOf(server)
  const none = refused.map(({ label, reason }) => `\n${shown(label)}: it ${shown(reason)}`).join("")
  const offer = yield* chosen(name, offers, wanted, none)
  const others = otherKinds(offers, offer)
  const about = [
    listedTitle(server),
    `as: ${offer.label}${others.length === 0 ? "" : ` (also as ${others.join(", ")}: --package chooses)`}`,
    ...(warning === undefined ? [] : [warning])
  ]
  const own = listedName(name)
  if (offer._tag === "Bundle") {
    const bundle = yield* bundled(
      yield* tellingWait(download(offer.url, offer.sha256), Effect.succeed(`Downloading ${shown(offer.url)}`)),
      offer.url
    )
    return { ...bundle, name: own, about: [...about, ...bundle.about] } satisfies Prepared
  }
  const { build, questions, remarks, unusual } = offer
  return { name: own, about: [...about, ...remarks], unusual, questions, isForeign: true, build } satisfies Prepared
})
