/**
 * Names of environment variables that make an interpreter, a loader, a shell or a tool run foreign code, or trust a foreign party. A
 * server's `env` may set one only if `allowEnv` names it.
 *
 * This catches mistakes and foreign input (an editor's session, a variable, a pasted example); it is no barrier, because whoever
 * writes `env` also writes `command`. Common settings stay allowed although some could do harm: locations (`PATH`, `HOME`, `JAVA_HOME`,
 * `VIRTUAL_ENV`, `KUBECONFIG`), proxies and package mirrors, additional certificate authorities (`NODE_EXTRA_CA_CERTS`,
 * `SSL_CERT_FILE`), and settings of one application (`AWS_PAGER`).
 */

/** Completes "NAME can …". */
const REASONS = {
  libraries: "load other libraries into a program",
  code: "make an interpreter or a build tool run other code",
  modules: "make an interpreter load modules from elsewhere",
  shell: "make a shell run commands",
  programs: "make a tool start another program",
  settings: "make a tool read other settings, which can name programs to run",
  trust: "make connections trust anyone, or give their keys away"
} as const

type Reason = (typeof REASONS)[keyof typeof REASONS]

/** By kind. A name that ends in `*` stands for all names that begin so. */
const NAMES: Readonly<Record<keyof typeof REASONS, string>> = {
  libraries: `
    LD_* DYLD_* LIBPATH SHLIB_PATH GCONV_PATH GETCONF_DIR GLIBC_TUNABLES OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES
    GTK_MODULES GTK_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR QT_PLUGIN_PATH AWKLIBPATH`,
  code: `
    NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS BUN_INSPECT_PRELOAD
    PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PYTHON_PRESITE PERL5OPT PERL5DB RUBYOPT JRUBY_OPTS IRBRC LUA_INIT LUA_INIT_*
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS IBM_JAVA_OPTIONS OPENJ9_JAVA_OPTIONS JAVA_OPTS CATALINA_OPTS
    MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS ANT_OPTS ANT_ARGS SBT_OPTS
    CORECLR_* COR_* DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_DiagnosticPorts
    ASPNETCORE_HOSTINGSTARTUPASSEMBLIES MONO_ENV_OPTIONS PHPRC PHP_INI_SCAN_DIR ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS
    ELIXIR_ERL_OPTIONS R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER VIMINIT GVIMINIT EXINIT
    PYTHONWARNINGS RUBYGEMS_GEMDEPS BUNDLE_GEMFILE
    CGO_CFLAGS_ALLOW CGO_CPPFLAGS_ALLOW CGO_CXXFLAGS_ALLOW CGO_FFLAGS_ALLOW CGO_LDFLAGS_ALLOW
    CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_FFLAGS CGO_LDFLAGS GOFLAGS GOENV RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS MAKEFLAGS MFLAGS GNUMAKEFLAGS TAR_OPTIONS`,
  modules: `
    NODE_PATH PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONEXECUTABLE
    __PYVENV_LAUNCHER__ PERL5LIB PERLLIB RUBYLIB GEM_PATH GEM_HOME LUA_PATH LUA_PATH_* LUA_CPATH LUA_CPATH_* CLASSPATH MONO_PATH
    MONO_GAC_PREFIX ERL_LIBS R_LIBS R_LIBS_SITE R_LIBS_USER JULIA_LOAD_PATH GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH
    EMACSLOADPATH TCLLIBPATH FPATH BASH_LOADABLES_PATH PSModulePath`,
  shell: `BASH_ENV ENV BASH_FUNC_* SHELLOPTS BASHOPTS IFS ZDOTDIR PROMPT_COMMAND PS0 PS1 PS2 PS4`,
  programs: `
    SHELL COMSPEC EDITOR VISUAL SUDO_EDITOR FCEDIT KUBE_EDITOR SVN_EDITOR HGEDITOR PAGER MANPAGER SYSTEMD_PAGER PSQL_PAGER
    BROWSER LESSOPEN LESSCLOSE GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_SSH
    GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS SSH_SK_HELPER SSH_SK_PROVIDER
    SSH_PKCS11_HELPER RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH PERL5SHELL RUBYSHELL JAVACMD CC CXX COMPILER_PATH
    GCC_EXEC_PREFIX RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER
    CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER KUBECTL_EXTERNAL_DIFF YARN_YARN_PATH`,
  settings: `
    GIT_CONFIG GIT_CONFIG_* GIT_DIR GIT_TEMPLATE_DIR PIP_CONFIG_FILE UV_CONFIG_FILE GIT_ALLOW_PROTOCOL HGRCPATH WGETRC CURL_HOME YARN_RC_FILENAME`,
  trust: `
    NODE_TLS_REJECT_UNAUTHORIZED SSLKEYLOGFILE PYTHONHTTPSVERIFY PERL_LWP_SSL_VERIFY_HOSTNAME GIT_SSL_NO_VERIFY
    GOINSECURE PIP_TRUSTED_HOST UV_INSECURE_HOST YARN_ENABLE_STRICT_SSL`
}

