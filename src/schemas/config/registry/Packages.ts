/**
 * The packages of a `server.json`: which of them can be started, with which command, at which exact version. A package is refused where the
 * command could start anything else than what the registry names. Pure.
 */
import { type Answers, Refused } from "../Question.ts"
import { argumentOf, type Asking, namedOf, type Words } from "./Inputs.ts"
import type { PackageType } from "./OfferKinds.ts"
import type { Argument, Package } from "./ServerJson.ts"

type Entry = Readonly<Record<string, unknown>>

/** How a package becomes an entry. */
export interface Recipe {
  /** What a person should agree to. */
  readonly unusual: ReadonlyArray<string>
  readonly remarks: ReadonlyArray<string>
  readonly build: (answers: Answers) => Entry
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 80))

const NPM_NAME = /^(?:@[a-z0-9~_][a-z0-9._~-]*\/)?[a-z0-9~_][a-z0-9._~-]*$/i
const PYPI_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/
const NPM_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/
const PYPI_VERSION = /^v?\d[0-9A-Za-z.!+_-]*$/

const RUNTIMES: Readonly<Record<Exclude<PackageType, "mcpb">, ReadonlyArray<string>>> = {
  npm: ["npx"],
  pypi: ["uvx"],
  oci: ["docker", "podman"]
}

/** The command starts a package of that name from the usual registry, whatever the description says. */
const BASES: Readonly<Record<"npm" | "pypi", string>> = {
  npm: "https://registry.npmjs.org",
  pypi: "https://pypi.org"
}

const OWN_HOSTS = new Set(["docker.io", "index.docker.io", "ghcr.io", "quay.io", "mcr.microsoft.com"])
const isKnownHost = (host: string): boolean => OWN_HOSTS.has(host) || /\.(?:pkg\.dev|azurecr\.io)$/.test(host)

/** Exactly one version, and a tag is none. */
const exact = (kind: string, version: string | undefined, pattern: RegExp): string => {
  if (version === undefined || version === "") throw new Refused(`names no version of its ${kind} package`)
  if (!pattern.test(version) || /(?:^|\.)[x*](?:\.|$)/i.test(version)) {
    throw new Refused(`has ${shown(version)} for a version of its ${kind} package, which is not one exact version`)
  }
  return version
}

const runtimeOf = (kind: Exclude<PackageType, "mcpb">, hint: string | undefined): string => {
  const known = RUNTIMES[kind]
  if (hint === undefined || hint === "") return known[0]!
  if (known.includes(hint)) return hint
  throw new Refused(
    `wants to be started with ${shown(hint)}; mcp-live starts ${kind} packages with ${known.join(" or ")}`
  )
}

/** Flags of the runtime that change nothing that matters; mcp-live sets them itself where they are needed. */
const HARMLESS: Readonly<Record<Exclude<PackageType, "mcpb">, ReadonlySet<string>>> = {
  npm: new Set(["-y", "--yes"]),
  pypi: new Set([]),
  oci: new Set(["run", "-i", "--interactive", "--rm", "--init"])
}

interface RuntimeArguments {
  readonly unusual: ReadonlyArray<string>
  readonly words: (answers: Answers) => ReadonlyArray<Words>
}

/** What is given to npx, uvx or docker, rather than to the package, can make it start something else, or show it more of the machine. */
const runtimeArguments = (
  asking: Asking,
  kind: Exclude<PackageType, "mcpb">,
  runtime: string,
  list: ReadonlyArray<Argument>
): RuntimeArguments => {
  const unusual: Array<string> = []
  const texts = list.flatMap((argument, i) => {
    const { name, type, value } = argument
    const word = type === "named" ? (name ?? "") : (value ?? "")
    if (HARMLESS[kind].has(word) && (type === "positional" || value === undefined || value === "")) return []
    if (type === "positional" && !word.startsWith("-")) {
      throw new Refused(`has ${shown(word)} among the arguments of ${runtime}, which would start that instead`)
    }
    unusual.push(`gives ${runtime} the argument ${shown([name, value].filter(Boolean).join(" "))}`)
    return [argumentOf(asking, argument, i)]
  })
  return { unusual, words: (answers) => texts.flatMap((text) => text(answers)) }
}

