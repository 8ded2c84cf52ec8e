/** Writes an edit of the configuration, and says so. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import type { Edit } from "../../../schemas/config/EditServers.ts"
import { editSettings } from "../../../system/settingsFile.ts"
import { shown, shownFile, wrapped } from "../clients/shown.ts"
import { EXIT_FAILED, ExitWith, root } from "../command.ts"
import { complain, printJson } from "../output.ts"
import type { Editable } from "./target.ts"

/** Ends the command with its reason, which may have a stranger's words; with `--json` also as a document, except for wrong usage. */
export const refuse = Effect.fnUntraced(function* (message: string, code = EXIT_FAILED) {
  const { json } = yield* root
  const clean = message.split("\n").map(shown).join("\n")
  yield* complain(clean)
  if (json && code === EXIT_FAILED) yield* printJson({ error: { tag: "NotWritten", message: clean } })
  return yield* new ExitWith({ code })
})

export type EditText = (text: string) => Result.Result<Edit, string>

/** The edit is made again, on what the file has now. A file that is suddenly empty is about to be written by another program. */
export const writeEdit = Effect.fnUntraced(function* ({ shown: name, target, text: known }: Editable, edit: EditText) {
  const { backup, outcome, path } = yield* editSettings(target.path, (before) =>
    before === "" && known !== ""
      ? Result.fail(`${name} was emptied or removed meanwhile: nothing was changed`)
      : Result.map(edit(before), ({ text }) => text)
  ).pipe(Effect.catch((message) => refuse(message)))
  const file = shownFile(path, homedir())
  const kept = backup === undefined ? "" : `; backup: ${shownFile(backup, homedir())}`
  return {
    outcome,
    path,
    words: outcome === "written" ? wrapped(`${file} is written${kept}`, "", "  ") : `nothing to change in ${file}`
  }
})
