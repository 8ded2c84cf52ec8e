/**
 * Finds entries whose process is gone, by a request to the address in the entry. Only addresses of this machine are judged, because others
 * cannot be reached from here. A process that does not answer in time may be busy, and counts as alive.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { request } from "node:http"
import {
  INJECTED_LEFTOVERS_MAX,
  INJECTED_PROBE_MS,
  INJECTED_PROBES_AT_ONCE
} from "../../../schemas/defaults/Injection.ts"
import { reader } from "../../../schemas/data/Lenient.ts"
import { codeOf } from "../../../system/ownFiles.ts"
import { alivePath, ownerOf, type Instance } from "./names.ts"

const HOST = "127.0.0.1"

const readEntry = reader(Schema.Struct({ url: Schema.String }))

const portOf = (entry: unknown): number | undefined => {
  const url = URL.parse(readEntry(entry)?.url ?? "")
  if (url === null || url.protocol !== "http:" || url.hostname !== HOST || url.port === "") return undefined
  return Number(url.port)
}

/** Excludes our own failures, such as too many open files, and a process that accepts no more connections now. */
const isNobody = (error: unknown): boolean => {
  const code = codeOf(error) ?? ""
  return code === "ECONNREFUSED" || code.startsWith("HPE_")
}

/** Nothing listens there, or something else does. */
const isGone = (instance: string, port: number): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const sent = request({ host: HOST, port, path: alivePath(instance), agent: false }, (answer) => {
      answer.resume()
      resume(Effect.succeed(answer.statusCode !== 200))
    })
    sent.on("error", (error) => resume(Effect.succeed(isNobody(error))))
    sent.end()
    return Effect.sync(() => sent.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: INJECTED_PROBE_MS, orElse: () => Effect.succeed(false) }))

/** The names of entries in a configuration that dead processes of this machine left behind. */
export const leftovers = (self: Instance, entries: Readonly<Record<string, unknown>>): Effect.Effect<Array<string>> => {
  const ofOthers = Object.keys(entries).filter((name) => {
    const owner = ownerOf(name)
    return owner?.machine === self.machine && owner.id !== self.id
  })
  const isLeft = (name: string) => {
    const port = portOf(entries[name])
    return port === undefined ? Effect.succeed(false) : isGone(ownerOf(name)!.id, port)
  }
  return Effect.filter(ofOthers.slice(0, INJECTED_LEFTOVERS_MAX), isLeft, { concurrency: INJECTED_PROBES_AT_ONCE })
}
