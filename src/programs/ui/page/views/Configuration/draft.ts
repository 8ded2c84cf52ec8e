/**
 * The configuration file and the text that a person makes of it: what would change, what is wrong, and whether the file has become another one
 * meanwhile. Nothing is written but by `save`, and only over the file that the text was made from. It lives as long as the page, so that
 * going to another view loses nothing.
 */
import { batch, computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals"
import type { CheckedConfig, ConfigFileValue, SavedConfig } from "../../../../../schemas/control/ConfigFile.ts"
import { AnswerLost, Unreachable, wordsOf } from "../../store/Gateway.ts"
import type { Store } from "../../store/Store.ts"

const CHECK_MS = 300
const MARK = /\[MASKED-[0-9a-f]{8}\]/g

/**
 * `text` with the marks of `now` in place of those of `before`: two texts of the same file, from gateways that gave its secrets different
 * marks. As it is if they differ in more than marks.
 */
const remarked = (text: string, before: string, now: string): string => {
  const marks = now.match(MARK) ?? []
  const next = new Map((before.match(MARK) ?? []).map((mark, i) => [mark, marks[i] ?? mark]))
  const moved = (one: string) => one.replace(MARK, (mark) => next.get(mark) ?? mark)
  return moved(before) === now ? moved(text) : text
}

export type Told =
  | { readonly kind: "saved"; readonly saved: SavedConfig }
  | { readonly kind: "failed"; readonly words: string }
  /** The answer to a save was lost. */
  | { readonly kind: "unsure" }

export interface Draft {
  /** The file that the text was made from. */
  readonly file: ReadonlySignal<ConfigFileValue | undefined>
  readonly text: ReadonlySignal<string>
  readonly isEdited: ReadonlySignal<boolean>
  /** What the text means; `undefined` while it is checked. */
  readonly checked: ReadonlySignal<CheckedConfig | undefined>
  /** The file as it is now, if it is not the one that the text was made from. */
  readonly newer: ReadonlySignal<ConfigFileValue | undefined>
  readonly isSaving: ReadonlySignal<boolean>
  readonly told: ReadonlySignal<Told | undefined>
  readonly edit: (text: string) => void
  /** Saves the text, if it is valid and the file is still the same one. */
  readonly save: () => Promise<void>
  /** Reads the file; a text that was edited stays. */
  readonly read: () => Promise<void>
  /** Drops the text for the file as it is now. */
  readonly takeNewer: () => void
  /** Keeps the text, to be saved over the file as it is now. */
  readonly keepMine: () => void
  /** Drops the text. */
  readonly revert: () => void
}

export const makeDraft = ({
  configuration,
  gateway,
  link
}: Pick<Store, "configuration" | "gateway" | "link">): Draft => {
  const file = signal<ConfigFileValue | undefined>(undefined)
  const newer = signal<ConfigFileValue | undefined>(undefined)
  const text = signal("")
  const checked = signal<CheckedConfig | undefined>(undefined)
  const isSaving = signal(false)
  const told = signal<Told | undefined>(undefined)
  const isEdited = computed(() => file.value !== undefined && text.value !== file.value.text)
  let timer: ReturnType<typeof setTimeout> | undefined

  const fail = (error: unknown) => {
    told.value = { kind: "failed", words: wordsOf(error) }
  }
  /** Without a connection, nothing is said: the page does, and all is asked anew when it is back. */
  const failAsked = (error: unknown) => {
    if (!(error instanceof Unreachable)) fail(error)
  }
  const check = async () => {
    const asked = text.value
    try {
      const answer = await gateway.ask("CheckConfig", { text: asked })
      if (asked === text.value) checked.value = answer
    } catch (error) {
      if (asked === text.value) failAsked(error)
    }
  }
  const put = (next: string) => {
    text.value = next
    checked.value = undefined
    clearTimeout(timer)
    timer = setTimeout(() => void check(), CHECK_MS)
  }
  const take = (next: ConfigFileValue) =>
    batch(() => {
      file.value = next
      newer.value = undefined
      put(next.text)
    })
  const read = async () => {
    try {
      const now = await gateway.ask("ConfigFile", undefined)
      const from = file.value
      if (told.value?.kind === "unsure") told.value = undefined
      if (from === undefined || !isEdited.value || now.text === text.value) take(now)
      else if (now.hash !== from.hash) newer.value = now
      else {
        batch(() => {
          newer.value = undefined
          file.value = now
          put(remarked(text.value, from.text, now.text))
        })
      }
    } catch (error) {
      failAsked(error)
    }
  }
  const isOpen = computed(() => link.value.state === "open")
  effect(() => {
    // The gateway has read the file again, or found it unusable: it may be another one.
    void configuration.value
    if (isOpen.value && !isSaving.peek()) void untracked(read)
  })

  return {
    file,
    text,
    isEdited,
    checked,
    newer,
    isSaving,
    told,
    edit: (next) => {
      told.value = undefined
      put(next)
    },
    save: async () => {
      const from = file.value
      if (from === undefined || isSaving.value || newer.value !== undefined) return
      const mine = text.value
      isSaving.value = true
      told.value = undefined
      try {
        const saved = await gateway.ask("SaveConfig", { text: mine, hash: from.hash })
        // What was typed while it was saved is an edit of the file as it is now.
        file.value = { ...from, text: mine, hash: saved.hash, isThere: true }
        told.value = { kind: "saved", saved }
        void check()
      } catch (error) {
        if (error instanceof AnswerLost) told.value = { kind: "unsure" }
        else fail(error)
        await read()
      } finally {
        isSaving.value = false
      }
    },
    read,
    takeNewer: () => {
      if (newer.value !== undefined) take(newer.value)
      told.value = undefined
    },
    keepMine: () =>
      batch(() => {
        if (newer.value !== undefined) file.value = newer.value
        newer.value = undefined
        told.value = undefined
        put(text.value)
      }),
    revert: () => {
      told.value = undefined
      if (file.value !== undefined) put(file.value.text)
    }
  }
}
