/** Light or dark: as the system says, or as the person chose for this browser. */
import { signal, type ReadonlySignal } from "@preact/signals"

export const THEMES = ["system", "light", "dark"] as const
export type ThemeName = (typeof THEMES)[number]

export interface Theme {
  readonly chosen: ReadonlySignal<ThemeName>
  /** Grows whenever the colours become others, for what is drawn with them. */
  readonly turn: ReadonlySignal<number>
  readonly choose: (name: ThemeName) => void
}

const KEY = "mcp-live.theme"

export const makeTheme = (window: Window): Theme => {
  const root = window.document.documentElement
  const kept = window.localStorage.getItem(KEY)
  const chosen = signal<ThemeName>(THEMES.find((name) => name === kept) ?? "system")
  const turn = signal(0)
  const show = () => {
    if (chosen.value === "system") delete root.dataset["theme"]
    else root.dataset["theme"] = chosen.value
    turn.value++
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show)
  show()
  return {
    chosen,
    turn,
    choose: (name) => {
      chosen.value = name
      window.localStorage.setItem(KEY, name)
      show()
    }
  }
}

/** The present value of a colour of `tokens.css`, for a canvas. */
export const colorOf = (name: `--${string}`, within: HTMLElement): string => {
  const probe = document.createElement("i")
  probe.style.color = `var(${name})`
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
