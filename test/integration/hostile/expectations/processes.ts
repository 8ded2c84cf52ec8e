import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ServerStatus } from "../../../../src/schemas/connection/ServerState.ts"
import { answered, echoed, failed, refused, tagOf, textOf, type Expectations, type Play } from "../expectation.ts"

const onceMaybe = ({ results }: Play) => {
  const { details } = results.at(-1)!
  assert.isTrue("error" in details && details.error.maybeExecuted, "it may have been executed")
}
const until = ({ runtime }: Play, is: (status: ServerStatus) => boolean) =>
  runtime.changes.pipe(
    Stream.mapEffect(() => runtime.status),
    Stream.filter(({ bad }) => bad !== undefined && is(bad)),
    Stream.take(1),
    Stream.runDrain
  )

export const PROC: Expectations = {
  "hang-initialize": refused(/2500 ms/),
  "never-reads-stdin": refused(/2500 ms/),
  "exit-at-once": refused(/code 0/),
  "exit-at-once:1": refused(/code 1/),
  "exit-at-once:SIGSEGV": refused(/SIGSEGV/),
  "exit-at-once:SIGKILL": refused(/SIGKILL/),
  "exit-1-stderr": refused(/code 1.*cannot open database/s, {
    check: ({ status }) => assert.notInclude(status.lastError ?? "", "    at ")
  }),
  "exit-on-initialize": refused(/code 1/, {
    keys: { maxRestarts: 1 },
    check: Effect.fnUntraced(function* (play) {
      yield* until(play, ({ state }) => state === "Failed")
      const result = yield* play.runtime.call("mcp_bad_echo", {})
      assert.notInclude(textOf(result), "tried again in")
      assert.isTrue(yield* play.runtime.reset("bad"))
      yield* until(play, ({ state }) => state === "Backoff")
    })
  }),
  "close-stdin": {
    ...echoed,
    check: Effect.fnUntraced(function* ({ named, runtime, take }) {
      const result = take(yield* runtime.call(named("echo"), { text: "to nobody" }))
      assert.include(["ConnectionLost", "ServerUnavailable"], tagOf(result))
    })
  },
  "close-stdout": failed("ConnectionLost"),
  "ignore-stdin-end": answered,
  "ignore-sigterm": answered,
  grandchildren: answered,
  "daemon:group": answered,
  "leader-exits": answered,
  "daemon:session": answered,
  "daemon:double-fork": answered,
  "stops-reading": failed("CallTimeout", { roomMb: 300 }),
  "pours:nothing": failed("CallTimeout"),
  "stderr-flood": echoed,
  "pours:stderr-long-lines": { says: /begun/, roomMb: 300 },
  "pours:stderr-empty-lines": { says: /begun/ },
  "pours:stderr-no-line-break": { says: /begun/, roomMb: 300 },
  "crash-in-call": failed("ConnectionLost", { check: onceMaybe }),
  "crash-in-call:SIGSEGV": failed("ConnectionLost", { check: onceMaybe }),
  "exit-mid-reply": failed("ConnectionLost", { check: onceMaybe }),
  "crash-after": {
    ...echoed,
    check: Effect.fnUntraced(function* (play) {
      yield* until(play, ({ restarts, state }) => restarts === 1 && state === "Ready")
      assert.include(textOf(yield* play.runtime.call(play.named("echo"), { text: "once more" })), "once more")
    })
  },
  "slow-initialize:500": echoed
}
