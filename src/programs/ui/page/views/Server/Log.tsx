/** What a server writes, as it comes: filtered, searched, and older lines on demand. Every line is text. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { LogLevel } from "../../../../../schemas/connection/LogMessage.ts"
import {
  SERVER_LOG_SOURCES,
  type ServerLogLine,
  type ServerLogSource
} from "../../../../../schemas/connection/ServerLogLine.ts"
import { useStore } from "../../store/context.ts"
import { CHOICES, type LogFilter } from "./logLines.ts"
import { LogLine } from "./LogLine.tsx"
import { makeLogModel } from "./logModel.ts"

const SOURCE_NAMES: Readonly<Record<ServerLogSource, string>> = {
  stderr: "stderr",
  log: "log messages",
  gateway: "the gateway"
}
const TYPING_MS = 250

interface Chosen {
  readonly source: ServerLogSource | ""
  readonly level: LogLevel
  readonly text: string
}

const Filters = ({ chosen, onChosen }: { readonly chosen: Chosen; readonly onChosen: (next: Chosen) => void }) => (
  <div class="filters" role="group" aria-label="Filter of the log">
    <label>
      From{" "}
      <select
        value={chosen.source}
        onChange={({ currentTarget }) => onChosen({ ...chosen, source: currentTarget.value as Chosen["source"] })}
      >
        <option value="">everything</option>
        {SERVER_LOG_SOURCES.map((source) => (
          <option key={source} value={source}>
            {SOURCE_NAMES[source]}
          </option>
        ))}
      </select>
    </label>
    <label>
      At least{" "}
      <select
        value={chosen.level}
        onChange={({ currentTarget }) => onChosen({ ...chosen, level: currentTarget.value as LogLevel })}
      >
        {CHOICES.map((level) => (
          <option key={level} value={level}>
            {level}
          </option>
        ))}
      </select>
    </label>
    <label class="search">
      With{" "}
      <input
        type="search"
        data-search
        value={chosen.text}
        placeholder="words to find"
        maxLength={200}
        onInput={({ currentTarget }) => onChosen({ ...chosen, text: currentTarget.value })}
      />
    </label>
  </div>
)

/** The last value that stayed for a moment. */
const useSettled = <A,>(value: A, ms: number): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

export const Log = ({ server }: { readonly server: string }) => {
  const store = useStore()
  const [chosen, setChosen] = useState<Chosen>({ source: "", level: "debug", text: "" })
  const [isFollowing, setFollowing] = useState(true)
  const text = useSettled(chosen.text, TYPING_MS)
  const recent = useMemo((): Array<ServerLogLine> => [], [store, server])
  const model = useMemo(() => {
    const { level, source } = chosen
    const filter: LogFilter = { server, level, text, ...(source === "" ? {} : { source }) }
    return makeLogModel(store, filter, recent)
  }, [store, server, chosen.source, chosen.level, text])
  useEffect(() => model.stop, [model])
  const { fault, hasOlder, isReading, lines } = model.state.value

  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isFollowing && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, [lines, isFollowing])
  const onScroll = ({ currentTarget: { clientHeight, scrollHeight, scrollTop } }: { currentTarget: HTMLElement }) =>
    setFollowing(scrollHeight - scrollTop - clientHeight < 24)

  return (
    <section aria-labelledby="log-title" class="panel">
      <h2 id="log-title">Log</h2>
      <Filters chosen={chosen} onChosen={setChosen} />
      <div
        ref={list}
        class="log"
        role="log"
        aria-labelledby="log-title"
        aria-live="off"
        tabIndex={0}
        onScroll={onScroll}
      >
        {hasOlder ? (
          <button type="button" disabled={isReading} onClick={model.older}>
            {isReading ? "Reading…" : "Older lines"}
          </button>
        ) : null}
        <ol>
          {lines.map(({ id, line }) => (
            <LogLine key={id} line={line} search={text} />
          ))}
        </ol>
      </div>
      <div class="log-foot">
        <label>
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
          />{" "}
          Stay at the newest line
        </label>
        <p role="status" class="quiet">
          {fault ?? (isReading ? "Reading…" : lines.length === 0 ? "No such line." : `${lines.length} lines`)}
        </p>
      </div>
    </section>
  )
}
