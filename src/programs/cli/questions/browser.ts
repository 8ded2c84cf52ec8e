/**
 * Opens an address in the person's browser. The address came from a server: it must be `http:` or `https:`, and is passed as
 * one argument to a program that uses no shell.
 */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"

export interface BrowserCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

type Environment = Readonly<Record<string, string | undefined>>

/** `undefined` for anything but a web address, and where there is no display. */
export const browserCommand = (
  address: string,
  platform: NodeJS.Platform,
  env: Environment
): BrowserCommand | undefined => {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined
  // As the parser writes it, without spaces, quotes or line breaks.
  const { href } = url
  switch (platform) {
    case "darwin":
      return { command: "/usr/bin/open", args: [href] }
    case "win32":
      return {
        command: `${env["SystemRoot"] ?? "C:\\Windows"}\\System32\\rundll32.exe`,
        args: ["url.dll,FileProtocolHandler", href]
      }
    default: {
      const hasScreen = [env["DISPLAY"], env["WAYLAND_DISPLAY"]].some((screen) => screen !== undefined && screen !== "")
      return hasScreen ? { command: "xdg-open", args: [href] } : undefined
    }
  }
}

/** Whether a program was started; what the browser does with the address is unknown. */
export const openBrowser = (address: string): Effect.Effect<boolean> => {
  const opener = browserCommand(address, process.platform, process.env)
  if (opener === undefined) return Effect.succeed(false)
  return Effect.callback((resume) => {
    const child = spawn(opener.command, [...opener.args], { shell: false, stdio: "ignore", detached: true })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
}