const VARIABLE_NAME = /^[A-Za-z_]\w*$/

const environmentOf = (asking: Asking, { environmentVariables = [] }: Package) => {
  for (const { name } of environmentVariables) {
    if (!VARIABLE_NAME.test(name)) throw new Refused(`sets a variable ${shown(name)}, which is no name of one`)
  }
  return namedOf(asking, environmentVariables, "the variable")
}

/** Variables that the runtime itself obeys: where it finds packages, its settings and programs, and whom it trusts. */
const OF_RUNTIME =
  /^(?:npm_|yarn_|uv_|pip_|docker_|buildx_|container|podman_|xdg_|(?:https?|all|no)_proxy$|(?:path|home|userprofile|appdata|prefix)$|node_extra_ca_certs$|ssl_cert_|requests_ca_bundle$|curl_ca_bundle$)/i

/** Only values of the author count: what a person sets is their choice. */
const unusualVariables = ({ environmentVariables = [] }: Package, runtime: string): ReadonlyArray<string> =>
  environmentVariables.flatMap(({ default: preset, name, value }) => {
    const own = value ?? preset
    return own === undefined || !OF_RUNTIME.test(name) ? [] : [`sets ${name} to ${shown(own)}, which ${runtime} obeys`]
  })

const packageArguments = (asking: Asking, { packageArguments: list = [] }: Package) => {
  const texts = list.map((argument, i) => argumentOf(asking, argument, i))
  return (answers: Answers): Words => texts.flatMap((text) => text(answers)).flat()
}

const withEnv = (entry: Entry, env: Readonly<Record<string, string>>): Entry =>
  Object.keys(env).length === 0 ? entry : { ...entry, env }

const unchecked = (kind: string, { fileSha256 }: Package, runtime: string): ReadonlyArray<string> =>
  fileSha256 === undefined ? [] : [`gives a digest of its ${kind} package, which ${runtime} cannot check`]

const installed = (asking: Asking, kind: "npm" | "pypi", one: Package): Recipe => {
  const { identifier, registryBaseUrl = BASES[kind], version } = one
  const isName = kind === "npm" ? NPM_NAME : PYPI_NAME
  if (identifier.length > 214 || !isName.test(identifier)) {
    throw new Refused(`names ${shown(identifier)}, which is no name of a package of ${kind}`)
  }
  if (registryBaseUrl.replace(/\/+$/, "") !== BASES[kind]) {
    throw new Refused(
      `takes its package from ${shown(registryBaseUrl)}: ${RUNTIMES[kind][0]!} would start the package of that name that ${BASES[kind]} has`
    )
  }
  const pinned = `${identifier}@${exact(kind, version, kind === "npm" ? NPM_VERSION : PYPI_VERSION)}`
  const runtime = runtimeOf(kind, one.runtimeHint)
  const ofRuntime = runtimeArguments(asking, kind, runtime, one.runtimeArguments ?? [])
  const [env, args] = [environmentOf(asking, one), packageArguments(asking, one)]
  return {
    unusual: [...ofRuntime.unusual, ...unusualVariables(one, runtime), ...unchecked(kind, one, runtime)],
    remarks: [],
    build: (answers) =>
      withEnv(
        {
          command: runtime,
          args: [...(kind === "npm" ? ["-y"] : []), ...ofRuntime.words(answers).flat(), pinned, ...args(answers)]
        },
        env(answers)
      )
  }
}

const IMAGE =
  /^(?<path>[a-z0-9]+(?:[._:-][a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*?)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>sha256:[a-f0-9]{64}))?$/

