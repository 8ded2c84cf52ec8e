/** The form of a tool, and what comes of calling it. */
import { useState } from "preact/hooks"
import { emptyDraft, draftOf, rawOf, type Draft } from "../../form/Draft.ts"
import { entered, type Problem } from "../../form/entered.ts"
import type { Field } from "../../form/Field.ts"
import { fieldId, FormProvider } from "../../form/FormContext.ts"
import { FormField } from "../../form/FormField.tsx"
import { ObjectInput } from "../../form/ObjectInput.tsx"
import type { Look } from "../../../../../schemas/call/Look.ts"
import { isObject, type Json, type JsonObject } from "../../../../../schemas/data/Json.ts"
import { CallProgress } from "./CallProgress.tsx"
import { Problems } from "./Problems.tsx"
import type { Tool } from "./toolRows.ts"
import { useCall } from "./useCall.ts"

const FORM = "call"
const ROOT = { place: "", isRequired: true }

const argumentsOf = (
  field: Field,
  draft: Draft
): { readonly value: Json | undefined; readonly problems: ReadonlyArray<Problem> } => {
  const { problems, value } = entered(field, draft, ROOT)
  return problems.length > 0 || isObject(value)
    ? { value, problems }
    : { value, problems: [{ place: "", words: 'The arguments must be a JSON object, such as {"path":"."}.' }] }
}

export const CallPanel = (props: {
  readonly agent: string | undefined
  readonly tool: Tool
  readonly field: Field
  readonly drafts: Map<string, Draft>
}) => {
  const { agent, drafts, field, tool } = props
  const [draft, setDraft] = useState<Draft>(() => drafts.get(tool.name) ?? emptyDraft(field, true))
  const [look, setLook] = useState<Look>("raw")
  const [isTried, setTried] = useState(false)
  const { answer, call, cancel, start } = useCall()
  const { problems, value } = argumentsOf(field, draft)
  const isRunning = call.state === "running"
  const put = (next: Draft) => {
    drafts.set(tool.name, next)
    setDraft(next)
  }
  const readable =
    draft.kind === "raw" && problems.length === 0 && value !== undefined ? draftOf(field, value) : undefined

  const submit = (event: Event) => {
    event.preventDefault()
    if (isRunning) return
    setTried(true)
    if (problems.length === 0) start({ agent, name: tool.name, arguments: value as JsonObject, look })
    else document.getElementById(fieldId(FORM, problems[0]!.place))?.focus()
  }
  const state = {
    id: FORM,
    Inner: FormField,
    isDisabled: isRunning,
    wordsAt: (place: string) =>
      isTried ? problems.filter((problem) => problem.place === place).map(({ words }) => words) : []
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event)
  }
  return (
    <section class="call" aria-labelledby="call-title">
      <h3 id="call-title">Call it</h3>
      <FormProvider value={state}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Control and Enter in any of its fields */}
        <form noValidate onSubmit={submit} onKeyDown={onKeyDown} autocomplete="off">
          {draft.kind === "object" && field.kind === "object" ? (
            field.members.length === 0 && draft.others.length === 0 ? (
              <p class="quiet">This tool takes no arguments.</p>
            ) : (
              <ObjectInput field={field} draft={draft} place="" onDraft={put} />
            )
          ) : (
            <FormField label="Arguments" field={field} draft={draft} place="" isRequired onDraft={put} />
          )}
          {isTried ? <Problems form={FORM} problems={problems} /> : null}
          <div class="call-actions">
            {/* Two buttons, not one that changes: the same click must not cancel and call. */}
            {isRunning ? (
              <button key="cancel" type="button" class="main" onClick={cancel}>
                Cancel
              </button>
            ) : (
              <button key="call" type="submit" class="main">
                Call
              </button>
            )}
            {draft.kind === "raw" ? null : (
              <button type="button" disabled={isRunning} onClick={() => put(rawOf(value ?? {}))}>
                As JSON
              </button>
            )}
            {draft.kind === "raw" && field.kind !== "json" && readable?.kind !== "raw" && readable !== undefined ? (
              <button type="button" onClick={() => put(readable)}>
                As a form
              </button>
            ) : null}
            <label class="look">
              Result{" "}
              <select value={look} onChange={({ currentTarget }) => setLook(currentTarget.value as Look)}>
                <option value="raw">whole</option>
                <option value="agent">as the agent gets it</option>
              </select>
            </label>
          </div>
        </form>
      </FormProvider>
      <CallProgress call={call} tool={tool.name} onAnswer={answer} />
    </section>
  )
}
