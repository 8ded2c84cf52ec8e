/** What happens at this node for a server at another one. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { farConnection } from "../../../../src/layers/fleet/ServerPool/farConnection.ts"
import { type Far, followFar, type Home } from "../../../../src/layers/fleet/ServerPool/home.ts"
import type { LeaseEvent } from "../../../../src/schemas/fleet/ServerRpcs.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const CONFIG = serverConfig("files")
const PLACE = { key: "files", epoch: 1, node: { name: "two", incarnation: "2" } }
const SNAPSHOT: LeaseEvent = { _tag: "Snapshot", state: { _tag: "Idle" }, restarts: 0 }
const QUESTION = { _tag: "Question", method: "elicitation/create", params: {} } as const

/** Whose request it is. */
const Person = Context.Reference<string>("test/Person", { defaultValue: () => "nobody" })

it.effect("a question about a call is answered in the context of this call, and any other in that of none", () =>
  Effect.gen(function* () {
    const events = yield* Queue.unbounded<LeaseEvent>()
    const [calls, answers, homes] = [[] as Array<string>, [] as Array<unknown>, [] as Array<Home>]
    const client = {
      ServerLease: () => Stream.fromQueue(events),
      ServerRequest: ({ call }: { readonly call: string }) =>
        Effect.andThen(
          Effect.sync(() => calls.push(call)),
          Effect.never
        ),
      ServerAnswer: (answer: object) => Effect.sync(() => answers.push(answer))
    }
    const following = {
      config: CONFIG,
      peers: { rpc: () => Effect.succeed(client) },
      host: { answer: () => Effect.map(Person, (person) => ({ person })) },
      last: () => ({ catalogue: undefined }),
      publish: () => Effect.void,
      arrived: (home: Home) => Effect.sync(() => homes.push(home))
    } as unknown as Parameters<typeof followFar>[0]
    yield* Effect.forkChild(followFar(following, PLACE))
    yield* Queue.offer(events, SNAPSHOT)
    yield* TestClock.adjust(0)
    const { request } = farConnection(homes[0] as Far, { config: CONFIG, catalogue: () => undefined } as never)
    const options = { idleMs: 1, totalMs: 1 }
    for (const person of ["ann", "bob"]) {
      yield* Effect.forkChild(Effect.provideService(request("tools/call", {}, options), Person, person))
    }
    yield* TestClock.adjust(0)
    yield* Queue.offerAll(events, [
      { ...QUESTION, question: "of bob", call: calls[1]! },
      { ...QUESTION, question: "of ann", call: calls[0]! },
      { ...QUESTION, question: "of one that has ended", call: "ended" },
      { ...QUESTION, question: "of an older node" }
    ])
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(answers, [
      { place: PLACE, question: "of bob", result: { person: "bob" } },
      { place: PLACE, question: "of ann", result: { person: "ann" } },
      { place: PLACE, question: "of one that has ended", result: { person: "nobody" } },
      { place: PLACE, question: "of an older node", result: { person: "nobody" } }
    ])
  })
)
