/** The view Pins: definitions that changed, word by word, and what the operator decides about them. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Verdict } from "../../../../../schemas/call/Pins.ts"
import type { PinsChange } from "../../../../../schemas/control/PinsChange.ts"
import { ViewHead } from "../../parts/ViewHead.tsx"
import { useStore } from "../../store/context.ts"
import { wordsOf } from "../../store/Gateway.ts"
import { useAsked } from "../../store/useAsked.ts"
import { byServer, decisionOf } from "./grouped.ts"
import { ServerPins } from "./ServerPins.tsx"

interface Outcome {
  readonly words: string
  readonly tone: "good" | "bad"
}

const SAID: Readonly<Record<Verdict, string>> = { approve: "Approved", reject: "Rejected", forget: "Forgotten" }

const outcomeOf = (changes: ReadonlyArray<PinsChange>, kept: ReadonlyArray<string>, verdict: Verdict): Outcome => {
  const missed = changes.filter(({ tool }) => !kept.includes(tool))
  const names = changes.filter(({ tool }) => kept.includes(tool)).map(({ shownTool }) => shownTool)
  const done = names.length === 0 ? "" : `${SAID[verdict]}: ${names.join(", ")}. `
  return missed.length === 0
    ? { words: done.trim(), tone: "good" }
    : {
        words: `${done}Changed in the meantime, look again: ${missed.map(({ shownTool }) => shownTool).join(", ")}.`,
        tone: "bad"
      }
}

export const Pins = () => {
  const { gateway, mayChange, revisions } = useStore()
  const { again, error, value } = useAsked("PinsChanges", undefined, [revisions.value.pins])
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)
  const told = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The buttons go with what was decided; what came of it is where one goes on.
    if (outcome !== undefined) told.current?.focus()
  }, [outcome])
  const decide = (changes: ReadonlyArray<PinsChange>, verdict: Verdict) => {
    const show = (shown: Outcome) => {
      setBusy(false)
      setOutcome(shown)
      again()
    }
    setBusy(true)
    gateway.ask("DecidePins", decisionOf(changes, verdict)).then(
      (kept) => show(outcomeOf(changes, kept, verdict)),
      (failure: unknown) => show({ words: wordsOf(failure), tone: "bad" })
    )
  }
  const servers = byServer(value?.changes ?? [])
  return (
    <>
      <ViewHead
        title="Pins"
        about="Definitions that differ from what was approved. What changed is marked word by word."
      />
      <p
        ref={told}
        tabIndex={-1}
        role="status"
        class="notice outcome-words"
        data-tone={outcome?.tone ?? "good"}
        hidden={outcome === undefined}
      >
        {outcome?.words}
      </p>
      {error === undefined ? null : (
        <p class="notice" data-tone="bad" role="alert">
          {error}
        </p>
      )}
      {(value?.unreadable ?? []).map(({ detail, file }) => (
        <p key={file} class="notice" data-tone="bad">
          <code>{file}</code>: {detail}. Nothing in it counts as approved.
        </p>
      ))}
      {value === undefined ? (
        error === undefined && <p class="quiet">Loading…</p>
      ) : servers.length === 0 ? (
        <p class="empty">Everything is as it was approved.</p>
      ) : (
        servers.map((server) => (
          <ServerPins key={server.key} server={server} mayChange={mayChange.value} isBusy={isBusy} onDecide={decide} />
        ))
      )}
      {(value?.more ?? 0) > 0 ? <p class="quiet">{value!.more} more come when these are decided.</p> : null}
    </>
  )
}
