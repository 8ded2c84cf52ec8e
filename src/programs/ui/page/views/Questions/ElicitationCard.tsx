/** A question of a server: a form, or an address to visit. What the server says is marked as its words. */
import {
  mayImitate,
  type ElicitationRequest,
  type ElicitationResult
} from "../../../../../schemas/content/HostRequest.ts"
import { Address } from "../../parts/Address.tsx"
import { contentOf, fieldsOf } from "./form.ts"
import { FormField } from "./FormField.tsx"

export interface ElicitationProps {
  readonly id: string
  readonly request: ElicitationRequest
  readonly isBusy: boolean
  readonly mayAnswer: boolean
  readonly answer: (result: ElicitationResult) => void
}

const Others = ({ answer, isBusy, mayAnswer }: ElicitationProps) => (
  <>
    <button type="button" class="danger" disabled={isBusy || !mayAnswer} onClick={() => answer({ action: "decline" })}>
      No
    </button>
    <button type="button" disabled={isBusy || !mayAnswer} onClick={() => answer({ action: "cancel" })}>
      No answer
    </button>
  </>
)

const Form = (props: ElicitationProps & { readonly request: ElicitationRequest & { readonly mode: "form" } }) => {
  const fields = fieldsOf(props.request.requestedSchema)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    props.answer({ action: "accept", content: contentOf(fields, (name) => data.getAll(name).map(String)) })
  }
  return (
    <form onSubmit={submit}>
      {fields.map((field, place) => (
        <FormField key={field.name} field={field} id={`${props.id}-${place}`} />
      ))}
      <p class="actions">
        <button type="submit" class="main" disabled={props.isBusy || !props.mayAnswer}>
          Send to {props.request.server}
        </button>
        <Others {...props} />
      </p>
    </form>
  )
}

const Visit = (props: ElicitationProps & { readonly request: ElicitationRequest & { readonly mode: "url" } }) => (
  <>
    <p>
      It wants you to visit an address at <strong>{props.request.host}</strong>:
    </p>
    <p>
      <Address address={props.request.url} />
    </p>
    {mayImitate(props.request.host) ? (
      <p class="problem">
        Careful: the host contains characters that look like others. It may not be the address that it seems to be.
      </p>
    ) : null}
    <p class="actions">
      <button
        type="button"
        class="main"
        disabled={props.isBusy || !props.mayAnswer}
        onClick={() => props.answer({ action: "accept" })}
      >
        I visit it
      </button>
      <Others {...props} />
    </p>
  </>
)

export const ElicitationCard = (props: ElicitationProps) => {
  const { request } = props
  return (
    <article class="panel question" aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}>{request.server} asks you</h2>
      <blockquote>{request.message}</blockquote>
      {request.mode === "form" ? <Form {...props} request={request} /> : <Visit {...props} request={request} />}
    </article>
  )
}
