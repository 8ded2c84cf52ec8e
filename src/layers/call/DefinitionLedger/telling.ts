/** Reports definitions that differ from the approved ones to the log and the audit log: once each, from a fiber. */
import * as Effect from "effect/Effect"
import type { DefinitionChange } from "../../../schemas/call/AuditRecord.ts"
import { DIAGNOSTICS_LOGGED_MAX } from "../../../schemas/defaults/HostRequests.ts"
import { PIN_CHANGES_KNOWN_MAX } from "../../../schemas/defaults/Pins.ts"
import { LABEL_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { PinChange } from "./review.ts"
import type { ServerPins, Verdict } from "../../../schemas/call/Pins.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { AuditLog, DefinitionRecord } from "../../../services/call/AuditLog.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { Decision } from "../../../services/call/DefinitionLedger.ts"
import { makeCounting } from "./counting.ts"
import type { Entry } from "./entries.ts"
import { shadowingWords, trustedWords, unreadableWords, unsavedWords, wordsFor } from "./logText.ts"
import { addNewest } from "../../../schemas/data/Newest.ts"

export interface Parts {
  readonly sanitizer: ContentSanitizer["Service"]
  readonly audit: AuditLog["Service"]
  /** Runs an effect after the earlier ones. */
  readonly later: (effect: Effect.Effect<void>) => void
}

const AUDITED: Readonly<Record<PinChange["_tag"], DefinitionChange>> = {
  Changed: "changed",
  New: "new",
  Renamed: "renamed",
  Removed: "removed",
  Shadowing: "shadowing",
  Instructions: "changed",
  Launched: "launch"
}

const DECIDED: Readonly<Record<Verdict, DefinitionChange>> = {
  approve: "approved",
  reject: "rejected",
  forget: "forgotten"
}

/** `undefined` for changes of the whole server. */
const toolOf = (change: PinChange): string | undefined => ("tool" in change ? change.tool : undefined)

const changeKey = (file: string, change: PinChange): string =>
  JSON.stringify([file, change._tag, toolOf(change) ?? "", change.hash])

export const makeTelling = ({ audit, later, sanitizer }: Parts) => {
  const told = new Set<string>()
  const counting = makeCounting(audit)
  const label = (text: string) => sanitizer.label(text, LABEL_MAX_CHARS)

  const labelled = (text: string | undefined) => (text === undefined ? undefined : label(text))

  const isFresh = (key: string): boolean => {
    if (told.has(key)) return false
    addNewest(told, key, PIN_CHANGES_KNOWN_MAX)
    return true
  }

  const warn = (lines: ReadonlyArray<string>) =>
    Effect.forEach(lines, (line) => Effect.logWarning(line), { discard: true })

  const recordOf = ({ name, pin }: ServerConfig, change: PinChange): DefinitionRecord => ({
    server: name,
    tool: labelled(toolOf(change)),
    change: AUDITED[change._tag],
    hash: change.hash ?? undefined,
    previous: "previous" in change ? change.previous : undefined,
    ...(change._tag === "Renamed" ? { from: label(change.from) } : {}),
    ...(change._tag === "Shadowing" ? { shadows: label(change.shadows) } : {}),
    pin
  })

  return {
    /** Writes what was only counted so far. */
    rest: counting.rest,
    /** A server that changes all its tools gets a few lines, and one that counts the rest. */
    changed: (file: string, config: ServerConfig, pins: ServerPins, changes: ReadonlyArray<PinChange>): void => {
      const fresh = changes.filter((change) => isFresh(changeKey(file, change)))
      if (fresh.length === 0) return
      const shadowing = fresh.filter((change) => change._tag === "Shadowing")
      const isMany = shadowing.length > 1
      const alone = isMany ? fresh.filter((change) => change._tag !== "Shadowing") : fresh
      const lines = alone.slice(0, DIAGNOSTICS_LOGGED_MAX).map((change) => wordsFor(change, pins, config.pin, label))
      const more = alone.length - lines.length
      if (isMany) lines.push(shadowingWords(pins, shadowing, label))
      later(warn(more > 0 ? [...lines, `[${label(config.name)}] and ${more} more changes: mcp-live pins list`] : lines))
      later(
        counting.changed(
          config.name,
          fresh.map((change) => recordOf(config, change))
        )
      )
    },
    unreadable: ({ file, stamp }: Entry, { name, pin }: ServerConfig, detail: string): void => {
      if (isFresh(JSON.stringify([file, "Unreadable", stamp]))) later(warn([unreadableWords(label(name), detail, pin)]))
    },
    /** Records a decision of the operator. */
    decided: ({ server, tools, verdict }: Decision, names: ReadonlyArray<string>): Effect.Effect<void> =>
      Effect.forEach(
        tools.filter(({ name }) => names.includes(name)),
        ({ hash, name }) =>
          audit.definition({
            server,
            tool: label(name),
            change: DECIDED[verdict],
            hash,
            pin: "operator"
          }),
        { discard: true }
      ),
    trusted: ({ name }: ServerConfig, count: number, isFirst: boolean): void =>
      later(Effect.logInfo(trustedWords(label(name), count, isFirst))),
    unsaved: ({ server }: Entry, detail: string): Effect.Effect<void> => warn([unsavedWords(label(server), detail)])
  }
}