const imageOf = ({ identifier, registryBaseUrl, version }: Package) => {
  const { digest, path, tag } = IMAGE.exec(identifier)?.groups ?? {}
  if (path === undefined) throw new Refused(`names ${shown(identifier)}, which is no image`)
  const first = path.split("/")[0]!
  const isHost = path.includes("/") && (/[.:]/.test(first) || first === "localhost")
  const base = registryBaseUrl === undefined ? "docker.io" : (URL.parse(registryBaseUrl)?.host ?? registryBaseUrl)
  const host = isHost ? first : base
  const full = isHost || host === "docker.io" ? path : `${host}/${path}`
  const pinned = tag ?? version
  if (
    digest === undefined &&
    (pinned === undefined || pinned.toLowerCase() === "latest" || !/^\w[\w.-]*$/.test(pinned))
  ) {
    throw new Refused("names neither a digest nor an exact version of its image")
  }
  return {
    host,
    image: `${full}${pinned === undefined ? "" : `:${pinned}`}${digest === undefined ? "" : `@${digest}`}`,
    digest
  }
}

const ASSIGNED = /^([A-Za-z_]\w*)=(.*)$/s

/**
 * `-e NAME=value` puts the value into the process list; `-e NAME` takes it from the environment. Without `=`, it would take a variable of
 * the user; without a word of its own, it would swallow the image.
 */
const withoutValues = (words: ReadonlyArray<Words>, described: ReadonlySet<string>) => {
  const env: Record<string, string> = {}
  const rest = words.map((each) => {
    const [flag = "", value = ""] = each.length === 2 ? each : (/^(--env)=(.*)$/s.exec(each[0] ?? "")?.slice(1) ?? each)
    const [, name, text] = ASSIGNED.exec(value) ?? []
    if (name === undefined) {
      if (described.has(value)) return []
      throw new Refused(`passes ${shown(value)} with ${flag}, which is no NAME=VALUE`)
    }
    env[name] = text ?? ""
    return ["-e", name]
  })
  return { env, words: rest.flat() }
}

const isVariable = ({ name, type }: Argument): boolean => type === "named" && /^(?:-e|--env)$/.test(name ?? "")

const image = (asking: Asking, one: Package): Recipe => {
  const { digest, host, image: reference } = imageOf(one)
  const runtime = runtimeOf("oci", one.runtimeHint)
  const list = one.runtimeArguments ?? []
  const own = list.filter(isVariable).map((argument, i) => argumentOf(asking, argument, i))
  const ofRuntime = runtimeArguments(
    asking,
    "oci",
    runtime,
    list.filter((argument) => !isVariable(argument))
  )
  const [env, args] = [environmentOf(asking, one), packageArguments(asking, one)]
  const described = new Set((one.environmentVariables ?? []).map(({ name }) => name))
  return {
    unusual: [
      ...(isKnownHost(host)
        ? []
        : [`takes its image from ${shown(host)}, which is none of the registries that are known`]),
      ...ofRuntime.unusual,
      ...unusualVariables(one, runtime),
      ...unchecked("oci", one, runtime)
    ],
    remarks:
      digest === undefined ? ["the image has a tag but no digest: its owner can put another one behind that tag"] : [],
    build: (answers) => {
      const given = withoutValues(
        own.flatMap((text) => text(answers)),
        described
      )
      const variables = { ...given.env, ...env(answers) }
      const names = Object.keys(variables).filter((name) => given.env[name] === undefined)
      return withEnv(
        {
          command: runtime,
          args: [
            "run",
            "-i",
            "--rm",
            ...names.flatMap((name) => ["-e", name]),
            ...given.words,
            ...ofRuntime.words(answers).flat(),
            reference,
            ...args(answers)
          ]
        },
        variables
      )
    }
  }
}

/** Fails with `Refused`. A bundle is none of these: it is downloaded and looked into first. */
export const recipeOf = (asking: Asking, one: Package): Recipe => {
  if (one.transport.type !== "stdio") {
    throw new Refused(
      `is reached over ${shown(one.transport.type)} once it runs: mcp-live starts packages over stdio only`
    )
  }
  switch (one.registryType) {
    case "npm":
    case "pypi":
      return installed(asking, one.registryType, one)
    case "oci":
      return image(asking, one)
    default:
      throw new Refused(
        `is a package of ${shown(one.registryType)}, which mcp-live cannot start: install it, then 'mcp-live add NAME -- COMMAND'`
      )
  }
}
