/** Conversations in a `ConversationStore`: the same lines as in files. Errors are logged and do not affect answers. */
import * as Effect from "effect/Effect"
import type { ConversationStore } from "../../../services/agent/ConversationStore.ts"
import type { Lease } from "../../../services/fleet/Leases.ts"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { ownerOf } from "../../../schemas/agent/OrderSession.ts"
import { eachInTurns } from "../../../system/inTurns.ts"
import { lineOf, linesOf, type Files, type Outcome } from "./conversationFiles.ts"
import { nameOf, parse, readHeader } from "./file.ts"
import { readTurn, type KeptTurn } from "./keptTurns.ts"

const complain = ({ message }: DatabaseAway) => Effect.logWarning(message)

export const makeStored = (store: ConversationStore["Service"], redact: (text: string) => string): Files => {
  /** Those that this process has open. */
  const leases = new Map<string, Lease>()

  /** A node that was frozen may have lost its right to write. */
  const writing = (name: string, work: Effect.Effect<Outcome, DatabaseAway>): Effect.Effect<Outcome> =>
    Effect.suspend(() => {
      const lease = leases.get(name)
      if (lease?.isOurs() === false) return Effect.succeed("failed" as const)
      return work.pipe(Effect.catch((error) => Effect.as(complain(error), "failed" as const)))
    })

  return {
    read: (sessionKey) =>
      store.read(nameOf(sessionKey)).pipe(
        Effect.flatMap((stored) => {
          const info = readHeader(stored?.header ?? "")
          if (stored === undefined || info?.sessionKey !== sessionKey) return Effect.undefined
          const turns: Array<KeptTurn> = []
          const readLine = (line: string) => {
            const turn = readTurn(parse(line))
            if (turn !== undefined) turns.push(turn)
          }
          // One line may have megabytes.
          return Effect.as(eachInTurns(stored.lines, readLine, "whole"), { info, turns })
        }),
        Effect.catch((error) => Effect.as(complain(error), undefined))
      ),
    glance: (sessionKey) =>
      store.glance(nameOf(sessionKey)).pipe(
        Effect.map((stored) => {
          const info = readHeader(stored?.header ?? "")
          return stored === undefined || info?.sessionKey !== sessionKey ? undefined : { info, turns: stored.turns }
        }),
        Effect.catch((error) => Effect.as(complain(error), undefined))
      ),
    write: (kept, isThere) =>
      Effect.flatMap(linesOf(kept, redact), ([header, ...lines]) => {
        const { sessionKey } = kept.info
        const name = nameOf(sessionKey)
        return writing(name, store.write(name, ownerOf(sessionKey), { header: header!, lines }, isThere))
      }),
    append: (sessionKey, turn) => {
      const name = nameOf(sessionKey)
      return writing(
        name,
        Effect.suspend(() => store.append(name, lineOf(turn, redact)))
      )
    },
    remove: (sessionKey) =>
      store.remove(nameOf(sessionKey)).pipe(Effect.catch((error) => Effect.as(complain(error), false))),
    list: store.headers.pipe(
      Effect.map((headers) => headers.map((header) => readHeader(header)).filter((info) => info !== undefined)),
      Effect.catch((error) => Effect.as(complain(error), undefined))
    ),
    lock: (sessionKey) =>
      store.take(nameOf(sessionKey)).pipe(
        Effect.catch((error) => Effect.as(complain(error), undefined)),
        Effect.flatMap((taken) => {
          if (taken === undefined) return Effect.undefined
          if ("node" in taken) {
            return new GatewayError({
              detail: `This conversation is open at node '${taken.node}' of the fleet: close it there first.`
            })
          }
          const name = nameOf(sessionKey)
          leases.set(name, taken.lease)
          return Effect.succeed({
            // The node renews it.
            touch: () => undefined,
            release: () => {
              leases.delete(name)
              taken.lease.release()
            }
          })
        })
      )
  }
}
