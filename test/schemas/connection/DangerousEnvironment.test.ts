import { assert, describe, it } from "@effect/vitest"
import { dangerousVariable, refusedVariable } from "../../../src/schemas/connection/DangerousEnvironment.ts"

const words = (text: string) => text.trim().split(/\s+/)

const DANGEROUS: Readonly<Record<string, string>> = {
  "load other libraries": `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH GCONV_PATH
    GLIBC_TUNABLES OPENSSL_CONF`,
  "run other code": `NODE_OPTIONS BUN_OPTIONS PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PERL5OPT PERL5DB RUBYOPT
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER
    DOTNET_STARTUP_HOOKS PHPRC PHP_INI_SCAN_DIR LUA_INIT LUA_INIT_5_4 R_PROFILE GOFLAGS MAKEFLAGS npm_config_node_options
    npm_config_node-options NPM_CONFIG_NODE_OPTIONS pnpm_config_node_options npm_config_call
    npm_config_onload_script npm_config_onload-script RUBYGEMS_GEMDEPS BUNDLE_GEMFILE CGO_CFLAGS CGO_LDFLAGS PYTHONWARNINGS`,
  "load modules from elsewhere": `NODE_PATH PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPYCACHEPREFIX PERL5LIB RUBYLIB GEM_PATH GEM_HOME LUA_PATH
    LUA_PATH_5_4 LUA_CPATH CLASSPATH FPATH`,
  "make a shell run": `BASH_ENV ENV BASH_FUNC_ls%% SHELLOPTS BASHOPTS IFS ZDOTDIR PROMPT_COMMAND PS1 PS4`,
  "start another program": `SHELL EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH
    GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PAGER GIT_EDITOR SSH_ASKPASS RUSTC_WRAPPER CC KUBECTL_EXTERNAL_DIFF
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER CARGO_TARGET_AARCH64_APPLE_DARWIN_LINKER npm_config_script_shell
    npm_config_script-shell NPM_CONFIG_SCRIPT_SHELL`,
  "read other settings": `GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_12
    GIT_CONFIG_PARAMETERS GIT_DIR PIP_CONFIG_FILE UV_CONFIG_FILE GIT_TEMPLATE_DIR HGRCPATH npm_config_userconfig`,
  "trust anyone": `NODE_TLS_REJECT_UNAUTHORIZED SSLKEYLOGFILE PYTHONHTTPSVERIFY GIT_SSL_NO_VERIFY npm_config_strict_ssl`
}

const EVERYDAY = `PATH HOME USER LANG LC_ALL TZ TERM TMPDIR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY
  NODE_ENV NODE_EXTRA_CA_CERTS NODE_NO_WARNINGS NODE_USE_ENV_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  DEBUG LOG_LEVEL JAVA_HOME VIRTUAL_ENV PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_TERMINAL_PROMPT GIT_CONFIG_NOSYSTEM GITHUB_TOKEN
  API_KEY OPENAI_API_KEY AWS_REGION AWS_PROFILE AWS_PAGER AWS_CONFIG_FILE GOOGLE_APPLICATION_CREDENTIALS KUBECONFIG DOCKER_HOST
  DATABASE_URL PGHOST PORT HOST XDG_CONFIG_HOME npm_config_registry NPM_CONFIG_YES npm_config_cache PIP_INDEX_URL UV_INDEX_URL
  UV_PYTHON GOPATH GOPROXY CARGO_HOME CARGO_TARGET_DIR CGO_ENABLED DOTNET_ROOT DOTNET_CLI_TELEMETRY_OPTOUT ELECTRON_RUN_AS_NODE DISPLAY
  MEMORY_FILE_PATH ENVIRONMENT NODE_OPTION LDAP_URL LD PYTHON SHELL_TIMEOUT MY_NODE_OPTIONS`

describe("dangerousVariable", () => {
  for (const [reason, names] of Object.entries(DANGEROUS)) {
    it(`gives the reason for names that can ${reason}`, () => {
      for (const name of words(names)) assert.include(dangerousVariable(name, "linux"), reason, name)
    })
  }

  it("is undefined for everyday names", () => {
    for (const name of words(EVERYDAY)) {
      assert.isUndefined(dangerousVariable(name, "linux"), name)
      assert.isUndefined(dangerousVariable(name, "win32"), name)
    }
  })

  it("ignores case on Windows only", () => {
    for (const name of [
      "node_options",
      "Node_Options",
      "env",
      "psmodulepath",
      "ComSpec",
      "dyld_x",
      "DOTNET_DIAGNOSTICPORTS"
    ]) {
      assert.isUndefined(dangerousVariable(name, "linux"), name)
      assert.isDefined(dangerousVariable(name, "win32"), name)
    }
  })

  it("accepts any text: empty, huge, or a member of every object", () => {
    for (const name of [
      "",
      "__proto__",
      "constructor",
      "toString",
      "npm_config_",
      "npm_config_constructor",
      "\0",
      "é"
    ]) {
      assert.isUndefined(dangerousVariable(name, "linux"), name)
    }
    assert.isUndefined(dangerousVariable("A".repeat(10_000_000), "win32"))
    assert.isUndefined(dangerousVariable(`npm_config_${"_".repeat(10_000_000)}`, "linux"))
    assert.isDefined(dangerousVariable(`LD_${"A".repeat(1_000_000)}`, "linux"))
  })
})

describe("refusedVariable", () => {
  it("is undefined for a dangerous name that is allowed exactly", () => {
    assert.isUndefined(refusedVariable("NODE_OPTIONS", ["PYTHONPATH", "NODE_OPTIONS"], "linux"))
    for (const allowed of [[], ["NODE_*"], ["*"], ["node_options"], ["NODE_OPTION"], ["NODE_OPTIONS "]]) {
      assert.isDefined(refusedVariable("NODE_OPTIONS", allowed, "linux"), allowed.join())
    }
    assert.isDefined(refusedVariable("NODE_OPTIONS", undefined, "linux"))
  })

  it("compares names with case, except on Windows", () => {
    assert.isUndefined(refusedVariable("Node_Options", ["NODE_OPTIONS"], "win32"))
    assert.isDefined(refusedVariable("NODE_OPTIONS", ["Node_Options"], "linux"))
  })
})
