/**
 * What people hear of the other nodes. All pages that somebody has open at this node hear the same: each other node is listened to once for them, and
 * a page that reads slowly delays no other one.
 */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as PubSub from "effect/PubSub"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Caller } from "../../../schemas/call/Caller.ts"
import type { GatewayEvent } from "../../../schemas/control/Events.ts"
import type { PendingQuestion } from "../../../schemas/control/Question.ts"
import { NODE_LOOK_MS, PERSON_CALLS_WAITING_MAX, PERSON_HEARD_KEPT_MS } from "../../../schemas/defaults/FleetNodes.ts"
import type { FleetNode } from "../../../schemas/fleet/Node.ts"
import { roundsOf } from "../../../system/rounds.ts"
import { introductionOf } from "./introduction.ts"

/** What a node tells somebody, by their introduction; it ends when the node cannot be reached, or goes. */
type Telling = (node: FleetNode, introduction: string) => Stream.Stream<GatewayEvent, unknown>

type Questions = ReadonlyMap<string, ReadonlyArray<PendingQuestion>>

/** For the caller's Scope. */
export const makeElsewhere = Effect.fnUntraced(function* (others: () => ReadonlyArray<FleetNode>, telling: Telling) {
  const hearing = Effect.fnUntraced(function* (introduction: string) {
    const calls = yield* PubSub.sliding<GatewayEvent>(PERSON_CALLS_WAITING_MAX)
    const questions = yield* SubscriptionRef.make<Questions>(new Map())
    const listening = yield* FiberMap.make<string>()

    const asks = (from: string, asked: ReadonlyArray<PendingQuestion> | undefined) =>
      SubscriptionRef.update(questions, (known): Questions => {
        const rest = [...known].filter(([node]) => node !== from)
        return new Map(asked === undefined ? rest : [...rest, [from, asked]])
      })

    const take = (from: string, event: GatewayEvent) =>
      event._tag === "Questions"
        ? asks(from, event.questions)
        : event._tag === "Call"
          ? PubSub.publish(calls, event)
          : Effect.void

    const hear = (node: FleetNode) =>
      Stream.runForEach(telling(node, introduction), (event) => take(node.incarnation, event)).pipe(
        Effect.ignoreCause,
        Effect.andThen(asks(node.incarnation, undefined))
      )

    // Nodes come and go, and a node that was not reached is tried again.
    const look = Effect.suspend(() =>
      Effect.forEach(
        others(),
        (node) => FiberMap.run(listening, node.incarnation, hear(node), { onlyIfMissing: true }),
        { discard: true }
      )
    )
    const looks = roundsOf("fleet: listening to the other nodes for somebody")
    yield* Effect.forkScoped(Effect.repeat(looks(look), Schedule.spaced(NODE_LOOK_MS)))

    const asked = Stream.buffer(SubscriptionRef.changes(questions), { capacity: 1, strategy: "sliding" }).pipe(
      Stream.map((all): GatewayEvent => ({ _tag: "Questions", questions: [...all.values()].flat() }))
    )
    return Stream.merge(asked, Stream.fromPubSub(calls))
  })

  /** By all that other nodes are told of somebody. A page that is loaded again finds what the one before it had. */
  const kept = yield* RcMap.make({ lookup: hearing, idleTimeToLive: PERSON_HEARD_KEPT_MS })
  return (caller: Caller): Stream.Stream<GatewayEvent> => Stream.unwrap(RcMap.get(kept, introductionOf(caller)))
})