/** Settings of npm, in any case. Others are harmless (`npm_config_registry`, `npm_config_yes`). */
const NPM_NAMES: Readonly<Record<string, keyof typeof REASONS>> = {
  "node-options": "code",
  call: "code",
  "onload-script": "code",
  package: "code",
  "init-module": "code",
  "script-shell": "programs",
  shell: "programs",
  editor: "programs",
  viewer: "programs",
  browser: "programs",
  git: "programs",
  python: "programs",
  "node-gyp": "programs",
  userconfig: "settings",
  globalconfig: "settings",
  "strict-ssl": "trust"
}

/** They begin like one of the above, and only remove something. */
const HARMLESS: ReadonlySet<string> = new Set(["GIT_CONFIG_NOSYSTEM"])

const isKind = (word: string): word is keyof typeof REASONS => Object.hasOwn(REASONS, word)

const ENTRIES: ReadonlyArray<readonly [name: string, reason: Reason]> = Object.entries(NAMES).flatMap(([kind, names]) =>
  isKind(kind)
    ? names
        .trim()
        .split(/\s+/)
        .map((name) => [name, REASONS[kind]] as const)
    : []
)

const tableOf = (spell: (name: string) => string) => ({
  whole: new Map(ENTRIES.filter(([name]) => !name.endsWith("*")).map(([name, reason]) => [spell(name), reason])),
  beginnings: ENTRIES.filter(([name]) => name.endsWith("*")).map(
    ([name, reason]) => [spell(name.slice(0, -1)), reason] as const
  )
})

const AS_WRITTEN = tableOf((name) => name)
/** On Windows, names have no case. */
const IN_ANY_CASE = tableOf((name) => name.toUpperCase())

/** For one of Cargo's targets: `CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER`. */
const CARGO_TARGET = /^CARGO_TARGET_.{1,64}_(?:RUNNER|LINKER|RUSTFLAGS)$/

const NPM = /^p?npm_config_(.+)$/i
const NPM_NAME_MAX_CHARS = 40

/** npm treats dashes and underscores alike. */
const npmReason = (name: string): Reason | undefined => {
  const key = NPM.exec(name.slice(0, NPM_NAME_MAX_CHARS))?.[1]?.toLowerCase().replaceAll("_", "-")
  const kind = key !== undefined && Object.hasOwn(NPM_NAMES, key) ? NPM_NAMES[key] : undefined
  return kind === undefined ? undefined : REASONS[kind]
}

/** What a variable of this name can do, to follow "NAME can"; `undefined` for harmless names. */
export const dangerousVariable = (name: string, platform: NodeJS.Platform = process.platform): string | undefined => {
  const onWindows = platform === "win32"
  const spelled = onWindows ? name.toUpperCase() : name
  if (HARMLESS.has(spelled)) return undefined
  const { beginnings, whole } = onWindows ? IN_ANY_CASE : AS_WRITTEN
  const beginning = beginnings.find(([begin]) => spelled.startsWith(begin) && spelled.length > begin.length)
  return (
    whole.get(spelled) ??
    beginning?.[1] ??
    npmReason(name) ??
    (CARGO_TARGET.test(spelled) ? REASONS.programs : undefined)
  )
}

/** Whether two names are the same variable. */
export const sameVariable = (one: string, other: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === "win32" ? one.toUpperCase() === other.toUpperCase() : one === other

/** As `dangerousVariable`, and `undefined` for an `allowed` name, too. Allowed names are exact, not patterns. */
export const refusedVariable = (
  name: string,
  allowed: ReadonlyArray<string> = [],
  platform: NodeJS.Platform = process.platform
): string | undefined => {
  const danger = dangerousVariable(name, platform)
  return danger === undefined || allowed.some((one) => sameVariable(one, name, platform)) ? undefined : danger
}
