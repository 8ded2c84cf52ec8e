/**
 * Asks the person at the terminal whether a tool may be called. They see what would be sent and why they are asked. Only an
 * explicit letter approves, for as long as that letter says.
 */
import * as Effect from "effect/Effect"
import { type ApprovalAnswer, type ApprovalQuestion, offeredFor, peopleIn } from "../../../schemas/call/Approval.ts"
import type { Dismissed, Dialogue } from "./elicit.ts"
import { quoted, visible } from "../output.ts"

const ANSWERS: ReadonlyMap<string, ApprovalAnswer> = new Map([
  ["y", "once"],
  ["yes", "once"],
  ["s", "session"],
  ["session", "session"],
  ["a", "always"],
  ["always", "always"],
  ["n", "deny"],
  ["no", "deny"]
])

const WORDS: Readonly<Record<ApprovalAnswer, string>> = {
  once: "approved, this once",
  session: "approved until the session or the gateway ends",
  always: "approved from now on; 'mcp-live approvals' lists what is, and forgets it",
  deny: "not called"
}

const CHANGED =
  "Careful: you approved this tool before, but the tool, or how its server is\nstarted, has changed since.\n"

const describe = (
  { agent, changed, exposed, rule, server, tool, ...question }: ApprovalQuestion,
  width: number
): string => {
  const people = peopleIn(question).map(([what, who]) => `\n${what}: ${who}`)
  const args = question.arguments === "" ? "(none)" : question.arguments
  return `The agent '${visible(agent)}' wants to call a tool that needs your approval:
${quoted(`server: ${server}\ntool: ${tool} (${exposed})\nwhy: ${rule}${people.join("")}`, width)}
With these arguments:
${quoted(args, width)}
${changed ? CHANGED : ""}${keysOf(question)}`
}

/** What one approves for somebody else ends with their session, or with the gateway. */
const keysOf = (question: Pick<ApprovalQuestion, "approvers">): string =>
  question.approvers === undefined
    ? `(y: this once. s: until the session or the gateway ends. n, Ctrl-C: no.
 a: from now on, as long as the tool stays what it is.)`
    : "(y: this once. s: for their session. n, Ctrl-C: no.)"

const read = Effect.fnUntraced(function* (
  { ask }: Dialogue,
  offered: ReadonlyArray<ApprovalAnswer>
): Effect.fn.Return<ApprovalAnswer, Dismissed> {
  const always = offered.includes("always") ? " / [a]lways" : ""
  for (;;) {
    const answer = ANSWERS.get((yield* ask(`Call it? [y]es / [s]ession${always} / [n]o: `)).toLowerCase())
    if (answer !== undefined && offered.includes(answer)) return answer
  }
})

/** The answer of the person; then shows its outcome. Dismissing the question denies the call. */
export const askApproval = (dialogue: Dialogue, question: ApprovalQuestion): Effect.Effect<ApprovalAnswer> =>
  dialogue.show(describe(question, dialogue.width())).pipe(
    Effect.andThen(read(dialogue, offeredFor(question))),
    Effect.catchTag("Dismissed", () => Effect.succeed("deny" as const)),
    Effect.tap((answer) =>
      dialogue.show(
        `(${question.approvers !== undefined && answer === "session" ? "approved for their session" : WORDS[answer]})`
      )
    ),
    Effect.onInterrupt(() =>
      dialogue.show(
        `(the question about '${visible(question.exposed)}' is withdrawn; what you typed for it is discarded)`
      )
    )
  )
