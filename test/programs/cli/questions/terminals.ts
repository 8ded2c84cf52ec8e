/** Two terminals that a test types into and reads from, and the question for an approval at each of them. */
import * as Effect from "effect/Effect"
import { PassThrough } from "node:stream"
import { promptLoop } from "../../../../src/programs/cli/prompt/prompt.ts"
import { askApproval } from "../../../../src/programs/cli/questions/approve.ts"
import { makeQuestions } from "../../../../src/programs/cli/questions/questions.ts"
import { makeFloor } from "../../../../src/programs/cli/questions/terminal.ts"
import type { ApprovalQuestion } from "../../../../src/schemas/call/Approval.ts"

export const QUESTION: ApprovalQuestion = {
  agent: "main",
  server: "files",
  tool: "delete_file",
  exposed: "mcp_files_delete_file",
  rule: "ask: files/delete_*",
  arguments: 'path: "a.txt"\nforce: true',
  changed: false
}

export const CHOICE = "Call it? [y]es / [s]ession / [a]lways / [n]o: "

/** A terminal that the test types into and reads from. */
const screenOf = (columns?: number) => {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { columns })]
  let screen = ""
  let everything = ""
  const watchers = new Set<() => void>()
  output.setEncoding("utf8").on("data", (text: string) => {
    screen += text
    everything += text
    watchers.forEach((watcher) => watcher())
  })
  return {
    input,
    output,
    type: (text: string) => Effect.sync(() => void input.write(text)),
    /** All rows since the beginning, without what moves the cursor. */
    rows: () => everything.replace(/\u001b\[[0-9;]*[A-Za-z]|\r/g, "").split("\n"),
    /** Waits until the screen has shown so much since it was last looked at. */
    until: (text: string) =>
      Effect.callback<void>((resume) => {
        const check = () => {
          const at = screen.indexOf(text)
          if (at === -1) return
          screen = screen.slice(at + text.length)
          watchers.delete(check)
          resume(Effect.void)
        }
        watchers.add(check)
        check()
      })
  }
}

/** As `mcp-live start` has it. */
export const withPrompt = Effect.fnUntraced(function* (columns?: number, answer: Effect.Effect<void> = Effect.void) {
  const screen = screenOf(columns)
  const questions = makeQuestions()
  const loop = yield* promptLoop({
    ...screen,
    answer: () => answer,
    onStopped: () => {},
    questions
  }).pipe(Effect.forkChild({ startImmediately: true }))
  return { ...screen, questions, ask: (question = QUESTION) => Effect.forkChild(questions.approve(question)), loop }
})

/** As `mcp-live call` has it. */
export const alone = (columns?: number) =>
  Effect.sync(() => {
    const screen = screenOf(columns)
    const floor = makeFloor(screen)
    return {
      ...screen,
      ask: (question = QUESTION) => Effect.forkChild(floor((exchange) => askApproval(exchange, question)))
    }
  })
