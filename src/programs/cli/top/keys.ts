/** What a person types while a table is shown: `q` ends it, Ctrl-C and Ctrl-Z do what they do everywhere. Nothing that is typed is shown. */
import * as Effect from "effect/Effect"

const QUIT = /q/i
const CTRL_C = "\u0003"
const CTRL_Z = "\u001a"

/** What the table needs of the terminal while it is shown. */
export interface Screen {
  readonly enter: () => void
  readonly leave: () => void
}

/** Whether somebody can type. */
export const hasKeys = (): boolean => process.stdin.isTTY === true

/** Ends when `q` is typed; never where nobody can type. The terminal reads lines again afterwards. */
export const quitTyped = ({ enter, leave }: Screen): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const { stdin } = process
    if (!hasKeys()) return
    const resumed = () => {
      stdin.setRawMode(true)
      enter()
    }
    const typed = (keys: Buffer) => {
      const text = keys.toString()
      // The terminal does not make signals of keys now, so we do.
      if (text.includes(CTRL_C)) process.kill(process.pid, "SIGINT")
      else if (text.includes(CTRL_Z)) {
        stdin.setRawMode(false)
        leave()
        process.once("SIGCONT", resumed)
        process.kill(process.pid, "SIGTSTP")
      } else if (QUIT.test(text)) resume(Effect.void)
    }
    stdin.setRawMode(true)
    stdin.on("data", typed).resume()
    return Effect.sync(() => {
      process.off("SIGCONT", resumed)
      stdin.off("data", typed).pause()
      stdin.setRawMode(false)
    })
  })
