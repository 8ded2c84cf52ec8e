/** How a server that somebody else describes is named and introduced. Pure. */
import { clip } from "../../content/Rendering.ts"
import type { Offer } from "./Offers.ts"
import type { ServerJson } from "./ServerJson.ts"

/** A description is a stranger's: the command below it must stay on the screen. */
export const DESCRIPTION_MAX_CHARS = 400

/** A name as the rules for names of servers want it. */
export const nameFrom = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 64) || "server"

/** The name of a server of a registry: the last part of its own. */
export const listedName = (name: string): string => nameFrom(name.slice(name.indexOf("/") + 1))

/** What it is, in a line. A stranger's words. */
export const listedTitle = ({ description, name, title, version }: ServerJson): string =>
  `${title ?? name} ${version}${description === undefined ? "" : `: ${clip(description, DESCRIPTION_MAX_CHARS)}`}`

/** The other ways to get it. */
export const otherKinds = (offers: ReadonlyArray<Offer>, offer: Offer): ReadonlyArray<string> => [
  ...new Set(offers.filter((one) => one !== offer).map(({ kind }) => kind))
]
