import { assert } from "@effect/vitest"
import {
  answered,
  echoed,
  failed,
  leftAlone,
  refused,
  textOf,
  type Expectation,
  type Expectations,
  type Play
} from "../expectation.ts"

const forEach = (names: ReadonlyArray<string>, name: (of: string) => string, expectation: Expectation): Expectations =>
  Object.fromEntries(names.map((each) => [name(each), expectation]))

const calls = ({ requests }: Play) => requests().filter(({ method }) => method === "tools/call").length
/** A call that may have been executed is not sent again. */
const sentOnce = (play: Play) => assert.strictEqual(calls(play), 1)
const ROOM_MB = 300

const BLOCKED = failed("RedirectBlocked", { check: sentOnce })

export const HTTP: Expectations = {
  "401": refused(/authoriz/, { check: ({ requests }) => assert.isBelow(requests().length, 10, "no loop") }),
  "403": refused(/403/),
  "status:401:tools/call": failed("AuthRequired"),
  "status:403:tools/call": failed("AuthRequired"),
  "lost-session:tools/call:1": { ...echoed, check: (play) => assert.strictEqual(calls(play), 2) },
  "lost-session:tools/call": failed("ConnectionLost", { check: (play) => assert.strictEqual(calls(play), 2) }),
  "lost-session-400:tools/call:1": echoed,
  "forgets-and-refuses": failed("ConnectionLost"),
  ...forEach(["400", "404"], (how) => `paid:${how}`, failed("HttpFailed", { check: sentOnce })),
  ...forEach(
    ["404-nobody", "404-text", "404-session"],
    (how) => `paid:${how}`,
    failed("ConnectionLost", { check: sentOnce, says: /may have been executed/ })
  ),
  "modern-session": failed("HttpFailed", { check: sentOnce }),
  "stateless-404": failed("HttpFailed", { check: sentOnce }),
  gone: refused(/404/),
  "gone:405": refused(/405/),
  "500": refused(/500/),
  "502": refused(/502/),
  "503-html": refused(/503/, { check: ({ status }) => assert.isBelow(status.lastError?.length ?? 0, 2_500) }),
  "429": refused(/429/),
  "status:500:tools/call": failed("HttpFailed", { check: sentOnce, says: /the words of the server/ }),
  "status:503:tools/call": leftAlone("HttpFailed"),
  "status:500:tools/list:1": echoed,
  "retry-after:tools/call:1:429:1": { ...echoed, check: (play) => assert.strictEqual(calls(play), 2) },
  "retry-after:tools/call::429:100000000": failed("HttpFailed", { check: sentOnce }),
  ...forEach(["307", "308"], (status) => `redirect:tools/call:${status}:foreign`, BLOCKED),
  ...forEach(["301", "302", "303"], (status) => `redirect:tools/call:${status}:foreign`, BLOCKED),
  // They would turn the call into a GET.
  ...forEach(["301", "302", "303"], (status) => `redirect:tools/call:${status}:same`, BLOCKED),
  "redirect:tools/call:308:same": { ...echoed, check: (play) => assert.strictEqual(calls(play), 2) },
  ...forEach(
    ["metadata", "metadata-name", "private", "octal", "number", "mapped", "userinfo", "file", "javascript", "data"],
    (target) => `redirect:tools/call:307:${target}`,
    BLOCKED
  ),
  "redirect:tools/call:307:broken": failed("HttpFailed", { check: sentOnce }),
  "redirect:tools/call:307:none": failed("HttpFailed"),
  "redirect:tools/call:307:loop": failed("RedirectBlocked", { check: (play) => assert.isAtMost(calls(play), 4) }),
  "redirect:tools/call:307:longer": failed("RedirectBlocked", { check: (play) => assert.isAtMost(calls(play), 4) }),
  "redirect:initialize:307:foreign": refused(/not followed/),
  "redirect-same": echoed,
  "gzip-bomb": failed("MessageTooLarge", { roomMb: ROOM_MB }),
  "bomb:br": failed("MessageTooLarge", { roomMb: ROOM_MB }),
  "bomb:deflate": failed("MessageTooLarge", { roomMb: ROOM_MB }),
  "error-bomb": failed("HttpFailed", {
    roomMb: ROOM_MB,
    check: ({ results }) => assert.isBelow(textOf(results[0]!).length, 4_096)
  }),
  "encoded:br": { says: /hi/ },
  "encoded:twice": failed("ConnectionLost"),
  "encoded:wrong": failed("ConnectionLost"),
  "encoded:cut": failed("ProtocolError"),
  "huge-json": failed("MessageTooLarge", { roomMb: ROOM_MB }),
  "endless-body": failed("CallTimeout"),
  "endless-headers": failed("ConnectionLost", { keys: { toolTimeout: 15_000 } }),
  "slow-headers": failed("CallTimeout"),
  "huge-headers": failed("ConnectionLost"),
  "short-length": failed("ConnectionLost"),
  "long-length": failed("ProtocolError"),
  reset: failed("ConnectionLost", { check: sentOnce }),
  "reset-early": failed("ConnectionLost", { check: sentOnce }),
  hang: failed("CallTimeout"),
  "no-http": failed("ConnectionLost"),
  "not-json": failed("ProtocolError"),
  html: failed("ProtocolError"),
  accepted: failed("ProtocolError"),
  "empty-stream": failed("ConnectionLost"),
  // Who cannot know whether a call has arrived does not send it again.
  "hangs-up": { ...echoed, error: /^(answered|ConnectionLost)$/, check: (play) => assert.isAtMost(calls(play), 3) },
  "endless-event": failed("MessageTooLarge", { roomMb: ROOM_MB, keys: { toolTimeout: 15_000 } }),
  "huge-event": failed("MessageTooLarge", { roomMb: ROOM_MB }),
  "million-events": failed("CallTimeout", { roomMb: ROOM_MB }),
  "million-events:50000": { says: /quoth at last/, roomMb: ROOM_MB },
  "many-events": { says: /hi/, roomMb: ROOM_MB },
  "event-flood": failed("CallTimeout", { roomMb: ROOM_MB }),
  "gush:comments": failed("CallTimeout", { roomMb: ROOM_MB }),
  "gush:newlines": failed("CallTimeout", { roomMb: ROOM_MB }),
  "gush:notes": failed("CallTimeout", { roomMb: ROOM_MB }),
  comments: failed("CallTimeout"),
  "stream-comments": echoed,
  ...forEach(
    ["cr", "crlf", "bom", "no-space", "lines", "retry", "id-with-nul", "unknown", "split"],
    (kind) => `events:${kind}`,
    {
      says: /h\u{E9}/u
    }
  ),
  "old:404:relative": { ...echoed, check: ({ status }) => assert.strictEqual(status.transport, "sse") },
  ...forEach(
    ["foreign", "scheme-relative", "javascript", "file", "metadata"],
    (kind) => `old:404:${kind}`,
    refused(/endpoint|origin/)
  ),
  "old:404:never": refused(/2500 ms/),
  "session-id:spaces": refused(/session/),
  "session-id:latin": refused(/session/),
  "session-id:long": refused(/session/),
  "odd-session": refused(/./),
  "changes-session": echoed,
  "takes-no-answers": { says: /asked/ },
  "delete:405": answered,
  "delete:500": answered,
  "delete:hang": answered
}
