/** The filters of the view, which are in its address: whoever gets the address sees the same. */
import { AUDIT_KINDS } from "../../../../../schemas/call/AuditRecord.ts"
import { usePage } from "../../store/context.ts"

const KINDS: ReadonlyArray<readonly [value: string, words: string]> = [
  ["", "calls"],
  ...AUDIT_KINDS.filter((kind) => kind !== "call").map(
    (kind) => [kind, `${kind}s`.replace("droppeds", "left out")] as const
  ),
  ["all", "everything"]
]

const OUTCOMES: ReadonlyArray<readonly [value: string, words: string]> = [
  ["", "any"],
  ["ok", "ok"],
  ["failed", "all but ok"],
  ["isError", "error of the tool"],
  ["interrupted", "interrupted"]
]

const Choice = ({
  label,
  name,
  options
}: {
  readonly label: string
  readonly name: string
  readonly options: ReadonlyArray<readonly [value: string, words: string]>
}) => {
  const { router } = usePage()
  const { query } = router.route.value
  const value = query[name] ?? ""
  const known = options.some(([each]) => each === value)
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => router.filter({ ...query, [name]: currentTarget.value })}>
        {known ? null : <option value={value}>{value}</option>}
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

const Words = ({ isSearch = false, label, name }: { label: string; name: string; isSearch?: boolean }) => {
  const { router } = usePage()
  const { query } = router.route.value
  return (
    <label>
      {label}
      <input
        type="search"
        value={query[name] ?? ""}
        data-search={isSearch ? "" : undefined}
        spellcheck={false}
        onInput={({ currentTarget }) => router.filter({ ...query, [name]: currentTarget.value })}
      />
    </label>
  )
}

export const Filters = () => {
  const { router, store } = usePage()
  const { findings, ...others } = router.route.value.query
  const servers = Object.keys(store.statuses.value ?? {}).map((name) => [name, name] as const)
  const isPersons = store.hello.value?.person !== undefined
  const agents = (store.hello.value?.agents ?? []).map((name) => [name, name] as const)
  return (
    <search class="filters">
      <Words label="Text" name="text" isSearch />
      <Choice label="Show" name="kind" options={KINDS} />
      {isPersons ? (
        <Words label="Server" name="server" />
      ) : (
        <Choice label="Server" name="server" options={[["", "all"], ...servers]} />
      )}
      <Words label="Tool" name="tool" />
      {isPersons ? null : <Choice label="Agent" name="agent" options={[["", "all"], ...agents]} />}
      <Words label="Client" name="client" />
      {isPersons ? null : <Words label="Person" name="person" />}
      <Choice label="Outcome" name="outcome" options={OUTCOMES} />
      <label class="check">
        <input
          type="checkbox"
          checked={findings !== undefined}
          onChange={({ currentTarget }) =>
            router.filter(currentTarget.checked ? { ...others, findings: "yes" } : others)
          }
        />
        only with findings
      </label>
    </search>
  )
}
