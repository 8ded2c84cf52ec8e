/** One record of the audit log: all that it says, and the way of the call through the gateway. */
import { Fragment } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { AuditRecord } from "../../../../../schemas/call/AuditRecord.ts"
import { count, day, clock, duration } from "../../format.ts"
import { Waterfall } from "../../parts/Waterfall.tsx"
import { useAsked } from "../../store/useAsked.ts"

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Keys that are shown in words of their own, or that say nothing to a person. */
const OWN = new Set(["v", "kind", "time", "findings", "durationMs", "resultChars", "decision"])

const Record = ({ record }: { readonly record: AuditRecord }) => (
  <dl class="pairs">
    <dt>time</dt>
    <dd>
      {day(record.time)} {clock(record.time)}
    </dd>
    {record.kind === "call" ? (
      <>
        <dt>duration</dt>
        <dd>{duration(record.durationMs)}</dd>
        <dt>result</dt>
        <dd>{count(record.resultChars)} characters</dd>
        {record.decision === undefined ? null : (
          <>
            <dt>{record.decision.allowed ? "allowed by" : "refused by"}</dt>
            <dd>
              <code>{record.decision.rule}</code>
            </dd>
          </>
        )}
      </>
    ) : null}
    {Object.entries(record)
      .filter(([key, value]) => !OWN.has(key) && value !== null)
      .map(([key, value]) => (
        <Fragment key={key}>
          <dt>{key}</dt>
          <dd>
            <code>{shown(value)}</code>
          </dd>
        </Fragment>
      ))}
  </dl>
)

const Findings = ({ record }: { readonly record: AuditRecord }) =>
  "findings" in record && record.findings.length > 0 ? (
    <>
      <h3>Findings</h3>
      <ul class="findings">
        {record.findings.map(({ count: times, detail, kind }) => (
          <li key={`${kind} ${detail}`}>
            <span class="badge" data-tone="warn">
              {kind}
            </span>{" "}
            {detail}
            {times > 1 ? ` (${times} times)` : ""}
          </li>
        ))}
      </ul>
    </>
  ) : null

export interface DetailProps {
  readonly call: string
  /** If the list has it. */
  readonly record: AuditRecord | undefined
  readonly onClose: () => void
}

export const Detail = ({ call, onClose, record }: DetailProps) => {
  const { error, value: trace } = useAsked("Trace", { call })
  const close = useRef<HTMLButtonElement>(null)
  // Whoever opened it with the keyboard reads on here; Escape leads back.
  useEffect(() => {
    close.current?.focus({ preventScroll: true })
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && onClose()
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [])
  const known = record ?? trace?.record
  return (
    <aside class="panel detail" aria-label="The call that is open">
      <header>
        <h2>{known === undefined ? "Call" : known.kind === "call" ? `Call of ${known.tool}` : known.kind}</h2>
        <button type="button" ref={close} onClick={onClose}>
          Close
        </button>
      </header>
      {trace === undefined ? (
        <p class="quiet">{error ?? "Loading…"}</p>
      ) : trace === null ? (
        <p class="quiet">The way of this call through the gateway is not kept any more.</p>
      ) : (
        <Waterfall spans={trace.spans} />
      )}
      {known === undefined ? null : (
        <>
          <Findings record={known} />
          <Record record={known} />
        </>
      )}
    </aside>
  )
}
