/** Where the page is: the view, what it is about, and its filters, all in the part of the address after `#`, so that an address can be shared. */
import { signal, type ReadonlySignal } from "@preact/signals"

export const VIEWS = [
  "overview",
  "server",
  "tools",
  "calls",
  "questions",
  "pins",
  "context",
  "configuration",
  "nodes",
  "account"
] as const
export type ViewName = (typeof VIEWS)[number]

interface Whose {
  readonly node?: string
  readonly person?: string
}

const FOR_PEOPLE: ReadonlyArray<ViewName> = ["calls", "questions", "account"]

/** The views that there are: those of a person who has logged in, or those of the operator. One that is no node of a fleet shows no nodes. */
export const viewsOf = (hello: Whose | undefined): ReadonlyArray<ViewName> =>
  hello?.person === undefined
    ? VIEWS.filter((view) => view !== "account" && (view !== "nodes" || hello?.node !== undefined))
    : FOR_PEOPLE

/** The view of an address, or the first one that there is. */
export const viewIn = (hello: Whose | undefined, view: ViewName): ViewName =>
  hello?.person === undefined || FOR_PEOPLE.includes(view) ? view : FOR_PEOPLE[0]!

export type Query = Readonly<Record<string, string>>

export interface Route {
  readonly view: ViewName
  /** The server of the view `server`, and what other views may name: a tool, a call. */
  readonly name?: string
  readonly query: Query
}

const START: Route = { view: "overview", query: {} }

const isView = (text: string): text is ViewName => (VIEWS as ReadonlyArray<string>).includes(text)

/** What was typed by hand may be no valid encoding. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An address that names no view is the start. */
export const parseRoute = (hash: string): Route => {
  const [path = "", search = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s)
  const [view = "", ...rest] = path.split("/")
  if (!isView(view)) return START
  const name = rest.map(decoded).join("/")
  const query = Object.fromEntries(new URLSearchParams(search))
  return { view, query, ...(name === "" ? {} : { name }) }
}

/** Filters that are empty are left out. */
export const addressOf = ({ name, query = {}, view }: Omit<Route, "query"> & { readonly query?: Query }): string => {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString()
  return `#/${view}${name === undefined ? "" : `/${encodeURIComponent(name)}`}${search === "" ? "" : `?${search}`}`
}

export interface Router {
  readonly route: ReadonlySignal<Route>
  /** Goes there, as a link does. */
  readonly go: (to: Parameters<typeof addressOf>[0]) => void
  /** Changes the filters of the view in place: Back leaves the view. */
  readonly filter: (query: Query) => void
}

export const makeRouter = (window: Window): Router => {
  const route = signal(parseRoute(window.location.hash))
  const read = () => {
    route.value = parseRoute(window.location.hash)
  }
  window.addEventListener("hashchange", read)
  return {
    route,
    go: (to) => {
      window.location.hash = addressOf(to)
    },
    filter: (query) => {
      window.history.replaceState(null, "", addressOf({ ...route.value, query }))
      read()
    }
  }
}
