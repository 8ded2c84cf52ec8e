/** Which package has a program, and how it is installed on each system. */

interface Package {
  readonly name: string
  readonly programs: ReadonlyArray<string>
  readonly mac: string
  readonly linux: string
  readonly windows: string
  /** The program that tells its version. */
  readonly runtime?: string
}

const PACKAGES: ReadonlyArray<Package> = [
  {
    name: "Node.js",
    programs: ["node", "npx", "npm"],
    mac: "brew install node",
    linux: "install it from https://nodejs.org, or as the package nodejs of your system",
    windows: "winget install OpenJS.NodeJS.LTS",
    runtime: "node"
  },
  {
    name: "uv",
    programs: ["uvx", "uv"],
    mac: "brew install uv",
    linux: "curl -LsSf https://astral.sh/uv/install.sh | sh",
    windows: "winget install astral-sh.uv",
    runtime: "uv"
  },
  {
    name: "Docker",
    programs: ["docker"],
    mac: "brew install --cask docker",
    linux: "install it as https://docs.docker.com/engine/install says",
    windows: "winget install Docker.DockerDesktop",
    runtime: "docker"
  },
  {
    name: "Podman",
    programs: ["podman"],
    mac: "brew install podman",
    linux: "install the package podman of your system",
    windows: "winget install RedHat.Podman"
  },
  {
    name: "Bun",
    programs: ["bun", "bunx"],
    mac: "brew install oven-sh/bun/bun",
    linux: "curl -fsSL https://bun.sh/install | bash",
    windows: "winget install Oven-sh.Bun",
    runtime: "bun"
  },
  {
    name: "Deno",
    programs: ["deno"],
    mac: "brew install deno",
    linux: "curl -fsSL https://deno.land/install.sh | sh",
    windows: "winget install DenoLand.Deno",
    runtime: "deno"
  },
  {
    name: "Python",
    programs: ["python3", "python", "pip", "pip3"],
    mac: "brew install python",
    linux: "install the package python3 of your system",
    windows: "winget install Python.Python.3.13",
    runtime: "python"
  },
  {
    name: "pipx",
    programs: ["pipx"],
    mac: "brew install pipx",
    linux: "install the package pipx of your system",
    windows: "py -m pip install --user pipx"
  },
  {
    name: "pnpm",
    programs: ["pnpm", "pnpx"],
    mac: "brew install pnpm",
    linux: "npm install --global pnpm",
    windows: "winget install pnpm.pnpm"
  },
  {
    name: "Yarn",
    programs: ["yarn"],
    mac: "brew install yarn",
    linux: "npm install --global yarn",
    windows: "npm install --global yarn"
  },
  {
    name: "Go",
    programs: ["go"],
    mac: "brew install go",
    linux: "install it from https://go.dev/dl",
    windows: "winget install GoLang.Go"
  },
  {
    name: "Java",
    programs: ["java"],
    mac: "brew install openjdk",
    linux: "install the package default-jre of your system",
    windows: "winget install EclipseAdoptium.Temurin.21.JRE"
  },
  {
    name: ".NET",
    programs: ["dotnet", "dnx"],
    mac: "brew install dotnet",
    linux: "install it from https://dotnet.microsoft.com/download",
    windows: "winget install Microsoft.DotNet.SDK.10"
  },
  {
    name: "Ruby",
    programs: ["ruby", "gem", "bundle"],
    mac: "brew install ruby",
    linux: "install the package ruby-full of your system",
    windows: "winget install RubyInstallerTeam.Ruby.3.4"
  },
  {
    name: "Rust",
    programs: ["cargo"],
    mac: "brew install rust",
    linux: "curl https://sh.rustup.rs -sSf | sh",
    windows: "winget install Rustlang.Rustup"
  }
]

/** The last part of a path, without the ending of Windows. */
export const programName = (command: string): string =>
  command
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe|bat|ps1)$/i, "")

const packageOf = (command: string): Package | undefined =>
  PACKAGES.find(({ programs }) => programs.includes(programName(command)))

/** The runtime that decides whether the program can run the server: `node` for `npx`. */
export const runtimeOf = (command: string): string | undefined => packageOf(command)?.runtime

/** How the package with this program is installed; `undefined` for a program that is not known. */
export const installing = (command: string, platform: NodeJS.Platform): string | undefined => {
  const found = packageOf(command)
  if (found === undefined) return undefined
  const how = platform === "darwin" ? found.mac : platform === "win32" ? found.windows : found.linux
  return `${programName(command)} is part of ${found.name}: ${how}`
}

const numbers = (version: string): ReadonlyArray<number> =>
  (/\d+(?:\.\d+){0,3}/.exec(version)?.[0] ?? "").split(".").map(Number)

/** Whether a version is older than another one; the parts that one of them leaves out are 0. */
export const isOlder = (version: string, than: string): boolean => {
  const [own, other] = [numbers(version), numbers(than)]
  for (let i = 0; i < Math.max(own.length, other.length); i++) {
    const difference = (own[i] ?? 0) - (other[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

/** The oldest version in a range such as `>=20.10`, `^20.0.0 || >=22`, `20.x`; `undefined` if it names none. */
export const oldestIn = (range: string): string | undefined => {
  const lowest = range.split("||").flatMap((part) => {
    const found = /^\s*(?:>=|\^|~|=)?\s*v?(\d+(?:\.\d+){0,2})/.exec(part)?.[1]
    return found === undefined ? [] : [found]
  })
  return lowest.toSorted((a, b) => (isOlder(a, b) ? -1 : 1))[0]
}
