/**
 * The part of an invalid configuration that is valid: everything except the servers whose entries are not. For commands that look for what is
 * wrong, not for those that let an agent call tools. Pure.
 */
import * as Result from "effect/Result"
import { isObject } from "../data/Json.ts"
import { memberAt, type Path, withMember } from "../data/Members.ts"
import { SECTIONS } from "./clients/AddServers.ts"
import { recognise } from "./clients/Recognise.ts"
import { type ConfigContext, decodeConfig } from "./DecodeConfig.ts"
import { agentsIn } from "./EditServers.ts"
import type { GatewayConfig } from "./GatewayConfig.ts"

const placesIn = (root: unknown): ReadonlyArray<readonly [Path, Readonly<Record<string, unknown>>]> =>
  [...SECTIONS, ...agentsIn(root).map(([, path]): Path => [...path, "mcp", "servers"])].flatMap((place) => {
    const servers = memberAt(root, place)
    return isObject(servers) ? [[place, servers] as const] : []
  })

const withOnly = (root: unknown, keeps: (name: string) => boolean): unknown =>
  placesIn(root).reduce(
    (far, [place, servers]) =>
      withMember(far, place, Object.fromEntries(Object.entries(servers).filter(([name]) => keeps(name)))),
    root
  )

/** `undefined` if something else than servers is invalid, or if it is the file of another program. */
export const soundPart = (value: unknown, context: ConfigContext): GatewayConfig | undefined => {
  const owner = recognise(context.file, value)
  if (owner !== undefined && owner !== "openclaw") return undefined
  const decoded = (keeps: (name: string) => boolean) =>
    Result.getOrUndefined(decodeConfig(withOnly(value, keeps), context))
  if (decoded(() => false) === undefined) return undefined
  const names = new Set(placesIn(value).flatMap(([, servers]) => Object.keys(servers)))
  const sound = new Set([...names].filter((name) => decoded((other) => other === name) !== undefined))
  return decoded((name) => sound.has(name))
}
